"""hipacc_samples.py FOLDER [--only REGEX] [--size WxH] [--target T] [--tools DIR] [--parameters]: public HIPAcc and ImageCL programs.

FOLDER has one of the repositories checked out, at any depth: HIPAcc's samples, HIPAccBenchmark, ImageCL. Each program
that a table of references knows is run by pm-run of DIR, on random inputs at each size. Its line has the sizes at which
all outputs equal the reference, the largest difference, and `yes` or the first line of the error. Differences of floats
are relative, those of packed pixels are of their bytes. The last line counts the programs that are equal at all sizes;
the exit status is 0 when these are all. With --parameters the sizes are those of the call.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import hipacc_benchmark_references
import hipacc_references
import imagecl_references

SAMPLES = (*hipacc_references.SAMPLES, *hipacc_benchmark_references.SAMPLES, *imagecl_references.SAMPLES)
EXACT_TARGETS = ("c", "llvm", "interp") # those that call the C library's functions


def programs(folder):
    """Pairs of a sample and its program in the folder."""
    paths = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    found = {sample.path: path for sample in SAMPLES for path in paths if path.endswith("/" + sample.file())}
    return [(sample, found[sample.path]) for sample in SAMPLES if sample.path in found]


def command(sample, path, width, height, tools, target, root, parameters):
    tool = os.path.join(tools, "pm-run") if tools else "pm-run"
    words = [tool, path, f"--from={sample.language}", "--fp=strict", *(["-I", root] if sample.language == "hipacc" else []), *([f"--target={target}"] if target else [])]
    for name, value in zip(sample.constants, (width, height)):
        words += ["--size", name, "--param", f"{name}={value}"] if parameters else ["--const", f"{name}={value}"]
    return words + [word for name, value in sample.scalars.items() for word in ("--param", f"{name}={value}")]


def first_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else "no message")


def outputs(words, arrays, names, folder):
    """The arrays that pm-run gives, by name; or the reason why not, as text."""
    for name, array in arrays.items():
        path = os.path.join(folder, f"in-{name}.npy")
        np.save(path, array)
        words = [*words, "--in", f"{name}={path}"]
    paths = {name: os.path.join(folder, f"out-{name}.npy") for name in names}
    for name, path in paths.items():
        words += ["--out", f"{name}={path}"]
    ran = subprocess.run(words, check=False, capture_output=True, text=True)
    if ran.returncode:
        return first_line(ran.stderr or ran.stdout)
    missing = [name for name, path in paths.items() if not os.path.exists(path)]
    return f"no output {missing[0]}" if missing else {name: np.load(path) for name, path in paths.items()}


def difference(got, want, sample, target):
    """(the largest difference, equal): of floats relative; a scalar may come as an array of one element."""
    if got.dtype != want.dtype or (got.shape != want.shape and not got.size == want.size == 1):
        return f"{got.dtype} {list(got.shape)}, not {want.dtype} {list(want.shape)}", False
    got = got.reshape(want.shape)
    if want.dtype.kind == "f":
        finite = np.isfinite(want)
        if not np.isfinite(got[finite]).all() or not np.array_equal(got[~finite], want[~finite], equal_nan=True):
            return "infinite", False
        got, want = got[finite].astype(float), want[finite].astype(float)
        scale = np.maximum(np.abs(want), np.finfo(np.float32).tiny)
        most = float((np.abs(got - want) / scale).max(initial=0))
        return most, most <= sample.relative
    if sample.bytes_of_words:
        got, want = (np.ascontiguousarray(a).view(np.uint8) for a in (got, want))
    distance = np.abs(got.astype(np.int64) - want.astype(np.int64))
    most = int(distance.max(initial=0))
    near = sample.functions and target and target not in EXACT_TARGETS
    return most, most == 0 or (near and most == 1 and np.count_nonzero(distance) <= 0.01 * distance.size)


def compare(sample, path, size, tools, target, root, parameters):
    """(error or None, differences, equal) of one sample at one size."""
    width, height = size
    with open(path, encoding="utf-8") as file:
        text = file.read()
    arrays = sample.draw(np.random.default_rng(1000 * width + height), width, height)
    want = sample.run(arrays, text, width, height) if sample.reference else {}
    with tempfile.TemporaryDirectory() as folder:
        words = command(sample, path, width, height, tools, target, root, parameters)
        got = outputs(words if sample.reference else [*words, "--check"], arrays, want, folder)
    if not sample.reference:
        if isinstance(got, str):
            return got, [], bool(re.search(r":\d+:\d+: error: ", got))
        return "accepted, but it is no program", [], False
    if isinstance(got, str):
        return got, [], False
    results = [difference(got[name], want[name], sample, target) for name in want]
    return None, [result[0] for result in results], all(result[1] for result in results)


def largest(values):
    """The worst of differences: a reason before a number."""
    reasons = [value for value in values if isinstance(value, str)]
    return reasons[0] if reasons else max(values, default="-")


def row(sample, path, sizes, tools, target, root, parameters):
    """Whether all sizes are equal, and the columns of the table after the name."""
    results = [compare(sample, path, size, tools, target, root, parameters) for size in sizes]
    errors = [f"{size[0]}x{size[1]}: {result[0]}" for size, result in zip(sizes, results) if result[0]]
    compiles = "yes" if not errors else errors[0] if len(errors) < len(sizes) else results[0][0]
    equal = sum(result[2] for result in results)
    worst = largest([value for result in results for value in result[1]])
    shown = f"{worst:.2g}" if isinstance(worst, float) else str(worst)
    return equal == len(sizes), f"{equal}/{len(sizes)}  {shown:<8} {compiles}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--only", metavar="REGEX", default="")
    parser.add_argument("--size", metavar="WxH", type=lambda s: tuple(map(int, s.split("x"))))
    parser.add_argument("--target")
    parser.add_argument("--tools", metavar="DIR")
    parser.add_argument("--parameters", action="store_true", help="HIPAcc's sizes are parameters of the call")
    options = parser.parse_args()
    if not shutil.which("pm-run", path=options.tools):
        parser.error("there is no pm-run" + (f" in {options.tools}" if options.tools else ""))
    chosen = [pair for pair in programs(options.folder) if re.search(options.only, pair[0].path)]
    width = max((len(sample.path) for sample, _ in chosen), default=0)
    print(f"{'sample':<{width}} equal largest  compiles")
    equal = 0
    for sample, path in chosen:
        sizes = [options.size] if options.size else sample.sizes
        same, line = row(sample, path, sizes, options.tools, options.target, options.folder, options.parameters)
        equal += same
        print(f"{sample.path:<{width}} {line}", flush=True)
    print(f"{equal} of {len(chosen)} samples equal")
    sys.exit(0 if chosen and equal == len(chosen) else 1)


if __name__ == "__main__":
    main()
