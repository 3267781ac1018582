"""follow_page.py PAGE BUILD SCRATCH: does what a page of docs/ says, and fails when that does not work.

Fenced blocks of the page say in their first line what they are:
  file=PATH                 a new file, or text to add at the end of one that is there
  file=PATH after="TEXT"    text to put behind the one line that contains TEXT
  adds=KIND                 after these: what the text belongs to, for tests/lib/touch_counts.py; a change of one of the
                            tree's files must have it
  run                       commands, each of which must succeed
The changed files are put in SCRATCH, which comes first when what depends on them is compiled with BUILD's own flags; the
tools linked with them are then those that commands, and the RUN lines of tests among the files, find. Commands run in SCRATCH, with
the tree's folder in $ROOT.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

LIBRARY = ("ir", "dialects", "passes", "frontends", "targets", "pm")
TOOLS = ("pm-opt", "pm-translate", "pmc")
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"file=(\S+)(?: after=\"((?:[^\"\\]|\\.)*)\")?(?: adds=(\w+))?")


def die(message):
    sys.exit(f"follow_page.py: {message}")


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        die(f"exit status {done.returncode}: {command}\n{done.stdout}{done.stderr}")
    return done.stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def put_behind(text, needle, addition, path):
    lines = text.splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if needle in line]
    if len(places) != 1:
        die(f"{path} has {len(places)} lines with {needle!r}, the page wants one")
    return "".join(lines[: places[0] + 1]) + addition + "".join(lines[places[0] + 1 :])


class Follower:
    def __init__(self, page, build, scratch):
        self.root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        self.page, self.build, self.scratch = page, build, scratch
        self.files, self.commands = [], []
        self.added = []  # (kind, path, number of lines) of changes of files of the tree

    def edit(self, path, needle, kind, addition):
        """Writes the changed file into the scratch folder."""
        if os.path.exists(os.path.join(self.root, path)):
            if kind is None:
                die(f"{self.page} changes {path} and does not say what that adds")
            self.added.append((kind, path, addition.count("\n")))
        target = os.path.join(self.scratch, path)
        before = next((p for p in (target, os.path.join(self.root, path)) if os.path.exists(p)), None)
        text = read(before) if before else ""
        if needle is None:
            text += addition
        else:
            text = put_behind(text, needle.replace('\\"', '"'), addition, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
        if path not in self.files:
            self.files.append(path)

    def read_page(self):
        for _, info, body in FENCE.findall(read(self.page)):
            file = FILE.search(info)
            if file:
                self.edit(file[1], file[2], file[3], body)
            elif info.strip() == "run":
                self.commands += body.splitlines()
        if not self.files:
            die(f"{self.page} has no blocks to follow")

    def sources(self):
        """The changed .c files of the library and those that name a changed .def file or header."""
        tables = [f for f in self.files if f.endswith((".def", ".h"))]
        found = [f for f in self.files if f.endswith(".c") and f.split(os.sep)[0] in LIBRARY]
        for entry in self.database:
            path = os.path.relpath(entry, self.root)
            if path not in found and path.split(os.sep)[0] in LIBRARY:
                text = read(entry)
                found += [path] if any(f'"{table}"' in text for table in tables) else []
        return found

    def compile(self, path, number):
        known = os.path.join(self.root, path)
        folder = os.path.join(self.root, path.split(os.sep)[0])
        model = known if known in self.database else next(p for p in self.database if p.startswith(folder + os.sep))
        words = shlex.split(self.database[model])
        changed = os.path.join(self.scratch, path)
        words[words.index(model)] = changed if os.path.exists(changed) else known
        out = os.path.join(self.scratch, f"{number}.o")
        words[words.index("-o") + 1] = out
        run([words[0], "-I" + self.scratch] + words[1:], cwd=self.build)
        return out

    def link(self, name, objects, out):
        """As the build links it, into the scratch folder: the changed objects take the place of the library's."""
        line = run(["ninja", "-C", self.build, "-t", "commands", name]).strip().splitlines()[-1]
        if line.count(f" -o {name} ") != 1:
            die(f"how {name} is linked looks different: {line}")
        for path, _ in objects:
            line = line.replace(f" CMakeFiles/pmobjects.dir/{path}.o", "")
        line = re.sub(r"-Wl,--whole-archive,[^ ]*libpmcore\S*", "", line)
        ours = " ".join(shlex.quote(file) for _, file in objects) + " -o " + shlex.quote(os.path.join(self.scratch, out))
        run(["sh", "-c", line.replace(f"-o {name}", ours)], cwd=self.build)

    def build_tools(self):
        """Tools and pm-llvm.so take the libpm.so beside them; with sanitizers they carry the library."""
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as file:
            self.database = {entry["file"]: entry["command"] for entry in json.load(file)}
        objects = [(path, self.compile(path, number)) for number, path in enumerate(self.sources())]
        library = os.path.join(self.build, "libpm.so")
        if not objects:
            return
        if os.path.exists(library):
            self.link(os.path.basename(os.path.realpath(library)), objects, os.readlink(library))
            for name in (*TOOLS, "pm-llvm.so"):
                if os.path.exists(os.path.join(self.build, name)):
                    shutil.copy(os.path.join(self.build, name), self.scratch)
        else:
            text = read(self.page)
            for tool in TOOLS:
                if re.search(rf"\b{tool}\b", text):
                    self.link(tool, objects, tool)

    def check(self):
        environment = dict(os.environ, ROOT=self.root, PATH=self.scratch + os.pathsep + os.environ["PATH"])
        for path in self.files:
            if path.endswith(".pmir"):
                test = os.path.join(self.scratch, path)
                self.commands += [c.replace("%s", test) for c in re.findall(r"RUN: *(.*)", read(test))]
        if not self.commands:
            die("the page runs nothing")
        for command in self.commands:
            run(["bash", "-o", "pipefail", "-c", command], env=environment, cwd=self.scratch)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    follower = Follower(*map(os.path.abspath, sys.argv[1:]))
    follower.read_page()
    follower.build_tools()
    follower.check()


if __name__ == "__main__":
    main()
