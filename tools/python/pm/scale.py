"""Pictures larger than memory: from stores to stores, tile by tile, by several processes (docs/scale.md)."""
import os

from pm import _pm, plans, stores
from pm import workers as workers_of
from pm.explanation import Explanation, Halo, PartCost
from pm.runs import Report, Run

__all__ = ["Explanation", "Halo", "PartCost", "Report", "explain", "run"]


@_pm.boundary
def run(pipeline, inputs, outputs, *, tile=None, memory=None, workers=None, client=None, resume=True, overwrite=False, progress=None,
        steps=None, iterates=None, **scalars):
    """Computes the outputs from the inputs, tile by tile, and writes them: run(f, "in.zarr", "out.zarr", memory="4GB").

    inputs and outputs are paths, .zarr, .tif, .npy, or arrays of inputs; several are dicts by name. Scalars are given by
    name.

    tile: the side of a tile, or one number for each axis, -1: all of it. None: the one that costs least of those that
        memory allows.
    memory: bytes of all workers together, as 4GB. None: half of what is available now.
    workers: how many processes of this machine there may be. None: one for each processor. There are fewer where
        memory is not enough for them.
    client: a distributed.Client, whose workers compute in place of processes.
    resume: what an earlier run of the same has written is not computed again. False: it is, whatever run it was.
    overwrite: begin anew, also over an output that no run began, which is refused otherwise.
    progress: True: a line on a terminal. A function is called with the tiles done and all tiles.
    steps, iterates: pipeline is a function that gives the program of k steps, lambda k: pm.load("jacobi.py",
        const={"T": k}). It is applied until there are so many steps, as few times as tiles allow. iterates names the input
        that is the output of the steps before.

    It returns a Report. It raises ArgumentError, DTypeError or ShapeError before anything is written, CompileError of the
    program, and OSError or ExecutionError when a tile fails three times. What is done stays: the same call goes on.
    """
    if outputs is None:
        raise TypeError("the outputs are not given")
    with workers_of.Progress(progress) as line:
        limits = plans.Limits.of(tile, memory, workers, client)
        plan = plans.Plan(pipeline, inputs, outputs, scalars, limits, steps, iterates, resume and not overwrite, line.say)
        return Run(plan, resume, overwrite, line).go()


@_pm.boundary
def explain(pipeline, inputs, outputs=None, *, tile=None, memory=None, workers=None, client=None, overwrite=False, steps=None, iterates=None,
            measure=True, **scalars):
    """What such a run would do and cost: explain(f, (10**5, 10**5), memory="4GB"). Nothing is written.

    Arguments are those of run. Instead of inputs there may be shapes, or what has one; without outputs tiles may have any
    size. With measure some points of a tile of each part are computed, of random inputs.
    """
    known = {name: _known(of) for name, of in inputs.items()} if isinstance(inputs, dict) else _known(inputs)
    with workers_of.Progress(False) as line:
        limits = plans.Limits.of(tile, memory, workers, client)
        plan = plans.Plan(pipeline, known, outputs, scalars, limits, steps, iterates, not overwrite, line.say)
        if plan.paths and all(array.store is not None for array in plan.given.values()):
            Run(plan, True, overwrite, line).check()
        return Explanation(plan, measure)


def _known(of):
    """An array of that shape, or of what has one; a path is one that is there."""
    if isinstance(of, (str, os.PathLike, stores.Mapped)):
        return of
    shape = getattr(of, "shape", of)
    return stores.Array(None, (shape,) if isinstance(shape, int) else tuple(shape), getattr(of, "dtype", None))
