"""The NAS benchmark MG 3.2: its right-hand side, and the norm of the residual that a class must end with.

  nas_mg.py inputs CLASS FOLDER    writes zero.npy (U of the first iteration), v.npy (V) and r.npy (R: the residual of zero)
  nas_mg.py verify CLASS FILE      FILE has the norm; it must be the published one to 1e-8
  CLASS: S or W; S0 and W0 with ghosts of 0 in place of those of a periodic grid
"""
import os
import sys

import numpy as np

LEVELS = {"S": 5, "W": 7}
PUBLISHED = {"S": 0.530770700573e-4, "W": 0.646732937534e-5, "S0": 0.115028215110e-1, "W0": 0.731581264884e-1}
MULTIPLIER, SEED, BITS = 5**13, 314159265, 46


def random_numbers(count):
    """SEED * MULTIPLIER^k modulo 2^BITS for k = 1..count; products of 64 bits have these bits right."""
    powers = np.array([MULTIPLIER], np.uint64)
    while powers.size < count:
        powers = np.concatenate([powers, powers * powers[-1]])
    return powers[:count] * np.uint64(SEED) & np.uint64(2**BITS - 1)


def charges(n):
    """-1 where the ten smallest of the numbers are, 1 where the ten greatest are, 0 elsewhere."""
    order = np.argsort(random_numbers(n**3), kind="stable")
    values = np.zeros(n**3)
    values[order[:10]] = -1
    values[order[-10:]] = 1
    return values.reshape(n, n, n)


def write_inputs(name, folder):
    inner = charges(1 << LEVELS[name[0]])
    v = np.pad(inner, 1, "constant" if name.endswith("0") else "wrap")
    for file, values in (("v", v), ("r", v), ("zero", np.zeros_like(v))):
        np.save(os.path.join(folder, file + ".npy"), values)


def verify(name, path):
    norm, want = float(np.loadtxt(path)), PUBLISHED[name]
    print(f"class {name}: {norm:.13g}, relative error {abs(norm - want) / want:.2g}")
    if not abs(norm - want) <= 1e-8 * want:
        sys.exit(f"the published norm is {want:.13g}")


def main():
    task = {"inputs": write_inputs, "verify": verify}[sys.argv[1]]
    task(sys.argv[2], sys.argv[3])


main()
