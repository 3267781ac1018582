"""Compiles every benchmark pipeline, with default options and in each configuration of benchmarks.py, from text to C within a
budget of instructions: compile_instructions.py MILLIONS PASS MILLIONS -- COMMAND…

The second budget is that of a pass. The path of the program stands for {} in the command, which prints --timing; `--const`
options follow it. Prints a line for each program and configuration that had to be
counted (see instructions.py), and fails when one is over a budget.
"""
import os
import re
import subprocess
import sys

import instructions
from benchmarks import BENCHMARKS, ROOT

PROGRAMS = os.path.join(ROOT, "bench", "pipelines")


def configurations():
    """Program and constants of each, with its name: those of the rows, and every program without any."""
    found = {}
    for name, benchmark in BENCHMARKS.items():
        rows, cols = (int(n) for n in benchmark.odd.split("x"))
        constants = benchmark.constants_for(rows, cols)
        found.setdefault((benchmark.path, tuple(f"--const={key}={value}" for key, value in constants.items())), name)
    for file in sorted(f for f in os.listdir(PROGRAMS) if f.endswith(".py")):
        found.setdefault((os.path.join(PROGRAMS, file), ()), file)
    return found


def seconds_of(command, name):
    """Processor time of a command and of its pass."""
    before = instructions.processor_seconds()
    done = subprocess.run(command, check=True, text=True, stderr=subprocess.PIPE)
    line = re.search(rf"^ *([0-9.]+) \([^)]*\) +{re.escape(name)}$", done.stderr, re.MULTILINE)
    return instructions.processor_seconds() - before, float(line.group(1))


def is_over(name, what, command, seconds, millions, function=None):
    if not instructions.can_exceed(millions * 1e6, seconds):
        return False
    used = instructions.count(command, function) / 1e6
    print(f"{name}: {what}: {used:.1f} million instructions of {millions:g}")
    return used > millions


def rows_over(times, what, millions, function=None):
    """Of {row: (command, seconds)}."""
    return [row for row in times if is_over(row, what, *times[row], millions, function)]


def main():
    dashes = sys.argv.index("--")
    whole, name, part, command = float(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[dashes + 1 :]
    all_times, pass_times = {}, {}
    for (path, constants), row in configurations().items():
        run = [word.replace("{}", path) for word in command] + list(constants)
        seconds, seconds_of_pass = seconds_of(run, name)
        all_times[row], pass_times[row] = (run, seconds), (run, seconds_of_pass)
    over = rows_over(all_times, "all", whole)
    over += rows_over(pass_times, name, part, "pass_" + name.replace("-", "_"))
    if over:
        sys.exit("over the budget: " + ", ".join(over))


if __name__ == "__main__":
    main()
