"""run_page.py PAGE SCRATCH: does what a page of docs/ shows, in the folder SCRATCH, and fails when something else comes out.

Fenced blocks of the page:
  ```LANGUAGE file=NAME    a file with that text
  ```console               lines after `$ ` are commands, which run with bash; those below are all that they print, with `…` for
                           anything within a line. A command that ends with an error has `[N]`, its exit status, as last line.
In commands, tests/data/ and bench/ are the project's.
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


def matches(expected, got):
    pattern = "\n".join(".*".join(map(re.escape, line.split("…"))) for line in expected)
    return re.fullmatch(pattern, "\n".join(got)) is not None


def run(command, expected, folder):
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    got = done.stdout.splitlines() + ([f"[{done.returncode}]"] if done.returncode else [])
    if not matches(expected, got):
        sys.exit("\n".join([f"$ {command}", "prints:", *got, "but the page has:", *expected]))


def main():
    page, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for name in ("tests", "bench"):
        os.symlink(os.path.join(root, name), os.path.join(folder, name))
    commands = 0
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for language, info, body in FENCE.findall(text):
        name = re.search(r"file=(\S+)", info)
        if name:
            with open(os.path.join(folder, name[1]), "w", encoding="utf-8") as file:
                file.write(body)
        elif language == "console":
            for command, expected in pairs_of(body):
                run(command, expected, folder)
                commands += 1
    if not commands:
        sys.exit(f"{page} has no commands")


main()
