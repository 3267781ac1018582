"""Budgets of instructions, which do not depend on how busy a machine is. They are counted by valgrind.

  instructions.py MILLIONS FUNCTION COMMAND…    prints `12.3 million instructions of 20`: those while FUNCTION runs, with all
                                                that it calls; fails above MILLIONS

Counting makes a command ten times as slow. These programs execute 9.4e9 instructions a second where they were measured (pmc
of the local Laplacian, 2026-11-23), none more than FASTEST: what took too little processor time to have exceeded its budget
is not counted.
"""
import re
import resource
import subprocess
import sys

FASTEST = 15e9
WHOLE = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
PART = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
COUNT = {"cachegrind": re.compile(r"I +refs: +([0-9,]+)"), "callgrind": re.compile(r"Collected : ([0-9]+)")}


def processor_seconds():
    """Of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def can_exceed(budget, seconds):
    """Whether more instructions than the budget can have been executed in so many seconds of processor time."""
    return seconds * FASTEST > budget


def count(command, function=None):
    """The instructions of a command, which must succeed, or those while the function runs."""
    tool = PART + [f"--toggle-collect={function}"] if function else WHOLE
    done = subprocess.run(tool + command, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    found = COUNT["callgrind" if function else "cachegrind"].search(done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"exit status {done.returncode}: {' '.join(tool + command)}\n{done.stderr}")
    return int(found[1].replace(",", ""))


def main():
    budget, function, command = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
    millions = count(command, function) / 1e6
    print(f"{millions:.1f} million instructions of {budget:g}")
    if not 0 < millions <= budget:
        sys.exit("over the budget, or never called")


if __name__ == "__main__":
    main()
