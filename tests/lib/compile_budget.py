"""Compiles a generated pipeline within a budget: compile_budget.py SHAPE STAGES SECONDS MEGABYTES -- COMMAND…

Writes the program of large_pipelines.py into a temporary file, whose path stands for {} in the command, and runs that with
a stack of 512 KB. Prints `10000 stages: 35.1 s of 60 s, 1040 MB of 1500 MB`: processor time and the largest resident size;
fails beyond either, or when the command fails.
"""
import os
import resource
import subprocess
import sys
import tempfile

import large_pipelines

STACK = 512 * 1024


def main():
    shape, stages, seconds, megabytes = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(large_pipelines.program(shape, stages))
        command = [word.replace("{}", path) for word in sys.argv[6:]]
        limit = lambda: resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
        status = subprocess.run(command, preexec_fn=limit, stdout=subprocess.DEVNULL, check=False).returncode
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    used, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    print(f"{stages} stages: {used:.1f} s of {seconds:g} s, {memory:.0f} MB of {megabytes:g} MB")
    if status != 0:
        sys.exit(f"exit status {status}")
    if used > seconds or memory > megabytes:
        sys.exit("over the budget")


if __name__ == "__main__":
    main()
