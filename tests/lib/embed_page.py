"""embed_page.py PAGE BUILD SCRATCH: writes the files of a page of docs/ (blocks with file=NAME) into SCRATCH, compiles host.c
with the tree's headers and BUILD's libpm.so. Then it runs the page's `console` block `host` there, and compares what is
printed."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"embed_page.py: {command}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    page, build, scratch = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    shown = None
    for language, info, body in FENCE.findall(text):
        if "file=" in info:
            with open(os.path.join(scratch, info.split("file=")[1].split()[0]), "w", encoding="utf-8") as file:
                file.write(body)
        elif language == "console" and body.startswith("$ ./host"):
            shown = body.split("\n", 1)[1]
    source, object_file = os.path.join(scratch, "host.c"), os.path.join(scratch, "host.o")
    run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{ROOT}", "-c", source, "-o", object_file])
    run(["gcc", object_file, f"-L{build}", "-lpm", f"-Wl,-rpath,{build}", "-o", os.path.join(scratch, "host")])
    printed = run(["./host"], cwd=scratch)
    if printed != shown:
        sys.exit(f"embed_page.py: the page shows\n{shown}but host prints\n{printed}")


main()
