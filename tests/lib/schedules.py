"""A program under every strategy of grouping and every tiling: loops, step by step, against its definition, bit by bit.

  schedules.py PROGRAM [OPTION-OF-PM-TRANSLATE…] --sizes R=1,C=1 R=9,C=17 [--tiles 4x8,…] [--long]
The strategies and tilings are those of matrix.py: every strategy in overlapped tiles, the largest groups in tiles of every
kind; with --long all strategies in all. Sizes are of one call each; a tile's sizes are those of the last dimensions.
"""
import argparse
import itertools
import os
import sys
import tempfile

from compiled import Failure, run
from matrix import STRATEGIES, TILINGS, extents, machine_of
from pipeline_text import default_pipeline, with_options


def passes_of(strategy, tiling, tile):
    t = TILINGS[tiling]
    inner = "x".join(t.inner.split("x")[: len(extents(tile))])
    return with_options(default_pipeline(), group=STRATEGIES[strategy], tile=f"sizes={tile} inner={inner} {t.options}".strip())


def lower(path, strategy, tiling, tile, lowered):
    """Once for all sizes: what the passes make depends on no call."""
    pipeline = passes_of(strategy, tiling, tile)
    run(["pm-opt", path, *machine_of(strategy), "--size=13", "--check-kept", f"--pass-pipeline={pipeline}", "-o", lowered])


def combinations(long):
    all_of_them = itertools.product(STRATEGIES, TILINGS)
    return [(s, t) for s, t in all_of_them if long or s == "all" or t == "overlapped"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--sizes", nargs="+", required=True)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--tiles", type=lambda text: text.split(","), default=["4x8", "7x12"])
    a, options = parser.parse_known_args()
    calls = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path, lowered = (os.path.join(folder, name) for name in ("program.pmir", "lowered.pmir"))
        run(["pm-translate", a.program, "--fp=strict", *options, "--to=pmir", "-o", path])
        for (strategy, tiling), tile in itertools.product(combinations(a.long), a.tiles):
            where = f"{strategy} {tiling} {tile}"
            try:
                lower(path, strategy, tiling, tile, lowered)
                for size in a.sizes:
                    calls += 1
                    where = f"{strategy} {tiling} {tile} {size}"
                    run(["pm-interp", path, *(f"--param={p}" for p in size.split(",")), f"--compare={lowered}"])
            except Failure as failure:
                failures += 1
                print(f"{where}: {failure}")
    print(f"{calls} calls, {failures} failures")
    return 1 if failures or not calls else 0


try:
    sys.exit(main())
except Failure as failure:
    sys.exit(str(failure))
