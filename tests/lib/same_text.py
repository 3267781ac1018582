"""Whether two builds of the compiler emit the same text: a change that only moves code keeps every byte.

  same_text.py OLD_BUILD NEW_BUILD [NAME…]

Emits C, LLVM's IR and OpenCL, with their headers, for each row of benchmarks.py (or the named ones) by OLD_BUILD/pmc
and NEW_BUILD/pmc, and compares files, messages and exit statuses. Prints what differs, a row and target a line, with
the first line that does. Exit status 1 if anything differs, 2 for a wrong call.
"""
import os
import subprocess
import sys
import tempfile

from benchmarks import BENCHMARKS

TARGETS = {"c": "c", "llvm": "ll", "opencl": "c"}


def emit(build, row, target, folder):
    """Exit status, messages and files by name."""
    os.mkdir(folder)
    constants = [f"--const={name}={value}" for name, value in row.constants_for(1024, 1024).items()]
    command = [os.path.join(build, "pmc"), row.path, f"--target={target}", "-o", f"program.{TARGETS[target]}", *constants]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    made = {"exit status": str(done.returncode), "messages": done.stderr}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            made[name] = file.read()
    return made


def first_difference(old, new):
    """None where there is none."""
    for name in sorted(old.keys() | new.keys()):
        a, b = (made.get(name, "").splitlines() for made in (old, new))
        for number, (x, y) in enumerate(zip(a + [None] * len(b), b + [None] * len(a)), 1):
            if x != y:
                return f"{name}:{number}: {x!r} became {y!r}"
    return None


def compare(builds, name, target):
    with tempfile.TemporaryDirectory() as folder:
        made = [emit(build, BENCHMARKS[name], target, os.path.join(folder, str(i))) for i, build in enumerate(builds)]
    difference = first_difference(*made)
    if difference:
        print(f"{name} {target}: {difference}", flush=True)
    return difference is None


def main():
    builds, names = [os.path.abspath(build) for build in sys.argv[1:3]], sys.argv[3:] or list(BENCHMARKS)
    if len(builds) != 2 or any(name not in BENCHMARKS for name in names):
        print(__doc__, file=sys.stderr)
        return 2
    same = [compare(builds, name, target) for name in names for target in TARGETS]
    print(f"{sum(same)} of {len(same)} texts are the same")
    return 0 if all(same) else 1


sys.exit(main())
