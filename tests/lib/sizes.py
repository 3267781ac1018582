"""Compiles a benchmark pipeline once per strategy and tile size, and calls the function on many small images.

  sizes.py PROGRAM [--strategies none,all,greedy] [--tiles 32x256,8x64,5x37] [--sizes 1x1,…]
Without --sizes: every size up to 12x12, one row and one column of many lengths, and sizes around the tiles and the
widths of vectors. Outputs lie between guard elements, start as garbage, and must equal numpy's bit by bit.
"""
import argparse
import ctypes
import itertools
import subprocess
import sys
import tempfile

import numpy as np

from programs import PROGRAMS

GUARD = 64


def many_sizes(tile):
    rows, cols = (int(n) for n in tile.split("x"))
    sizes = list(itertools.product(range(1, 13), range(1, 13)))
    sizes += [(1, n) for n in (13, 31, 64, 257)] + [(n, 1) for n in (13, 31, 64, 257)]
    sizes += [(rows + i, cols + j) for i in (-1, 0, 1, 4, 5) for j in (-1, 0, 1, 4, 5)]
    return sizes + [(2 * rows + 3, 2 * cols + 7), (67, 33), (33, 67), (7, 515)]


def compile_program(program, folder, strategy, tile):
    path = f"{folder}/{strategy}-{tile}.so"
    subprocess.run(["pmc", program.path, "-o", path, "--fp", "strict", "--strategy", strategy, "--tile", tile], check=True)
    return ctypes.CDLL(path)


def guarded(shape, dtype):
    """An array of garbage with guard elements around it, and the whole of it."""
    count = int(np.prod(shape))
    whole = np.full(count * np.dtype(dtype).itemsize + 2 * GUARD, 0xA5, np.uint8)
    return whole[GUARD : len(whole) - GUARD].view(dtype).reshape(shape), whole


def is_intact(whole):
    return (whole[:GUARD] == 0xA5).all() and (whole[len(whole) - GUARD :] == 0xA5).all()


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def run_size(program, function, rows, cols):
    """None, or what is wrong."""
    inputs = {name: np.ascontiguousarray(a) for name, a in program.inputs(rows, cols).items()}
    kept = {name: a.copy() for name, a in inputs.items()}
    expected = program.expected(inputs)
    outputs = {name: guarded(a.shape, a.dtype) for name, a in expected.items()}
    scalars = [ctypes.c_int32(n) for n in program.sizes(rows, cols).values()]
    scalars += [ctypes.c_float(value) for _, value in program.scalars]
    arrays = [pointer(a) for a in inputs.values()] + [pointer(a) for a, _ in outputs.values()]
    status = function(*scalars, *arrays)
    if status != 0:
        return f"returned {status}"
    if any(inputs[name].tobytes() != kept[name].tobytes() for name in inputs):
        return "wrote to an input"
    for name, (got, whole) in outputs.items():
        if not is_intact(whole):
            return f"wrote outside '{name}'"
        if got.tobytes() != expected[name].tobytes():
            return f"'{name}' differs"
    return None


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", choices=sorted(PROGRAMS))
    parser.add_argument("--strategies", default="none,all,greedy")
    parser.add_argument("--tiles", default="32x256,8x64,5x37")
    parser.add_argument("--sizes", default="")
    return parser.parse_args()


def main():
    a = arguments()
    program = PROGRAMS[a.program]
    given = [tuple(int(n) for n in s.split("x")) for s in a.sizes.split(",") if s]
    total = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for strategy, tile in itertools.product(a.strategies.split(","), a.tiles.split(",")):
            function = compile_program(program, folder, strategy, tile)[program.function]
            for rows, cols in given or many_sizes(tile):
                problem = run_size(program, function, rows, cols)
                total += 1
                if problem:
                    failures += 1
                    print(f"{rows}x{cols} {strategy} {tile}: {problem}")
    print(f"{total - failures} of {total} calls agree")
    sys.exit(1 if failures else 0)


main()
