"""Runs a benchmark pipeline by pm-run for every combination of strategy, tile size, image size and thread count.

  matrix.py PROGRAM --sizes 67x33,5x5 [--strategies none,all,greedy] [--tiles 32x256,8x64,5x37] [--threads 1,2]
            [--no-check]
Each run is compared with the interpreter (--check) and, bit by bit, with numpy (reference.py), all under --fp strict.
Exits with 1 after a line per combination that fails.
"""
import argparse
import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np

from programs import PROGRAMS


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", choices=sorted(PROGRAMS))
    parser.add_argument("--sizes", required=True)
    parser.add_argument("--strategies", default="none,all,greedy")
    parser.add_argument("--tiles", default="32x256,8x64,5x37")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--no-check", action="store_true")
    return parser.parse_args()


def same_bits(got, expected):
    return got.shape == expected.shape and got.dtype == expected.dtype and got.tobytes() == expected.tobytes()


def first_difference(got, expected):
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"has {got.dtype} {got.shape}, expected {expected.dtype} {expected.shape}"
    width = got.dtype.itemsize
    a = np.frombuffer(got.tobytes(), f"V{width}").reshape(got.shape)
    b = np.frombuffer(expected.tobytes(), f"V{width}").reshape(got.shape)
    where = tuple(int(i) for i in np.argwhere(a != b)[0])
    return f"differs in {int((a != b).sum())} elements, first at {where}: has {got[where]}, expected {expected[where]}"


def run_one(program, folder, inputs, expected, options):
    """None, or what is wrong."""
    command = ["pm-run", program.path, "--fp", "strict", *options]
    for name in inputs:
        command += ["--in", f"{name}={folder}/{name}.npy"]
    for name, value in program.scalars:
        command += ["--param", f"{name}={value}"]
    for name in expected:
        command += ["--out", f"{name}={folder}/out-{name}.npy"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        return f"exit status {run.returncode}: {' '.join(command)}\n{run.stderr}"
    for name, want in expected.items():
        path = f"{folder}/out-{name}.npy"
        got = np.load(path)
        os.remove(path)
        if not same_bits(got, want):
            return f"'{name}' {first_difference(got, want)}: {' '.join(command)}"
    return None


def run_size(program, size, combinations, check):
    """The number of combinations that ran, and that failed."""
    rows, cols = (int(n) for n in size.split("x"))
    inputs = program.inputs(rows, cols)
    expected = program.expected(inputs)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, array in inputs.items():
            np.save(f"{folder}/{name}.npy", array)
        for strategy, tile, threads in combinations:
            options = ["--strategy", strategy, "--tile", tile, "--threads", threads] + check
            problem = run_one(program, folder, inputs, expected, options)
            if problem:
                print(f"{size} {strategy} {tile} {threads} threads: {problem}")
                failed += 1
    return len(combinations), failed


def main():
    a = arguments()
    combinations = list(itertools.product(a.strategies.split(","), a.tiles.split(","), a.threads.split(",")))
    check = [] if a.no_check else ["--check"]
    total = failures = 0
    for size in a.sizes.split(","):
        ran, failed = run_size(PROGRAMS[a.program], size, combinations, check)
        total += ran
        failures += failed
    print(f"{total - failures} of {total} combinations agree")
    sys.exit(1 if failures else 0)


main()
