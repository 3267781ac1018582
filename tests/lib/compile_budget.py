"""Compiles a generated pipeline within a budget: compile_budget.py SHAPE STAGES MILLIONS MEGABYTES -- COMMAND…

Writes the program of large_pipelines.py into a temporary file, whose path stands for {} in the command, and runs that with
a stack of 512 KB. Fails when the largest resident size is over the budget, when more millions of instructions are executed
(see instructions.py; `-` for any number), or when the command fails. Prints the sizes.
"""
import math
import os
import resource
import subprocess
import sys
import tempfile

import instructions
import large_pipelines

STACK = 512 * 1024


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))


def measure(command):
    """(processor seconds, MB) of a command, which must succeed."""
    before = instructions.processor_seconds()
    status = subprocess.run(command, preexec_fn=small_stack, stdout=subprocess.DEVNULL, check=False).returncode
    if status != 0:
        sys.exit(f"exit status {status}")
    return instructions.processor_seconds() - before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def check(command, millions, megabytes):
    seconds, memory = measure(command)
    print(f"{memory:.0f} MB of {megabytes:g} MB")
    used = instructions.count(command) / 1e6 if instructions.can_exceed(millions * 1e6, seconds) else 0
    if used:
        print(f"{used:.0f} million instructions of {millions:g}")
    if used > millions or memory > megabytes:
        sys.exit("over the budget")


def main():
    shape, stages, millions, megabytes = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(large_pipelines.program(shape, stages))
        check([word.replace("{}", path) for word in sys.argv[6:]], math.inf if millions == "-" else float(millions), megabytes)


if __name__ == "__main__":
    main()
