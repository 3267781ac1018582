"""Budgets of allocations, which depend neither on how busy nor on how fast a machine is.

  allocations.py THOUSANDS COMMAND…    prints `12.3 thousand allocations of 20`; fails above THOUSANDS

isl counts its operations so, and most time of our compiler is spent in isl; counting takes none. What grows without taking
memory is found by instructions.py, with tests/run --all.
"""
import functools
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "count_allocations.c")


@functools.cache
def counting_library():
    """What counts, in a folder that goes with the process."""
    folder = tempfile.TemporaryDirectory()
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", SOURCE, "-o", f"{folder.name}/count.so"], check=True)
    return folder


def count(command, **how):
    """Those of a command, which must succeed; `how` is for subprocess."""
    with tempfile.TemporaryDirectory() as folder:
        counted = f"{folder}/counted"
        environment = {**os.environ, "LD_PRELOAD": f"{counting_library().name}/count.so", "PM_COUNTED": counted}
        status = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False, **how).returncode
        if status != 0:
            sys.exit(f"exit status {status}: {' '.join(command)}")
        with open(counted, encoding="utf-8") as file:
            return int(file.read())


def main():
    budget, command = float(sys.argv[1]), sys.argv[2:]
    thousands = count(command) / 1e3
    print(f"{thousands:.1f} thousand allocations of {budget:g}")
    if not 0 < thousands <= budget:
        sys.exit("over the budget")


if __name__ == "__main__":
    main()
