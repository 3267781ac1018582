"""Compiles every benchmark pipeline, with default options and in each configuration of benchmarks.py, from text to C within a
budget: compile_times.py SECONDS -- COMMAND…

The path of the program stands for {} in the command, and `--const` options follow it. Prints a line for each program and
configuration, the slowest first, `1.4 s laplacian`: processor time, the least of up to three runs while over the budget;
fails when one stays over it.
"""
import os
import resource
import subprocess
import sys

from benchmarks import BENCHMARKS, ROOT

PROGRAMS = os.path.join(ROOT, "bench", "pipelines")


def configurations():
    """Name, program and constants of each: those of the rows, and every program without any."""
    for name, benchmark in BENCHMARKS.items():
        rows, cols = (int(n) for n in benchmark.odd.split("x"))
        yield name, benchmark.path, benchmark.constants_for(rows, cols)
    for file in sorted(os.listdir(PROGRAMS)):
        yield file, os.path.join(PROGRAMS, file), {}


def seconds_of(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least_seconds(command, budget):
    least = seconds_of(command)
    for _ in range(2):
        if least > budget:
            least = min(least, seconds_of(command))
    return least


def main():
    budget, command = float(sys.argv[1]), sys.argv[3:]
    times = []
    for name, path, constants in configurations():
        options = [f"--const={key}={value}" for key, value in constants.items()]
        words = [word.replace("{}", path) for word in command] + options
        times.append((least_seconds(words, budget), name))
    for seconds, name in sorted(times, reverse=True):
        print(f"{seconds:.2f} s {name}")
    late = [name for seconds, name in times if seconds > budget]
    if late:
        sys.exit(f"over {budget:g} s: " + ", ".join(late))


if __name__ == "__main__":
    main()
