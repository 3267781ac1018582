"""Compiles a generated pipeline within a budget: compile_budget.py SHAPE STAGES THOUSANDS MILLIONS MEGABYTES -- COMMAND…

Writes the program of large_pipelines.py into a temporary file, whose path stands for {} in the command, and runs that with
a stack of 512 KB. Fails when the largest resident size is over the budget, when the command fails, when it allocates more
thousands of times (allocations.py), and with tests/run --all when more millions of instructions are executed (instructions.py);
`-` for any number of these. Prints the sizes.
"""
import math
import os
import resource
import sys
import tempfile

import allocations
import instructions
import large_pipelines

STACK = 512 * 1024


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))


def measure(command):
    """(allocations, processor seconds, MB) of a command, which must succeed."""
    before = instructions.processor_seconds()
    allocated = allocations.count(command, preexec_fn=small_stack)
    return allocated, instructions.processor_seconds() - before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def check_instructions(command, millions, seconds):
    if not instructions.can_exceed(millions * 1e6, seconds):
        return
    used = instructions.count(command) / 1e6
    print(f"{used:.0f} million instructions of {millions:g}")
    if used > millions:
        sys.exit("over the budget")


def check(command, thousands, millions, megabytes):
    allocated, seconds, memory = measure(command)
    print(f"{memory:.0f} MB of {megabytes:g} MB, {allocated / 1e3:.0f} thousand allocations of {thousands:g}")
    if memory > megabytes or allocated > thousands * 1e3:
        sys.exit("over the budget")
    if os.environ.get("PM_TEST_LONG") == "1":
        check_instructions(command, millions, seconds)


def number(text):
    return math.inf if text == "-" else float(text)


def main():
    shape, stages, thousands, millions, megabytes = sys.argv[1], int(sys.argv[2]), *map(number, sys.argv[3:6])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(large_pipelines.program(shape, stages))
        check([word.replace("{}", path) for word in sys.argv[7:]], thousands, millions, megabytes)


if __name__ == "__main__":
    main()
