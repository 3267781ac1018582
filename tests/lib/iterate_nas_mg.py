"""Runs bench/pipelines/nas_mg.py as the benchmark does, from U = 0, and prints the norm of the residual before and after.

  iterate_nas_mg.py S PMC-OPTION…        the class; --const=PERIODIC=0 for ghosts that are 0
"""
import ctypes
import os
import subprocess
import sys
import tempfile

import numpy as np

from programs import ROOT

LEVELS, ITERATIONS = {"S": 5}, {"S": 4}
NEGATIVE = [(4, 13, 2), (19, 10, 15), (2, 16, 7), (17, 30, 6), (3, 4, 14), (10, 19, 7), (13, 21, 22), (33, 17, 28),
            (24, 27, 10), (28, 16, 9)]
POSITIVE = [(22, 3, 9), (33, 31, 21), (5, 2, 4), (5, 24, 6), (23, 18, 3), (8, 33, 23), (14, 17, 14), (27, 6, 32),
            (30, 2, 30), (19, 28, 19)]


def charges(n):
    v = np.zeros((n + 2,) * 3)
    for points, value in ((NEGATIVE, -1), (POSITIVE, 1)):
        for point in points:
            v[tuple(i - 1 for i in point)] = value
    return v


def with_ghosts(inner, periodic):
    return np.pad(inner, 1, "wrap" if periodic else "constant")


def residual(u, v, periodic):
    """v - A u; the order of the sums is not the pipeline's."""
    n = u.shape[0] - 2
    total = v[1:-1, 1:-1, 1:-1].copy()
    weights = (-8.0 / 3, 0.0, 1.0 / 6, 1.0 / 12)
    for i in np.ndindex(3, 3, 3):
        weight = weights[sum(o != 1 for o in i)]
        total -= weight * u[i[0] : i[0] + n, i[1] : i[1] + n, i[2] : i[2] + n]
    return with_ghosts(total, periodic)


def norm(r):
    inner = r[1:-1, 1:-1, 1:-1]
    return np.sqrt((inner**2).mean())


def main():
    name, options = sys.argv[1], sys.argv[2:]
    periodic = "--const=PERIODIC=0" not in options
    source = os.path.join(ROOT, "bench", "pipelines", "nas_mg.py")
    v = with_ghosts(charges(1 << LEVELS[name])[1:-1, 1:-1, 1:-1], periodic)
    u, r = np.zeros_like(v), v
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mg.so")
        command = ["pmc", source, "--name=mg", f"--const=LT={LEVELS[name]}", "-o", path, *options]
        subprocess.run(command, check=True)
        function = ctypes.CDLL(path).mg
        print(f"{norm(r):.12g}")
        for _ in range(ITERATIONS[name]):
            new_u, before = np.full_like(u, np.nan), np.full_like(u, np.nan)
            status = function(*(a.ctypes.data_as(ctypes.c_void_p) for a in (u, v, r, new_u, before)))
            if status != 0:
                sys.exit(f"returned {status}")
            u = new_u
            r = residual(u, v, periodic)
        print(f"{norm(r):.12g}")


main()
