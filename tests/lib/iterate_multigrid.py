"""Runs cycles of bench/pipelines/multigrid.py on problem 1 (solution 0, guess 1) and prints the norms after each cycle.

  iterate_multigrid.py DIM n CYCLES PMC-OPTION…     n: points a dimension of the coarsest of four grids
"""
import ctypes
import os
import subprocess
import sys
import tempfile

import numpy as np

from programs import ROOT


def compile_cycle(dim, folder, options):
    path = os.path.join(folder, "cycle.so")
    source = os.path.join(ROOT, "bench", "pipelines", "multigrid.py")
    subprocess.run(["pmc", source, "--name=cycle", f"--const=DIM={dim}", "-o", path, *options], check=True)
    return ctypes.CDLL(path).cycle


def norm(values, points):
    return np.sqrt((values**2).sum() / float(points) ** values.ndim)


def residual(u, f):
    """Of the interior; the order of the sum is not the pipeline's."""
    inside = (slice(1, -1),) * u.ndim
    total = 2 * u.ndim * u[inside]
    for d in range(u.ndim):
        for side in (slice(None, -2), slice(2, None)):
            total = total - u[inside[:d] + (side,) + inside[d + 1 :]]
    return f[inside] - total * float(u.shape[0] - 1) ** 2


def main():
    dim, n, cycles = (int(a) for a in sys.argv[1:4])
    points = 8 * (n + 1) - 1
    f = np.zeros((points + 2,) * dim)
    u = np.pad(np.ones((points,) * dim), 1)
    with tempfile.TemporaryDirectory() as folder:
        cycle = compile_cycle(dim, folder, sys.argv[4:])
        print(f"0 {norm(residual(u, f), points):.10g}")
        for i in range(cycles):
            out = np.full_like(u, np.nan)
            status = cycle(ctypes.c_int32(n), *(a.ctypes.data_as(ctypes.c_void_p) for a in (u, f, out)))
            if status != 0:
                sys.exit(f"returned {status}")
            u = out
            print(f"{i + 1} {norm(residual(u, f), points):.10g} {norm(u[(slice(1, -1),) * dim], points):.10g}")


main()
