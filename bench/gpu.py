"""What bench/gpu prints. See bench/README.md."""
import argparse
import json
import re
import sys

import gpu_count

# The rows: configurations of tests/lib/benchmarks.py.
ROWS = [
    *[f"gauss5-{mode}" for mode in ("undefined", "clamp", "repeat", "mirror", "constant")],
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
]


def arguments():
    parser = argparse.ArgumentParser(prog="bench/gpu")
    parser.add_argument("--filter", type=re.compile, default=re.compile(""))
    parser.add_argument("--size", action="append")
    parser.add_argument("--target", default="opencl")
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("options", nargs="*")
    return parser.parse_args()


def main():
    a = arguments()
    results = gpu_count.main_count(a, [n for n in ROWS if a.filter.search(n)])
    if a.json:
        with open(a.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)
    return 1 if any("error" in r for r in results["counts"]) else 0


if __name__ == "__main__":
    sys.exit(main())
