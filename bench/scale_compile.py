"""What bench/scale-compile prints: how the time from text to C grows with a program. See bench/README.md."""
import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

import tables  # finds tests/lib
from arguments import pattern
from tables import put_cells

import large_pipelines

STEPS = 6  # doublings up to the greatest number
# A level of a pyramid halves an extent, which has so many bits.
MOST = {"pyramid": 16, "skips": 16, "wavelet": 16}
# Below so many seconds a time says nothing about how times grow.
LEAST = 0.02


def compile_time(shape, n, options, folder, limit):
    """Processor seconds of pmc; None: more than the limit."""
    source = os.path.join(folder, "program.py")
    with open(source, "w", encoding="utf-8") as file:
        file.write(large_pipelines.program(shape, n))
    command = ["pmc", source, "-o", os.path.join(folder, "program.c"), *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    seconds = math.ceil(limit)
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode < 0:
        return None
    if done.returncode:
        sys.exit(f"{shape} {n}: {done.stderr}")
    return used


def exponent(times):
    """Of the last doubling whose times can be told: seconds grow like n to the power of it. None: there is none."""
    known = [(n, t) for n, t in times if t is not None and t >= LEAST]
    if len(known) < 2:
        return None
    (n, t), (m, u) = known[-2:]
    return math.log(u / t) / math.log(m / n)


def measure(shape, most, options, limit):
    most = min(most, MOST.get(shape, most))
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for n in sorted({max(most >> k, 1) for k in range(STEPS + 1)}):
            times.append((n, compile_time(shape, n, options, folder, limit)))
            if times[-1][1] is None:
                break
    return {"family": shape, "times": times, "exponent": exponent(times)}


def put_row(record):
    times = ["-" if t is None else f"{t:.2f}" for _, t in record["times"]]
    grows = "-" if record["exponent"] is None else f"{record['exponent']:.2f}"
    put_cells([record["family"], *times, *[""] * (STEPS + 1 - len(times)), str(record["times"][-1][0]), grows])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--filter", type=pattern)
    parser.add_argument("--most", type=int, default=1024)
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--json")
    parser.add_argument("options", nargs="*")
    a = parser.parse_args()
    records = []
    print("Processor seconds from text to C; each column has twice the stages of the one before, the last as many as it")
    print("says; the exponent is that of the last two")
    put_cells(["", *[""] * (STEPS + 1), "last", "exponent"])
    for shape in large_pipelines.SHAPES:
        if not a.filter or a.filter.search(shape):
            records.append(measure(shape, a.most, a.options, a.limit))
            put_row(records[-1])
            sys.stdout.flush()
    if a.json:
        with open(a.json, "w", encoding="utf-8") as file:
            json.dump(records, file, indent=1)


if __name__ == "__main__":
    main()
