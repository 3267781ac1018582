"""Boxes of the outputs of random pipelines (random_pipeline.py) beside the whole: regions.py for each seed.

  random_regions.py [--seeds 0..9] [--tools DIR] [--target c|llvm] [--boxes 6] [--jobs 1] [--cflags FLAGS] [--limit SECONDS]
A refusal of the compiler is no failure; refusals are counted by their message.
"""
import argparse
import collections
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import types

import fuzz_pipelines

HERE = os.path.dirname(os.path.abspath(__file__))


def check(job):
    seed, options = job
    if options.limit and time.time() > options.end:
        return seed, "late", ""
    with tempfile.TemporaryDirectory() as folder:
        case = fuzz_pipelines.Case(seed, types.SimpleNamespace(sizes=1, tools=options.tools), folder)
        if not case.pipeline.portable:
            return seed, "not portable", ""
        call, params, arrays = case.calls[0]
        arguments = [f"--param={n}={v}" for n, v in params.items()] + [f"--in={n}={call}/{n}.npy" for n in arrays]
        command = [sys.executable, f"{HERE}/regions.py", "--tools", options.tools, f"--target={options.target}",
                   f"--boxes={options.boxes}", f"--seed={seed}", f"--cflags={options.cflags}", case.original, *arguments]
        try:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return seed, "failure", "more than 300 s"
        if ran.returncode == 0:
            return seed, "ok", ""
        refused = "regions.py: " in ran.stderr and "error: " in ran.stderr and "internal error" not in ran.stderr
        return seed, "refusal" if refused else "failure", fuzz_pipelines.first_error(ran.stderr) if refused else ran.stdout + ran.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0..9")
    parser.add_argument("--tools", default="")
    parser.add_argument("--target", default="c")
    parser.add_argument("--boxes", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cflags", default="-O0 -g -fsanitize=address,undefined -fno-sanitize-recover=all")
    parser.add_argument("--limit", type=float, default=0)
    options = parser.parse_args()
    options.end = time.time() + options.limit
    results, refusals = collections.Counter(), collections.Counter()
    with multiprocessing.Pool(options.jobs) as pool:
        jobs = [(seed, options) for seed in fuzz_pipelines.seeds_of(options.seeds)]
        for seed, kind, text in pool.imap_unordered(check, jobs):
            results[kind] += 1
            if kind == "refusal":
                refusals[text] += 1
            if kind == "failure":
                print(f"seed {seed}:\n{text}", flush=True)
    for text, n in refusals.most_common():
        print(f"{n} refused: {text}")
    print(", ".join(f"{n} {kind}" for kind, n in sorted(results.items())))
    sys.exit(1 if results["failure"] else 0)


if __name__ == "__main__":
    main()
