"""Compiles every benchmark pipeline, with default options and in each configuration of benchmarks.py, from text to C within a
budget: compile_times.py SECONDS [PASS SECONDS] -- COMMAND…

The path of the program stands for {} in the command, and `--const` options follow it. Prints a line for each program and
configuration, the slowest first, `1.4 s laplacian`: processor time, the least of up to three runs while over the budget;
fails when one stays over it. With a pass, which has a budget of its own, the command prints --timing, and the line says
the seconds of the pass too.
"""
import os
import re
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


def seconds_of_pass(text, name):
    line = re.search(rf"^ *([0-9.]+) \([^)]*\) +{re.escape(name)}$", text, re.MULTILINE)
    return float(line.group(1))


def seconds_of(command, passes):
    """Of the command, then of the passes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, text=True, stderr=subprocess.PIPE if passes else None)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [whole] + [seconds_of_pass(done.stderr, name) for name in passes]


def is_late(seconds, budgets):
    return any(s > budget for s, budget in zip(seconds, budgets))


def least_seconds(command, passes, budgets):
    least = seconds_of(command, passes)
    for _ in range(2):
        if is_late(least, budgets):
            least = [min(pair) for pair in zip(least, seconds_of(command, passes))]
    return least


def main():
    dashes = sys.argv.index("--")
    words, command = sys.argv[1:dashes], sys.argv[dashes + 1 :]
    passes, budgets = words[1::2], [float(word) for word in words[0::2]]
    times = []
    for name, path, constants in configurations():
        options = [f"--const={key}={value}" for key, value in constants.items()]
        run = [word.replace("{}", path) for word in command] + options
        times.append((least_seconds(run, passes, budgets), name))
    for seconds, name in sorted(times, reverse=True):
        print(f"{seconds[0]:.2f} s {name}", *[f"{pass_}: {s:.3f} s" for pass_, s in zip(passes, seconds[1:])])
    late = [name for seconds, name in times if is_late(seconds, budgets)]
    if late:
        sys.exit(f"over {' '.join(words)}: " + ", ".join(late))


if __name__ == "__main__":
    main()
