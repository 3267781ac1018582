"""run_page.py [--rewrite] [--alone] PAGE SCRATCH: does what a page shows, in the folder SCRATCH, and fails when something else
comes out. With --rewrite, what comes out is put into the page instead.

Fenced blocks of the page:
  ```LANGUAGE file=NAME    a file with that text
  ```console               lines after `$ ` are commands, which run with bash; those below are all that they print, with `…` for
                           anything within a line. A command that ends with an error has `[N]`, its exit status, as last line.
In commands, tests/data/ and bench/ are the project's; with --alone, as for pages of examples/, there are none.
"""
import os
import re
import subprocess
import sys

FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pairs_of(block):
    """(command, expected output) of a console block."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and found[-1][0].endswith("\\"):
            found[-1][0] = found[-1][0][:-1] + line.strip()
        else:
            found[-1][1].append(line)
    return found


def commands_in(block):
    """The lines of each command, with those that continue it."""
    found, goes_on = [], False
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append([line])
        elif goes_on:
            found[-1].append(line)
        goes_on = line.endswith("\\") and (line.startswith("$ ") or goes_on)
    return found


def matches(expected, got):
    pattern = "\n".join(".*".join(map(re.escape, line.split("…"))) for line in expected)
    return re.fullmatch(pattern, "\n".join(got)) is not None


def output_of(command, folder):
    """Its lines, and a last one with the exit status of a command that fails."""
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.stdout.splitlines() + ([f"[{done.returncode}]"] if done.returncode else [])


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Page:
    def __init__(self, path, folder, rewrite):
        self.path, self.folder, self.rewrite = path, os.path.abspath(folder), rewrite
        self.commands = 0

    def show_project(self):
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        for name in ("tests", "bench"):
            os.symlink(os.path.join(root, name), os.path.join(self.folder, name))

    def follow(self, fence):
        """Does what a fenced block says; what should stand there."""
        language, info, body = fence.groups()
        name = re.search(r"file=(\S+)", info)
        if name:
            write(os.path.join(self.folder, name[1]), body)
        return f"```{language}{info}\n{self.console(body) if language == 'console' and not name else body}```"

    def console(self, block):
        """The block, with what its commands print."""
        lines = []
        for (command, expected), shown in zip(pairs_of(block), commands_in(block)):
            lines += shown + self.checked(command, expected)
        return "".join(line + "\n" for line in lines)

    def checked(self, command, expected):
        self.commands += 1
        got = output_of(command, self.folder)
        if matches(expected, got):
            return expected
        if not self.rewrite:
            sys.exit("\n".join([f"$ {command}", "prints:", *got, "but the page has:", *expected]))
        return got

    def run(self):
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        found = FENCE.sub(self.follow, text)
        if not self.commands:
            sys.exit(f"{self.path} has no commands")
        if found != text:
            write(self.path, found)


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    page = Page(*words, "--rewrite" in sys.argv)
    if "--alone" not in sys.argv:
        page.show_project()
    page.run()


main()
