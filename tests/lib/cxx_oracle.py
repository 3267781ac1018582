"""Compares what cxx-run prints for programs in C++ with what a compiler's programs print.

    cxx_oracle.py FOLDER FILE…             each file
    cxx_oracle.py FOLDER --random FIRST N  N random programs from the seed FIRST on (random_cxx.py)

The folder is for what is compiled, and new for each test. A line of a random program that the compiler refuses is left
out of both."""

import pathlib
import re
import subprocess
import sys

import random_cxx

HERE = pathlib.Path(__file__).resolve().parent
HEADER = HERE.parent / "cxx" / "Inputs" / "print.h"
FLAGS = ["g++", "-std=c++17", "-w", "-O0", "-fwrapv", "-pedantic-errors"]


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300, **options)


def header(folder):
    """The header, compiled once for all that are run with this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / "print.h"
    if not (folder / "print.h.gch").exists():
        copy.write_text(HEADER.read_text())
        subprocess.run(FLAGS + ["-x", "c++-header", str(copy)], check=True)
    return copy


def compiled(copy, source, program):
    return run(FLAGS + ["-Winvalid-pch", "-include", str(copy), str(source), "-o", str(program)])


def without_refused(copy, source, program):
    """Compiles; takes lines with errors out of the text until none is left."""
    for _ in range(30):
        result = compiled(copy, source, program)
        if result.returncode == 0:
            return True
        wrong = {int(n) for n in re.findall(rf"^{re.escape(str(source))}:(\d+):\d+: error", result.stderr, re.M)}
        if not wrong:
            break
        lines = source.read_text().split("\n")
        source.write_text("\n".join("" if i + 1 in wrong else line for i, line in enumerate(lines)))
    sys.stderr.write(result.stderr)
    return False


def compare(source, program):
    """The first difference, or None."""
    wanted, found = run([str(program)]), run(["cxx-run", str(source)])
    if found.returncode != 0:
        return f"cxx-run fails\n{found.stderr}"
    if wanted.stdout == found.stdout:
        return None
    pairs = list(zip(wanted.stdout.split("\n"), found.stdout.split("\n")))
    i = next((i for i, (a, b) in enumerate(pairs) if a != b), len(pairs) - 1)
    return f"line {i + 1} of the output is '{pairs[i][1]}', it should be '{pairs[i][0]}'"


def main():
    folder = pathlib.Path(sys.argv[1])
    copy, failed, lines = header(folder), 0, 0
    if sys.argv[2] == "--random":
        sources = []
        for seed in range(int(sys.argv[3]), int(sys.argv[3]) + int(sys.argv[4])):
            sources.append(folder / f"random{seed}.cpp")
            sources[-1].write_text(random_cxx.Program(seed).text())
    else:
        sources = [pathlib.Path(name) for name in sys.argv[2:]]
    for source in sources:
        program = folder / (source.stem + ".out")
        ok = without_refused(copy, source, program) if sys.argv[2] == "--random" else compiled(copy, source, program).returncode == 0
        problem = compare(source, program) if ok else "the compiler refuses it"
        lines += run([str(program)]).stdout.count("\n") if ok else 0
        if problem:
            print(f"{source}: {problem}")
            failed += 1
    print(f"{len(sources)} programs, {lines} values, {failed} differ")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
