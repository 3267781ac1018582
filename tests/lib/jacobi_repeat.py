"""jacobi_repeat.py make|compare FOLDER: grids for bench/pipelines/jacobi2d.py and jacobi3d.py, and thirty steps by numpy."""
import os
import sys

import numpy as np

import reference_apps


def grids(d):
    generator = np.random.default_rng(d)
    return generator.uniform(-1, 1, (2,) + ((21,) * 2 if d == 2 else (11,) * 3))


def main():
    task, folder = sys.argv[1:]
    for d in (2, 3):
        v, f = grids(d)
        if task == "make":
            np.save(os.path.join(folder, f"v{d}.npy"), v)
            np.save(os.path.join(folder, f"f{d}.npy"), f)
            continue
        want = reference_apps.jacobi(v, f, 30)
        for name in ("ten", "three", "one"):
            if not np.array_equal(np.load(os.path.join(folder, f"{name}{d}.npy")), want):
                sys.exit(f"{name}{d}.npy differs from numpy")


main()
