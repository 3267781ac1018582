"""Compiles every benchmark pipeline from text to C within a budget of allocations (allocations.py): compile_allocations.py
THOUSANDS PASS THOUSANDS

The second budget is that of a pass in `stage.pipeline`, alone on the text that it gets. Each program in the first of its
configurations. Prints the two numbers of each, and fails when one is over its budget.
"""
import glob
import os
import sys
import tempfile

import allocations
from benchmarks import BENCHMARKS


def configurations():
    """The first of each program, of those that are not slow if there are any: (name, path, --const options)."""
    found = {}
    for name, benchmark in sorted(BENCHMARKS.items(), key=lambda item: item[1].slow):
        rows, cols = (int(n) for n in benchmark.odd.split("x"))
        constants = [f"--const={key}={value}" for key, value in benchmark.constants_for(rows, cols).items()]
        found.setdefault(benchmark.path, (name, constants))
    return [(name, path, constants) for path, (name, constants) in found.items()]


def count_pass(name, dumps):
    """Of a pass, by what --dump-ir wrote: less what reading and writing the same text takes."""
    number = int(os.path.basename(glob.glob(f"{dumps}/*-{name}.pmir")[0])[:3])
    command = ["pm-opt", glob.glob(f"{dumps}/{number - 1:03}-*.pmir")[0], "-o", os.devnull]
    return allocations.count([*command, f"--pass-pipeline=stage.pipeline({name})"]) - allocations.count(command)


def main():
    whole, name, part = float(sys.argv[1]) * 1e3, sys.argv[2], float(sys.argv[3]) * 1e3
    over = []
    for row, path, constants in configurations():
        with tempfile.TemporaryDirectory() as folder:
            of_all = allocations.count(["pmc", path, "-o", f"{folder}/x.c", f"--dump-ir={folder}", *constants])
            of_pass = count_pass(name, folder)
        print(f"{row}: {of_all / 1e3:.0f} thousand allocations of {whole / 1e3:g}, {name} {of_pass / 1e3:.0f} of {part / 1e3:g}")
        if not 0 < of_all <= whole or not 0 < of_pass <= part:
            over.append(row)
    if over:
        sys.exit("over the budget: " + ", ".join(over))


main()
