"""follow_target.py PAGE BUILD SCRATCH: does what docs/add-a-target.md says, then runs its tests with a small tool, emit.

The blocks of the page are those of tests/lib/follow_page.py: file=PATH, file=PATH after="TEXT". What they change is
compiled with BUILD's flags and linked before BUILD's library.
"""
import json
import os
import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r'^```\w+ file=(\S+?)(?: after="([^"\n]*)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}: {command}\n{done.stdout}{done.stderr}")


def write_changed(root, scratch, path, needle, addition):
    lines = read(os.path.join(root, path)).splitlines(keepends=True) if needle else []
    places = [i for i, line in enumerate(lines) if needle in line]
    if needle and len(places) != 1:
        sys.exit(f"{path} has {len(places)} lines with {needle!r}, the page wants one")
    at = places[0] + 1 if needle else 0
    target = os.path.join(scratch, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write("".join(lines[:at]) + addition + "".join(lines[at:]))


def build_tool(root, build, scratch, sources):
    database = json.loads(read(os.path.join(build, "compile_commands.json")))
    model = next(entry for entry in database if entry["file"].endswith("targets/targets.c"))
    words = shlex.split(model["command"])
    flags = [w for w in words[1:] if w.startswith(("-D", "-W", "-g", "-O", "-f", "-std"))]
    libraries = ["-lisl", "-lxxhash", "-ljansson", "-lm"]
    library = os.path.join(build, "libpmcore.a")
    tool = os.path.join(scratch, "emit")
    command = [words[0], "-I" + scratch, "-I" + root] + flags + sources + [library, "-o", tool] + libraries
    run(command, cwd=scratch)


def main():
    page, build, scratch = map(os.path.abspath, sys.argv[1:])
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(os.path.dirname(here)))
    blocks = BLOCK.findall(read(page))
    for path, needle, addition in blocks:
        write_changed(root, scratch, path, needle, addition)
    sources = [os.path.join(scratch, path) for path, _, _ in blocks if path.endswith(".c")]
    table = os.path.join(root, "targets/targets.c")  # which includes the rows of targets.def
    build_tool(root, build, scratch, sources + [table, os.path.join(here, "emit.c")])
    environment = dict(os.environ, PATH=scratch + os.pathsep + os.environ["PATH"])
    tests = [os.path.join(scratch, path) for path, _, _ in blocks if path.endswith(".pmir")]
    for test in tests:
        for command in re.findall(r"RUN: *(.*)", read(test)):
            run(["bash", "-c", command.replace("%s", test)], env=environment)
    if not tests:
        sys.exit(f"{page} has no tests")


main()
