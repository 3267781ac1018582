"""A benchmark pipeline, compiled with each grouping, against the interpreter and numpy on problems of several sizes.

  matrix.py NAME [--strategies none,all,greedy,dp] [--sizes 1x1,…] [--tiles 7x12,…] [--inner 1,3x5,…]
            [--threads 1,2] [--cflags …] [--long | --brief]
Each grouping is compiled once and called for all sizes and threads, under --fp strict; every bit is compared. What
the strategy all leaves apart must be what the table says. Greedy judges the overlap by its own tile, so that it groups as
for large pictures, however small the tiles are. The strategy dp, which only --long has, chooses its tiles for a machine with
tiny caches. For the last size pm-run --check must agree.
The sizes and the tile are the table's unless they are given; the C compiler optimizes the code of greedy only, unless
--cflags is given. The groups of the strategy all, which are the largest, are computed row by row (--inner=1) too, with --long
in steps of 3x5 as well, and so are those of the other strategies. --long takes one more tile and the flags that users get, --brief greedy alone on the two smaller sizes.
"""
import argparse
import itertools
import os
import re
import sys
import tempfile

import numpy as np

from benchmarks import BENCHMARKS
from compiled import Compiled, Failure, check_same, run
from pipeline_text import default_pipeline, with_options

CFLAGS = {"none": "-O0 -fopenmp", "all": "-O0 -fopenmp", "greedy": "-O1 -fopenmp", "dp": "-O0 -fopenmp"}
USUAL = ["none", "all", "greedy"]
MACHINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines", "tiny.json")
REFUSAL = re.compile(r"\[group\] missed: @\w+ is not computed together with @\w+: (.*)")


def extents(size):
    return tuple(int(n) for n in size.split("x"))


def near(name, got, expected, tolerance):
    if got.size == 0 and expected.size == 0:
        return
    if tolerance == 0:
        check_same(name, got, expected)
    elif got.shape != expected.shape or not (np.abs(got.astype(np.float64) - expected) <= tolerance).all():
        raise Failure(f"'{name}' is not near numpy's")


class Problem:
    """The inputs of one size, as arrays and as files in a folder, and the interpreter's outputs."""

    def __init__(self, benchmark, size, constants, folder):
        rows, cols = extents(size)
        self.benchmark, self.size, self.folder, self.constants = benchmark, size, folder, constants
        self.inputs = {name: np.ascontiguousarray(a) for name, a in benchmark.inputs(rows, cols).items()}
        self.scalars = {**benchmark.sizes(rows, cols), **benchmark.scalars}
        for name, array in self.inputs.items():
            np.save(f"{folder}/{name}.npy", array)

    def files(self):
        return [f"--in={name}={self.folder}/{name}.npy" for name in self.inputs]

    def interpret(self, outputs):
        path = f"{self.folder}/program.pmir"
        run(["pm-translate", self.benchmark.path, "--fp=strict", "-o", path, *self.constants])
        params = [f"--param={name}={value}" for name, value in self.scalars.items()]
        outs = [f"--out={name}={self.folder}/out-{name}.npy" for name in outputs]
        run(["pm-interp", path, *params, *self.files(), *outs])
        self.expected = {name: np.load(f"{self.folder}/out-{name}.npy") for name in outputs}
        if self.benchmark.expected:
            near(outputs[0], self.expected[outputs[0]], self.benchmark.expected(self.inputs), self.benchmark.tolerance)

    def call(self, function, threads):
        got = function.call(self.inputs, self.scalars, self.expected, threads)
        for name, array in got.items():
            check_same(name, array, self.expected[name])

    def check_by_pm_run(self):
        params = [f"--param={name}={value}" for name, value in self.benchmark.scalars.items()]
        options = ["--check", "--fp=strict", f"--cflags={CFLAGS['greedy']}"]
        run(["pm-run", self.benchmark.path, *options, *self.constants, *params, *self.files()])


def count_groups(folder):
    """After the pass group."""
    name = next(name for name in sorted(os.listdir(folder)) if "group" in name)
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read().count('poly.mark "group"')


def check_apart(benchmark, function, groups):
    """--strategy=all: each group but that of the output is there for one of the reasons that are expected."""
    reasons = REFUSAL.findall(function.remarks)
    if set(reasons) != set(benchmark.apart):
        raise Failure(f"stages are apart because {sorted(set(reasons))}, expected {sorted(benchmark.apart)}")
    if groups != 1 + len(reasons):
        raise Failure(f"there are {groups} groups, but {len(reasons)} stages with a reason to be apart")


def compile_one(benchmark, strategy, tile, inner, options, folder):
    more = f' size=13 machine="{MACHINE}"' if strategy == "dp" else ""
    sizes = f"sizes={tile} inner={inner}"
    passes = with_options(default_pipeline(), group=f"strategy={strategy}{more}", tile=sizes)
    options = ["--fp=strict", f"--pass-pipeline={passes}", *options]
    if strategy != "all" or inner:
        return Compiled(benchmark.path, f"{folder}/{strategy}-{tile}-{inner}.so", options)
    dump = f"{folder}/dump-{tile}"
    function = Compiled(benchmark.path, f"{folder}/all-{tile}.so", [*options, "--remarks", f"--dump-ir={dump}"])
    check_apart(benchmark, function, count_groups(dump))
    return function


def inner_sizes(a, strategy, tile):
    """Sizes of steps, no more than dimensions are tiled; the first, none, is one step a tile."""
    steps = a.inner if a.long or strategy == "all" else []
    return [""] + [s for s in steps if len(extents(s)) <= len(extents(tile))]


class Matrix:
    """Runs all, prints what fails, counts."""

    def __init__(self, arguments):
        self.a = arguments
        self.benchmark = BENCHMARKS[arguments.name]
        self.calls = self.failures = 0

    def guarded(self, what, action):
        try:
            return action()
        except Failure as failure:
            print(f"{self.a.name} {what}: {failure}")
            self.failures += 1
            return None

    def run_sizes(self, sizes, constants, folder):
        """Sizes with the same constants of the program."""
        functions = {}
        for strategy, tile in itertools.product(self.a.strategies, self.a.tiles):
            options = [f"--cflags={self.a.cflags or CFLAGS[strategy]}", *constants]
            for inner in inner_sizes(self.a, strategy, tile):
                what = f"{strategy} {tile} {inner}".strip()
                functions[what] = self.guarded(
                    what, lambda: compile_one(self.benchmark, strategy, tile, inner, options, folder))
        for size in sizes:
            self.guarded(size, lambda: self.run_size(size, constants, functions))

    def run_size(self, size, constants, functions):
        with tempfile.TemporaryDirectory() as folder:
            problem = Problem(self.benchmark, size, constants, folder)
            problem.interpret(next(f for f in functions.values() if f).outputs())
            for (what, function), threads in itertools.product(functions.items(), self.a.threads):
                if function:
                    self.guarded(f"{size} {what} {threads} threads", lambda: problem.call(function, threads))
                    self.calls += 1
            if size == self.a.sizes[-1]:
                problem.check_by_pm_run()

    def run(self):
        by_constants = {}
        for size in self.a.sizes:
            constants = self.benchmark.constants_for(*extents(size))
            by_constants.setdefault(tuple(f"--const={n}={v}" for n, v in constants.items()), []).append(size)
        for constants, sizes in by_constants.items():
            with tempfile.TemporaryDirectory() as folder:
                self.run_sizes(sizes, constants, folder)
        print(f"{self.a.name}: {self.calls} calls, {self.failures} failures")
        return self.failures == 0


def arguments():
    comma = lambda text: text.split(",")
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=BENCHMARKS)
    parser.add_argument("--strategies", type=comma)
    parser.add_argument("--sizes", type=comma)
    parser.add_argument("--tiles", type=comma)
    parser.add_argument("--inner", type=comma)
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2])
    parser.add_argument("--cflags")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--brief", action="store_true")
    a = parser.parse_args()
    benchmark = BENCHMARKS[a.name]
    a.strategies = a.strategies or (["greedy"] if a.brief else list(CFLAGS) if a.long else USUAL)
    a.sizes = a.sizes or list(dict.fromkeys([benchmark.tiny, benchmark.small] + ([] if a.brief else [benchmark.odd])))
    a.tiles = a.tiles or [benchmark.tile] + (["8x64"] if a.long else [])
    a.inner = a.inner or (["1", "3x5"] if a.long else ["1"])
    a.cflags = a.cflags or ("-O3 -march=native -fopenmp" if a.long else None)
    return a


if __name__ == "__main__":
    sys.exit(0 if Matrix(arguments()).run() else 1)
