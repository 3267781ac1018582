"""Filters in HIPAcc's language with each mode of borders, beside OpenCV: a table in Markdown.

  PYTHONPATH=build/gcc/python python3 bench/borders.py [--size 4096x4096] [--threads 1] [--seconds 8] [--filter REGEX]

The programs are those of bench/pipelines/hipacc with the macro MODE. All modes of a filter, and OpenCV with the nearest
pixel where it is there (pip install opencv-python-headless), are called in turn for so many seconds. Times are the
least of a call, in ms. "Most" is the slowest mode over UNDEFINED, as a difference in percent. Where OpenCV computes the
same, "differ" is the largest difference of the values that it has for CLAMP, MIRROR and CONSTANT; the others compute a
like filter: a bilateral filter over a disc, and corners in float without a threshold.
"""
import argparse
import os
import re
import time

os.environ["PM_CACHE_DIR"] = ""  # what is measured is what this commit makes

import numpy as np

import pm

try:
    import cv2
except ModuleNotFoundError:
    cv2 = None

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pipelines", "hipacc")
MODES = {"UNDEFINED": "", "CLAMP": "", "MIRROR": "", "REPEAT": "", "CONSTANT": ", 0"}
BORDERS = {"CLAMP": "BORDER_REPLICATE", "MIRROR": "BORDER_REFLECT", "CONSTANT": "BORDER_CONSTANT"}
GAUSS = np.sqrt(np.float32([0.005008, 0.059761, 0.136565]))[[0, 1, 2, 1, 0]]
LAPLACE = np.where(np.arange(25) == 12, -24, 1).reshape(5, 5).astype("float32")
# By the name of the program: its title, what OpenCV does, and whether that is the same.
FILTERS = {
    "gauss5": ("Gaussian 5x5", lambda a, border: cv2.sepFilter2D(a, -1, GAUSS, GAUSS, borderType=border), True),
    "laplace5": ("Laplace 5x5", lambda a, border: cv2.filter2D(a, -1, LAPLACE, delta=128, borderType=border), True),
    "harris": ("Harris 3x3", lambda a, border: cv2.cornerHarris(a, 3, 3, 0.04, borderType=border), False),
    "bilateral": ("bilateral 13x13", lambda a, border: cv2.bilateralFilter(a, 13, 16, 3, borderType=border), False),
}


def draw(height, width):
    """Waves with noise: differences of pixels that are near are as small as in photographs."""
    y, x = np.mgrid[0:height, 0:width].astype("float32")
    noise = np.random.default_rng(1).normal(0, 8, (height, width)).astype("float32")
    return np.clip(128 + 70 * np.sin(x / 40) * np.cos(y / 60) + noise, 0, 255).astype("uint8")


def measure(calls, seconds):
    """Calls all by turns, at least twice: the least time of each, in ms."""
    best, end, rounds = {name: float("inf") for name in calls}, time.perf_counter() + seconds, 0
    while time.perf_counter() < end or rounds < 2:
        rounds += 1
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            best[name] = min(best[name], 1e3 * (time.perf_counter() - start))
    return best


def row(name, photo, options):
    """The cells of a filter."""
    title, reference, is_same = FILTERS[name]
    height, width = photo.shape
    path = os.path.join(PROGRAMS, f"{name}.cpp")
    const = {"WIDTH": width, "HEIGHT": height}
    filters = {mode: pm.load(path, language="hipacc", threads=options.threads, const={**const, "MODE": f"Boundary::{mode}{value}"}) for mode, value in MODES.items()}
    outs = {mode: run(photo) for mode, run in filters.items()}
    calls = {mode: lambda run=run, mode=mode: run(photo, out=outs[mode]) for mode, run in filters.items()}
    differ = "-"
    if cv2:
        calls["OpenCV"] = lambda: reference(photo, cv2.BORDER_REPLICATE)
        wants = {mode: reference(photo, getattr(cv2, border)) for mode, border in BORDERS.items()} if is_same else {}
        differ = str(max((int(np.abs(outs[mode].astype(int) - want).max()) for mode, want in wants.items()), default="-"))
    best = measure(calls, options.seconds)
    times = [best[mode] for mode in MODES]
    beside = [f"{best['OpenCV']:.2f}", f"{best['OpenCV'] / best['CLAMP']:.2f}", differ] if cv2 else ["-"] * 3
    return [title, *(f"{t:.2f}" for t in times), f"{100 * (max(times) / times[0] - 1):+.1f} %", *beside]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="4096x4096", metavar="WxH")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    if cv2:
        cv2.setNumThreads(options.threads)
    photo = draw(height, width)
    print("| filter |", " | ".join(MODES), "| most | OpenCV | OpenCV / CLAMP | differ |")
    print("|---" * (len(MODES) + 5) + "|")
    for name in FILTERS:
        if re.search(options.filter, name):
            print("|", " | ".join(row(name, photo, options)), "|", flush=True)


if __name__ == "__main__":
    main()
