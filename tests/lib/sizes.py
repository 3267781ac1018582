"""Compiles a benchmark pipeline once per strategy and tile size, and calls the function on many small images.

  sizes.py NAME [--strategies none,all,greedy] [--tiles 32x256,8x64,5x37] [--cflags …]
Every size up to 12x12, one row and one column of many lengths, and sizes around the tiles and the widths of vectors. Outputs
must equal numpy's bit by bit.
"""
import argparse
import itertools
import sys
import tempfile

import numpy as np

from benchmarks import BENCHMARKS
from compiled import CFLAGS, Compiled, Failure, check_same


def many_sizes(tile):
    rows, cols = (int(n) for n in tile.split("x"))
    sizes = list(itertools.product(range(1, 13), range(1, 13)))
    sizes += [(1, n) for n in (13, 31, 64, 257)] + [(n, 1) for n in (13, 31, 64, 257)]
    sizes += [(rows + i, cols + j) for i in (-1, 0, 1, 4, 5) for j in (-1, 0, 1, 4, 5)]
    return sizes + [(2 * rows + 3, 2 * cols + 7), (67, 33), (33, 67), (7, 515)]


def run_size(benchmark, function, rows, cols):
    inputs = {name: np.ascontiguousarray(a) for name, a in benchmark.inputs(rows, cols).items()}
    name = function.outputs()[0]
    expected = {name: benchmark.expected(inputs)}
    got = function.call(inputs, {**benchmark.sizes(rows, cols), **benchmark.scalars}, expected, threads=2)
    check_same(name, got[name], expected[name])


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=BENCHMARKS)
    parser.add_argument("--strategies", default="none,all,greedy")
    parser.add_argument("--tiles", default="32x256,8x64,5x37")
    parser.add_argument("--cflags", default=CFLAGS)
    return parser.parse_args()


def main():
    a = arguments()
    benchmark = BENCHMARKS[a.name]
    total = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for strategy, tile in itertools.product(a.strategies.split(","), a.tiles.split(",")):
            options = ["--fp=strict", f"--strategy={strategy}", f"--tile={tile}", f"--cflags={a.cflags}"]
            function = Compiled(benchmark.path, f"{folder}/{strategy}-{tile}.so", options)
            for rows, cols in many_sizes(tile):
                total += 1
                try:
                    run_size(benchmark, function, rows, cols)
                except Failure as failure:
                    failures += 1
                    print(f"{rows}x{cols} {strategy} {tile}: {failure}")
    print(f"{total - failures} of {total} calls agree")
    sys.exit(1 if failures else 0)


main()
