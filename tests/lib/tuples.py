"""The outputs of tests/programs/tuples.pmir against numpy, in several sizes, with 1 and 2 threads, tiled and not.

  tuples.py PROGRAM
"""
import itertools
import subprocess
import sys
import tempfile

import numpy as np

SIZES = [(1, 1), (1, 9), (8, 1), (2, 3), (7, 33), (40, 70)]
WAYS = [["--strategy", "all", "--tile", "4x8"], ["--naive"], ["--threads", "2"]]


def differences(img):
    rows, cols = img.shape
    first = np.full((rows + 1, cols + 1), -1, np.int32)
    second = np.full((rows + 1, cols + 1), 0.5, np.float64)
    first[1:rows, 1:cols] = img[1:, 1:] - img[1:, :-1]
    second[1:rows, 1:cols] = img[1:, 1:] - img[:-1, 1:]
    return first, second


def edges(first, second):
    """Where the guard holds at even points; the defaults elsewhere."""
    total = second[:-1, :-1] + second[1:, 1:]
    change = first[:-1, :-1] - first[1:, 1:]
    x, y = np.indices(total.shape)
    holds = ((x + y) % 2 == 0) & (change >= 0)
    return (
        np.where(holds, change.astype(np.uint8), np.uint8(7)),
        np.where(holds, total, -2.0),
        np.where(holds, change, np.int32(1)),
    )


def least_of_odd_rows(best, where):
    odd = np.arange(len(best))[1::2]
    if len(odd) == 0:
        return 1000000, -1, -1
    x = odd[np.argmin(best[odd])]
    return best[x], x, where[x]


def swapped(times):
    a, b = 10, 20
    for _ in range(times):
        a, b = b, a + 1
    return a, b


def scanned(column):
    fibonacci, total = [1, 1], [0, 0]
    for value in column:
        fibonacci.append((fibonacci[-1] + fibonacci[-2]) % 2**32)
        total.append(total[-1] + value)
    return np.array(fibonacci, np.uint32), np.array(total, np.int64)


def relaxed(row):
    """Both buffers of five steps of Jacobi, and the result of five of Gauss and Seidel."""
    buffers = np.array([row, row], np.float32)
    for step in range(5):
        buffers[(step + 1) % 2, 1:-1] = (buffers[step % 2, :-2] + buffers[step % 2, 2:]) * np.float32(0.5)
    one = row.astype(np.float32)
    for _, y in itertools.product(range(5), range(1, len(row) - 1)):
        one[y] = (one[y - 1] + one[y + 1]) * np.float32(0.5)
    return buffers, one


def expected(img):
    first, second = differences(img)
    best, where = img.max(axis=1), img.argmax(axis=1).astype(np.int32)
    rises = (img[:, 1:] > img[:, :-1]).sum(axis=1).astype(np.uint16)
    buffers, one = relaxed(img[0])
    named = {
        "grad": (first, second),
        "edge": edges(first, second),
        "row": (best, where, rises),
        "least": [np.array(v, np.int32) for v in least_of_odd_rows(best, where)],
        "pair": [np.array(v, np.int32) for v in swapped(img.shape[1])],
        "scan": scanned(img[:, 0]),
    }
    arrays = {f"{name}_{i}": a for name, elements in named.items() for i, a in enumerate(elements)}
    cdf = np.cumsum(np.bincount((img & 15).ravel(), minlength=16)).astype(np.int32)
    return arrays | {"cdf": cdf, "jacobi": buffers, "seidel": one}


def check(program, img, way, folder):
    np.save(f"{folder}/img.npy", img)
    want = expected(img)
    outputs = [option for name in want for option in ("--out", f"{name}={folder}/{name}.npy")]
    command = ["pm-run", program, "--in", f"img={folder}/img.npy", "--check", *way, *outputs]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"exit status {result.returncode}: {' '.join(command)}\n{result.stderr}")
    for name, array in want.items():
        got = np.load(f"{folder}/{name}.npy")
        if got.dtype != array.dtype or got.shape != array.shape or not (got == array).all():
            sys.exit(f"{name} of {img.shape} with {way}:\n{got}\nshould be\n{array}")


def main():
    generator = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as folder:
        for number, size in enumerate(SIZES):
            img = generator.integers(-30, 30, size).astype(np.int32)
            check(sys.argv[1], img, WAYS[number % len(WAYS)], folder)
            check(sys.argv[1], img, WAYS[(number + 1) % len(WAYS)], folder)


main()
