"""The rows of bench/gpu and bench/gpu-day: configurations of tests/lib/benchmarks.py, and some beside them."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "lib"))

from benchmarks import BENCHMARKS, Benchmark, gauss5_f32, gray_f32  # noqa: E402

# The Gaussian of floats in more modes.
FLOAT_GAUSS = {f"gauss5_f32-{name}": gauss5_f32(mode) for mode, name in enumerate(("undefined", "clamp", "repeat", "mirror"))}
NAMES = [
    *[f"gauss5-{mode}" for mode in ("undefined", "clamp", "repeat", "mirror", "constant")],
    *FLOAT_GAUSS,
    "conv_sep",
    "laplace5",
    "conv",
    "bilateral_filter",
    "harris",
    "harris_int",
    "harris2x2",
    "unsharp",
    "camera",
    "laplacian",
    "interpolate",
    "histogram",
    "histeq",
    "statistics",
]
ROWS = {name: FLOAT_GAUSS.get(name) or BENCHMARKS[name] for name in NAMES}

# What only bench/gpu-day has, for the comparison with other libraries.
SOBEL = {"sobel": Benchmark(os.path.join("..", "peers", "sobel.py"), gray_f32)}
ALL = BENCHMARKS | ROWS | SOBEL
