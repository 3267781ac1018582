"""speed.py RATIO SCRATCH PROGRAM PM-RUN-ARGUMENT…: the least time of a call is RATIO times shorter than the naive
program's (in ordinary pages) in the same process, in one of five attempts (machines are shared), and takes at most SCRATCH bytes."""
import re
import subprocess
import sys

NAIVE = "--naive --cflags='-O3 -march=native -fopenmp -DPM_SMALL_PAGES'"
UNITS = {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}


def attempt(arguments):
    """(ratio, bytes of scratch), as pm-run reports them."""
    command = ["pm-run", *arguments, "--bench", "--against", NAIVE]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    ratio = float(re.search(r"^bench: ratio +([0-9.]+) times", report, re.MULTILINE).group(1))
    amount, unit = re.search(r"^bench: memory +([0-9.]+) (\w+) of scratch", report, re.MULTILINE).groups()
    return ratio, float(amount) * UNITS[unit]


def main():
    wanted, limit, arguments = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    ratios = []
    for _ in range(5):
        ratio, scratch = attempt(arguments)
        if scratch > limit:
            sys.exit(f"{scratch:.0f} bytes of scratch, expected at most {limit:.0f}")
        ratios.append(ratio)
        if ratio >= wanted:
            print(f"{ratio} times as fast as naive, {scratch:.0f} bytes of scratch")
            return
    sys.exit(f"{max(ratios)} times as fast as naive at best, expected {wanted}")


main()
