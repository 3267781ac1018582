"""What a run over tiles will do, known before it begins: its parts in order, their tiles and their memory (docs/scale.md)."""
import dataclasses
import hashlib
import math
import operator
import os

import numpy

from pm import _pm, errors, splits, stores, tiles, workers
from pm.manifest import Manifest, folder_of
from pm.pipeline import _options

PROCESS = 120_000_000  # bytes that a worker takes before its first tile
WORDS_OF_REGIONS = {"origin", "shape", "threads"}
WORDS_OF_RUNS = {"pipeline", "inputs", "outputs", "tile", "memory", "workers", "client", "resume", "overwrite", "progress", "steps", "iterates",
                 "measure"}
MOST_STEPS = 32  # of a program: compiling more takes longer than it saves


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a run may take, as its caller has said."""

    tile: object  # None: as large as memory allows
    memory: int  # bytes, of all workers together
    workers: int  # at most
    client: object = None  # of Dask; None: processes

    @classmethod
    def of(cls, tile, memory, given_workers, client):
        if client and given_workers is not None:
            raise errors.ArgumentError("workers= are processes of this machine, and client= has its own: give one of them")
        most = workers.slots(client) if client else workers.processes(given_workers)
        taken = tiles.number_of_bytes(memory) if memory is not None else workers.available_memory(client)
        return cls(tile, taken, most, client)


@dataclasses.dataclass(frozen=True)
class Part:
    """A program over a grid of tiles. All its outputs have one shape."""

    problem: tiles.Problem
    arrays: dict  # stores.Array of each input and output
    tile: tuple
    workers: int  # that memory allows
    memory: int  # bytes that they take together, at most
    sums: splits.Split | None = None  # whose results of tiles are the outputs
    steps: int | None = None  # of an iteration

    @property
    def grid(self):
        return self.problem.grid(self.tile)

    @property
    def points(self):
        """Of its outputs."""
        return math.prod(self.problem.shape)

    @property
    def outputs(self):
        return {name: self.arrays[name] for name in self.problem.outputs}

    @property
    def inputs(self):
        return {name: self.arrays[name] for name in self.problem.shapes}


class Plan:
    """Of a pipeline, or with steps of a function that makes one of so many. inputs are stores, and outputs paths or None.
    Of a run that goes on the tiles are what an earlier plan has kept."""

    def __init__(self, pipeline, inputs, outputs, scalars, limits, steps=None, iterates=None, goes_on=False,
                 say=lambda text: None):
        check_pipeline(pipeline, steps, iterates)
        self.limits, self._say = limits, say
        self._make, self._programs = pipeline if steps else lambda n: pipeline, {}
        one = self.pipeline = self._program(1)
        check_names(one)
        self.given = given_arrays(one, inputs)
        self.paths = _paths(outputs, one)
        _check_apart(self.given, self.paths)
        self.scalars = dict(scalars)
        self.folder = folder_of(next(iter(self.paths.values()), ""))
        self._before = goes_on and Manifest(self.folder).plan() or {}
        self.parts, self.steps = [], None
        if steps:
            self.steps = (steps, self._plan_steps(steps, iterates))
        else:
            self._add(one, self.given, self.paths)

    @property
    def outputs(self):
        """Those of the program, as arrays."""
        return {name: array for part in self.parts for name, array in part.outputs.items() if self.paths.get(name) == array.path}

    def identity(self):
        """What must be the same for a run to go on with what another one has computed."""
        return {"version": _pm.version, "program": program_of(self.pipeline), "scalars": {n: repr(v) for n, v in self.scalars.items()},
                "inputs": {name: array.identity() for name, array in self.given.items()}, "outputs": self.paths,
                "steps": self.steps and list(self.steps),
                "parts": [{"shape": list(part.problem.shape), "tile": list(part.tile)} for part in self.parts]}

    # --- parts ---

    def _program(self, steps):
        if steps not in self._programs:
            self._say(f"compiling the program of {steps} steps" if steps > 1 else "compiling")
            self._programs[steps] = splits.alone(self._make(steps))
        return self._programs[steps]

    def _add(self, pipeline, given, paths):
        """Outputs of several shapes one shape after the other, each behind what it needs of the whole picture."""
        for problem in splits.problems(pipeline, {name: array.shape for name, array in given.items()}, self.scalars):
            levels, problem = splits.levels(problem)
            given = dict(given)
            for sums, partials in levels:
                folder = os.path.join(self.folder, f"sums-{len(self.parts)}")
                for partial in partials:
                    mine = {name: os.path.join(folder, f"{name}.npy") for name in partial.outputs}
                    self.parts.append(self._part(partial, given, mine, None, sums))
                    for name in mine:
                        given[sums.sum_of(name)] = stores.Array(os.path.join(folder, f"{sums.sum_of(name)}.npy"), *sums.shape_of(name))
            self.parts.append(self._part(problem, given, paths, self.limits.tile))

    def _part(self, problem, given, paths, tile, sums=None):
        arrays = {name: given[name] for name in problem.shapes}
        kept = self._before.get("parts", [])[len(self.parts) : len(self.parts) + 1]
        if tile is None and kept and kept[0]["shape"] == list(problem.shape):
            tile = kept[0]["tile"]
        if tile is not None:
            tile = _whole_tile(problem, tile)
        chunk = _chunk_like(problem, arrays)
        outputs = {name: stores.planned(paths.get(name), problem.shape, problem.dtypes[name], chunk, tile) for name in problem.outputs}
        arrays.update(outputs)
        unit = _common([array.unit for array in outputs.values()], problem.shape)
        if tile is not None:
            tile = _checked_tile(problem, tile, unit, outputs)
        tile, n = _chosen(problem, unit, arrays, self.limits) if tile is None else (tile, _workers_for(problem, tile, arrays, self.limits))
        return Part(problem, arrays, tile, n, n * (PROCESS + problem.largest(tile, arrays)), sums)

    # --- steps ---

    def _plan_steps(self, steps, iterates):
        """Passes over two stores in turn, the last one into the output; how many steps they have."""
        if steps > 1:
            check_steps(self.pipeline, self._program(2))
        name = iterated(self.pipeline, iterates)
        ((output, path),) = self.paths.items() or ((self.pipeline.outputs[0].name, None),)
        k = self._steps_at_a_time(steps)
        given = dict(self.given)
        passes = in_passes(steps, k)
        for number, n in enumerate(passes):
            last = number + 1 == len(passes)
            written = path if last or path is None else os.path.join(self.folder, f"{number % 2}{os.path.splitext(path)[1]}")
            self._add(self._program(n), given, {output: written} if written else {})
            self.parts[-1] = dataclasses.replace(self.parts[-1], steps=n)
            given[name] = self.parts[-1].arrays[output]
        return k

    def _steps_at_a_time(self, steps):
        if (self._before.get("steps") or [0])[0] == steps:
            return self._before["steps"][1]

        def read_again(k):
            self.parts = []
            self._add(self._program(k), self.given, self.paths)
            tried, self.parts = self.parts[-1], []
            return tried.problem.read_again(tried.tile)

        return steps_at_a_time(steps, read_again)


def steps_at_a_time(steps, read_again):
    """The most, in powers of two, with which tiles read at most a half more than their own; read_again tells that of so many."""
    k = 1
    while 2 * k <= min(steps, MOST_STEPS) and read_again(2 * k) <= 1.5:
        k *= 2
    return k


def check_steps(one, two):
    if one.ir("") == two.ir(""):
        raise errors.ArgumentError(f"{one.name} is the same program for 1 and 2 steps: which constant is their number?")


def in_passes(steps, k):
    return [k] * (steps // k) + [steps % k] * (steps % k > 0)


def check_pipeline(pipeline, steps, iterates):
    """With steps it is a function of how many."""
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 1 or not callable(pipeline) or hasattr(pipeline, "inputs")):
        raise errors.ArgumentError(f"steps is {steps!r}; it should be a number from 1 on, with a function of it in place of a pipeline: "
                                   'lambda k: pm.load("jacobi.py", const={"T": k})')
    if steps is None and iterates is not None:
        raise errors.ArgumentError("iterates= is for steps=, which are not given")
    if steps is None and not hasattr(pipeline, "inputs"):
        raise TypeError(f"{pipeline!r} is no pipeline: pm.load and pm.compile give one")


def iterated(pipeline, name):
    """The input that is the output of the steps before."""
    if len(pipeline.outputs) != 1:
        raise errors.ArgumentError(f"steps are of programs of one output; {pipeline.name} has {', '.join(p.name for p in pipeline.outputs)}")
    (output,) = pipeline.outputs
    alike = [p.name for p in pipeline.inputs if (p.dtype, p.extents) == (output.dtype, output.extents)]
    if name is None and len(alike) == 1 or name in alike:
        return name or alike[0]
    if name is not None:
        raise errors.ArgumentError(f"{name} is no input like {output.annotation}, of which steps could be made: {' or '.join(alike) or 'there is none'}")
    raise errors.ArgumentError(f"iterates= should name the input that is {output.annotation} of the steps before: "
                               f"{' or '.join(alike) or 'there is none of that type and shape'}")


# --- arguments ---


def check_names(pipeline):
    """Arrays and scalars are keywords beside those of a region."""
    for p in pipeline.parameters:
        if p.name in WORDS_OF_REGIONS or p.kind == "scalar" and p.name not in pipeline._sizes and p.name in WORDS_OF_RUNS:
            raise errors.ArgumentError(f"{pipeline.name} has a parameter {p.name}, which is a word of the call: give it another name")


def by_name(given, parameters, word):
    if not isinstance(given, dict):
        if len(parameters) != 1:
            raise TypeError(f"several {word}s are a dict: {{{', '.join(f'{p.name!r}: …' for p in parameters)}}}")
        given = {parameters[0].name: given}
    unknown = [name for name in given if name not in [p.name for p in parameters]]
    if unknown:
        raise TypeError(f"there is no {word} {unknown[0]!r}; there is {', '.join(p.name for p in parameters)}")
    missing = [p.name for p in parameters if p.name not in given]
    if missing:
        raise TypeError(f"the {word} {missing[0]!r} is not given")
    return {p.name: given[p.name] for p in parameters}


def given_arrays(pipeline, inputs):
    """The inputs by name, which are what the program says."""
    given = by_name(inputs, pipeline.inputs, "input")
    return {p.name: _as_declared(p, stores.array_of(given[p.name])) for p in pipeline.inputs}


def _as_declared(parameter, array):
    if array.dtype is None:  # of a shape
        array = dataclasses.replace(array, dtype=numpy.dtype(parameter.dtype))
    place = f" in {array}" if array.store is not None else ""
    if array.dtype != parameter.dtype:
        raise errors.DTypeError(f"{parameter.name} is {array.dtype}{place}; {parameter.annotation}. Convert the store, or declare its type in "
                                "the program")
    if len(array.shape) != len(parameter.extents):
        raise errors.ShapeError(f"{parameter.name} has the shape {array.shape}{place}; {parameter.annotation}")
    return array


def _paths(outputs, pipeline):
    if outputs is None:
        return {}
    given = {name: os.fspath(path) if isinstance(path, os.PathLike) else path for name, path in by_name(outputs, pipeline.outputs, "output").items()}
    for name, path in given.items():
        if not isinstance(path, str) or "://" in path:
            raise errors.ArgumentError(f"{name} is written to a path of files that all workers see, not to {stores.name_of(path)}")
    return {name: os.path.realpath(path) for name, path in given.items()}


def _check_apart(inputs, outputs):
    for name, path in outputs.items():
        for other, array in inputs.items():
            if array.path and stores.same(path, array.path):
                raise errors.ArgumentError(f"{name} cannot be written to {path!r}, which {other} is read from")
        for other, of_other in outputs.items():
            if other < name and stores.same(path, of_other):
                raise errors.ArgumentError(f"{other} and {name} are both written to {path!r}")


def program_of(pipeline):
    """A hash of its text, its language and the options that values may depend on."""
    text = pipeline._text if isinstance(pipeline._text, bytes) else pipeline._text.encode()
    options = {name: value for name, value in _options(pipeline._given).items() if name not in ("cache", "threads", "parallel")}
    return hashlib.sha256(repr((text, os.path.splitext(pipeline._filename)[1], sorted(options.items()))).encode()).hexdigest()


# --- tiles ---


def _chunk_like(problem, arrays):
    """Of an output that is made: as those of the first input that has some, along axes of the same parameters."""
    side = stores.CHUNK if len(problem.tiled) < 3 else stores.CHUNK_OF_VOLUMES
    chunk = [min(side, n) if axis in problem.tiled else n for axis, n in enumerate(problem.shape)]
    for p in problem.pipeline.inputs:
        grain = arrays[p.name].grain
        axes = [problem.axis_like(p.extents, axis) for axis in range(len(p.extents))]
        if grain and set(problem.tiled) <= set(axes):
            like = [min(grain[axes.index(axis)], n) if axis in problem.tiled else n for axis, n in enumerate(problem.shape)]
            return tuple(like if stores.LEAST_CHUNK <= math.prod(like) <= stores.MOST_CHUNK else chunk)
    return tuple(chunk)


def _common(units, shape):
    """The least box that has whole ones of all."""
    return tuple(min(math.lcm(*(min(unit[axis], n) for unit in units)), n) if n else 1 for axis, n in enumerate(shape))


def _whole_tile(problem, tile):
    """A number is for all axes that grow with the picture."""
    try:
        tile = tuple(map(operator.index, tile)) if isinstance(tile, (tuple, list)) else operator.index(tile)
    except TypeError:
        tile = 0
    if isinstance(tile, int):
        tile = tuple(tile if axis in problem.tiled else n or -1 for axis, n in enumerate(problem.shape))
    if len(tile) != len(problem.shape):
        raise errors.ArgumentError(f"tile= has {len(tile)} numbers; {problem.outputs[0]} has {len(problem.shape)} axes")
    if any(t == 0 or t < -1 for t in tile):
        raise errors.ArgumentError("tile= should be a number from 1 on, or one for each axis, -1: all of it")
    return tuple(min(t, n) if t > 0 else n for t, n in zip(tile, problem.shape))


def _checked_tile(problem, tile, unit, outputs):
    """A tile that is given: a multiple of the unit."""
    next_one = tuple(n if t >= n else -(-t // u) * u for t, u, n in zip(tile, unit, problem.shape))
    if next_one != tile:
        raise errors.ArgumentError(f"a tile of {tiles.times(tile)} is no multiple of what {next(iter(outputs.values()))} writes at a time, "
                                   f"{tiles.times(unit)}: neighbours would overwrite each other. The next is tile={next_one}")
    whole, why = problem.joined
    if any(tile[axis] < problem.shape[axis] for axis in whole):
        raise errors.ArgumentError(f"{why}, so that tiles would repeat each other's work: tile= should be -1 along "
                                   f"{tiles.axes_of(whole)}{problem.or_else}")
    return tile


def _chosen(problem, unit, arrays, limits):
    """The tile, and how many workers: as many as may be, if memory is enough for them."""
    least = problem.sized(1, unit)
    taken = PROCESS + problem.largest(least, arrays)
    if taken > limits.memory:
        raise errors.ArgumentError(f"{problem.because}a tile of {tiles.times(least)} takes {tiles.in_bytes(taken)} with its worker, and memory is "
                                   f"{tiles.in_bytes(limits.memory)}: give more memory={problem.or_else}")
    n = limits.workers
    while not (tile := problem.choose(limits.memory // n - PROCESS, unit, n, arrays)):
        if n == 1:
            raise errors.ArgumentError(f"tiles that {tiles.in_bytes(limits.memory)} allow read more than {tiles.MOST_AGAIN} times what is there: "
                                       "give more memory=")
        n = -(-n // 2)
    return tile, n


def _workers_for(problem, tile, arrays, limits):
    """How many may compute such tiles at a time."""
    taken = PROCESS + problem.largest(tile, arrays)
    if taken > limits.memory:
        raise errors.ArgumentError(f"a tile of {tiles.times(tile)} takes {tiles.in_bytes(taken)} with its worker, and memory is "
                                   f"{tiles.in_bytes(limits.memory)}: give more memory=, or a smaller tile=")
    return min(limits.workers, limits.memory // taken)
