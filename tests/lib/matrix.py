"""A benchmark pipeline, compiled with groupings and tilings, against the interpreter and numpy on problems of several sizes.

  matrix.py NAME [--strategies none,all,greedy,dp-jb,dp-roofline,device] [--tilings overlapped,cone,sliding,items,two-level,split,diamond]
            [--sizes 1x1,…] [--tiles 7x12,…] [--threads 1,2] [--cflags …] [--target NAME] [--long | --brief]
Each combination is compiled once and called for all sizes and threads, under --fp strict; every bit is compared. What
the strategy all leaves apart must be what the table says. Greedy judges the overlap by its own tile, so that it groups as
for large pictures, however small the tiles are; device groups as for a large GPU, in its tiles. The strategies dp choose their tiles for a machine with tiny caches. For the
last size pm-run --check must agree.
The sizes and the tile are the table's unless they are given; the C compiler optimizes the code of greedy only, of rows that
are not slow, unless --cflags is given. Without options these are overlapped tiles of all and greedy, and of all, which has the largest groups, row
by row (sliding). --target takes the object files of another target than C. --long takes every strategy with every tiling, one more tile, and the flags that users get, where the row
is slow only for the schedule that users get; --brief greedy alone on the two smaller sizes.
"""
import argparse
import itertools
import os
import re
import sys
import tempfile
from dataclasses import dataclass

import numpy as np

from benchmarks import BENCHMARKS
from compiled import Compiled, Failure, check_same, run
from pipeline_text import default_pipeline, with_options

MACHINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines", "tiny.json")

# Options of the pass group.
STRATEGIES = {
    "none": "strategy=none",
    "all": "strategy=all",
    "greedy": "strategy=greedy",
    "dp-jb": "strategy=dp cost=jb",
    "dp-roofline": "strategy=dp cost=roofline",
    "device": "strategy=dp cost=device",
}
# Where it is not the host.
MACHINES = {"dp-jb": MACHINE, "dp-roofline": MACHINE, "device": "gpu"}


def machine_of(strategy):
    """The option of the tools."""
    return [f"--machine={MACHINES[strategy]}"] if strategy in MACHINES else []


@dataclass(frozen=True)
class Tiling:
    """Options of the pass tile, beside its sizes."""

    options: str = ""
    inner: str = ""  # steps of a tile, of no more dimensions than are tiled


TILINGS = {
    "overlapped": Tiling(),
    "cone": Tiling("shape=cone"),
    "sliding": Tiling(inner="1"),
    "items": Tiling("worker=item", inner="1"),
    "two-level": Tiling(inner="3x5"),
    "split": Tiling("shape=split"),
    "diamond": Tiling("shape=diamond"),
}
USUAL = [("all", "overlapped"), ("all", "sliding"), ("greedy", "overlapped")]
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

    def check_by_pm_run(self, target):
        params = [f"--param={name}={value}" for name, value in self.benchmark.scalars.items()]
        how = [] if target == "llvm" else ["--cflags=-O0 -fopenmp"]
        options = ["--check", "--fp=strict", *how, *([f"--target={target}"] if target else [])]
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


def passes_of(strategy, tiling, tile, target):
    """Options of pmc: the default pipeline, or that of the target, with these groups and tiles."""
    t = TILINGS[tiling]
    inner = "x".join(t.inner.split("x")[: len(extents(tile))])
    tiles = " ".join([f"sizes={tile}", *([f"inner={inner}"] if inner else []), *([t.options] if t.options else [])])
    if target:
        options = {"group": STRATEGIES[strategy], "tile": tiles}
        if target == "opencl":  # a simulated device takes its time for thousands of partial results
            options["rfactor"] = "partials=64"
        sets = [f"--set={name}{{{option}}}" for name, all_of in options.items() for option in all_of.split()]
        return [*machine_of(strategy), *sets]
    return [*machine_of(strategy), f"--pass-pipeline={with_options(default_pipeline(), group=STRATEGIES[strategy], tile=tiles)}"]


def compile_one(benchmark, strategy, tiling, tile, options, folder, target):
    options = ["--fp=strict", *passes_of(strategy, tiling, tile, target), *options]
    path = f"{folder}/{strategy}-{tiling}-{tile}"
    if (strategy, tiling) != ("all", "overlapped"):
        return Compiled(benchmark.path, f"{path}.so", options, target)
    function = Compiled(benchmark.path, f"{path}.so", [*options, "--remarks=all", f"--dump-ir={path}"], target)
    check_apart(benchmark, function, count_groups(path))
    return function


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

    def cflags_for(self, strategy, tiling):
        if self.a.cflags:
            return self.a.cflags
        if self.a.long and (not self.benchmark.slow or (strategy, tiling) == ("dp-roofline", "overlapped")):
            return "-O3 -march=native -fopenmp"
        return "-Og -fopenmp" if strategy == "greedy" and not self.benchmark.slow else "-O0 -fopenmp"

    def run_sizes(self, sizes, constants, folder):
        """Sizes with the same constants of the program."""
        functions = {}
        for (strategy, tiling), tile in itertools.product(self.a.combinations, self.a.tiles):
            what = f"{strategy} {tiling} {tile}"
            flags = [] if self.a.target else [f"--cflags={self.cflags_for(strategy, tiling)}"]
            parallel = [f"--parallel={self.a.parallel}"] if self.a.parallel else []
            options = [*flags, *parallel, *constants]
            functions[what] = self.guarded(
                what, lambda: compile_one(self.benchmark, strategy, tiling, tile, options, folder, self.a.target))
        for size in sizes:
            self.guarded(size, lambda: self.run_size(size, constants, functions))

    def run_size(self, size, constants, functions):
        with tempfile.TemporaryDirectory() as folder:
            if not any(functions.values()):
                return
            problem = Problem(self.benchmark, size, constants, folder)
            problem.interpret(next(f for f in functions.values() if f).outputs())
            for (what, function), threads in itertools.product(functions.items(), self.a.threads):
                if function:
                    self.guarded(f"{size} {what} {threads} threads", lambda: problem.call(function, threads))
                    self.calls += 1
            if size == self.a.sizes[-1]:
                problem.check_by_pm_run(self.a.target)

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


def combinations_of(a):
    if a.brief:
        return [("greedy", "overlapped")]
    if not (a.strategies or a.tilings or a.long):
        return USUAL
    return list(itertools.product(a.strategies or STRATEGIES, a.tilings or (TILINGS if a.long else ["overlapped"])))


def arguments():
    comma = lambda text: text.split(",")
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=BENCHMARKS)
    parser.add_argument("--strategies", type=comma)
    parser.add_argument("--tilings", type=comma)
    parser.add_argument("--sizes", type=comma)
    parser.add_argument("--tiles", type=comma)
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2])
    parser.add_argument("--cflags")
    parser.add_argument("--target")
    parser.add_argument("--parallel")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--brief", action="store_true")
    a = parser.parse_args()
    benchmark = BENCHMARKS[a.name]
    a.combinations = combinations_of(a)
    a.sizes = a.sizes or list(dict.fromkeys([benchmark.tiny, benchmark.small] + ([] if a.brief else [benchmark.odd])))
    a.tiles = a.tiles or [benchmark.tile] + (["8x64"] if a.long else [])
    return a


if __name__ == "__main__":
    sys.exit(0 if Matrix(arguments()).run() else 1)
