"""Pictures larger than memory: from stores to stores, tile by tile, by several processes (docs/scale.md)."""
import dataclasses
import hashlib
import json
import operator
import os
import shutil
import sys
import time
import uuid

from pm import _pm, errors, splits, stores, tiles, workers
from pm.pipeline import _options

__all__ = ["Explanation", "Halo", "Report", "explain", "main", "run"]

AT_A_TIME = 4096  # results of tiles that are combined
PROCESS = 120_000_000  # bytes that a worker takes before its first tile


@dataclasses.dataclass(frozen=True)
class Report:
    """What a run did."""

    tiles: int
    computed: int  # in this run; the others were there
    tile: tuple
    workers: int
    memory: int  # bytes, of all workers at a time, at most
    seconds: float

    def __str__(self):
        if not self.computed:
            return "all of it was there"
        there = f", {self.tiles - self.computed} were there" if self.computed < self.tiles else ""
        return (f"{self.computed} of {self.tiles} tiles of {'x'.join(map(str, self.tile))} in {self.seconds:.1f} s{there}; {self.workers} "
                f"workers in at most {tiles.in_bytes(self.memory)}")


# --- what is to be done ---


@dataclasses.dataclass(frozen=True)
class Job:
    """What a worker needs: it is pickled once."""

    pipeline: object
    inputs: dict
    outputs: dict
    scalars: dict
    tile: tuple
    manifest: str  # the folder
    run: str  # that has begun it


class Opened:
    """A job in a process: its stores and its program."""

    def __init__(self, job):
        self.job = job
        self.inputs = {name: stores.open_to_read(store) for name, store in job.inputs.items()}
        self.outputs = {name: stores.open_to_write(store) for name, store in job.outputs.items()}
        self.problem = tiles.Problem(job.pipeline, {name: store.shape for name, store in self.inputs.items()}, job.scalars)
        self.grid = self.problem.grid(job.tile)
        self.marks = os.open(os.path.join(job.manifest, "tiles"), os.O_WRONLY)

    def compute(self, number):
        """Reads, computes and writes a tile. It is marked when all of it is there. Another run of the same output ends it."""
        box = self.grid[number]
        needed = self.problem.windows(box)
        windows = {name: self.inputs[name].read(window) for name, window in needed.items()}
        origins = {name: tiles.low(window) for name, window in needed.items()}
        results = self.problem.compute(box, windows, origins, threads=1)
        del windows
        if (Manifest(self.job.manifest).plan() or {}).get("run") != self.job.run:
            raise errors.ArgumentError(f"another run has begun in '{self.job.manifest}'")
        for name, values in zip(self.problem.outputs, results):
            self.outputs[name].write(box, values)
        if os.pwrite(self.marks, b"\1", number) != 1:
            raise OSError(f"cannot write '{self.job.manifest}'")

    def close(self):
        os.close(self.marks)


# --- manifests ---


class Manifest:
    """Which tiles are there: a folder beside the first output, with a byte for each tile, that whoever has written the
    tile sets afterwards."""

    def __init__(self, folder):
        self.folder = folder
        self._plan, self._tiles = os.path.join(folder, "plan.json"), os.path.join(folder, "tiles")

    def plan(self):
        """Of the run that began it, or None."""
        try:
            with open(self._plan) as file:
                return json.load(file)
        except (FileNotFoundError, ValueError):
            return None

    def begin(self, plan, n):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        with open(self._tiles, "wb") as file:
            file.write(bytes(n))
        self.keep(plan)

    def keep(self, plan):
        """In one step."""
        os.makedirs(self.folder, exist_ok=True)
        with open(self._plan + ".new", "w") as file:
            json.dump(plan, file, indent=1)
        os.rename(self._plan + ".new", self._plan)

    def missing(self, n):
        """Numbers of tiles; all n where the file is not whole."""
        try:
            with open(self._tiles, "rb") as file:
                marks = file.read()
        except FileNotFoundError:
            marks = b""
        if len(marks) == n:
            return [number for number, mark in enumerate(marks) if not mark]
        with open(self._tiles, "wb") as file:
            file.write(bytes(n))
        return list(range(n))


def program_of(pipeline):
    """A hash of its text, its language and the options that values may depend on."""
    text = pipeline._text if isinstance(pipeline._text, bytes) else pipeline._text.encode()
    options = {name: value for name, value in _options(pipeline._given).items() if name not in ("cache", "threads", "parallel")}
    return hashlib.sha256(repr((text, os.path.splitext(pipeline._filename)[1], sorted(options.items()))).encode()).hexdigest()


def _plan_of(job, problem, opened):
    return {"version": _pm.version, "program": program_of(job.pipeline), "scalars": {name: repr(value) for name, value in job.scalars.items()},
            "tile": list(job.tile), "inputs": {name: store.identity() for name, store in opened.items()},
            "outputs": {name: os.path.abspath(path) for name, path in job.outputs.items()}, "shape": list(problem.shape)}


_WORDS = {"version": "another version of pm", "program": "another program", "scalars": "other scalars", "tile": "another tile",
          "inputs": "other inputs, or they have changed", "outputs": "other outputs", "shape": "other shapes"}


def _difference(plan, other):
    return next((_WORDS[name] for name in _WORDS if plan.get(name) != other.get(name)), None)


# --- arguments ---


def _by_name(given, parameters, word):
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
    return {name: stores.named(store) for name, store in given.items()}


def _opened(pipeline, given):
    """The stores of the inputs, which are what the program says."""
    opened = {p.name: stores.open_to_read(given[p.name]) for p in pipeline.inputs}
    for p in pipeline.inputs:
        if opened[p.name].dtype != p.dtype:
            raise errors.DTypeError(f"{p.name} is {opened[p.name].dtype} in {stores.name_of(given[p.name])}; {p.annotation}. Convert the "
                                    "store, or declare its type in the program")
        if len(opened[p.name].shape) != len(p.extents):
            raise errors.ShapeError(f"{p.name} has the shape {opened[p.name].shape} in {stores.name_of(given[p.name])}; {p.annotation}")
    return opened


def _check_apart(inputs, outputs):
    paths = {name: stores.path_of(store) for name, store in inputs.items()}
    for name, path in outputs.items():
        for other, of_other in paths.items():
            if of_other and stores.same(path, of_other):
                raise errors.ArgumentError(f"{name} cannot be written to {path!r}, which {other} is read from")
        for other, of_other in outputs.items():
            if other < name and stores.same(path, of_other):
                raise errors.ArgumentError(f"{other} and {name} are both written to {path!r}")


def _units_of(problem, outputs, tile):
    """What is written at a time of each output: that of the array which is there, or what it is made with."""
    there = {path: _existing(path, problem, outputs) for path in outputs.values()}
    return {path: store.unit if store else stores.unit_for(path, problem.shape, problem.tiled, tile) for path, store in there.items()}


def _common(units, shape):
    """The least box that has whole ones of all."""
    from math import lcm

    return tuple(min(lcm(*(min(unit[axis], n) for unit in units)), n) if n else 1 for axis, n in enumerate(shape))


def _existing(path, problem, outputs):
    """The array that is there, if it is as the output should be."""
    if not os.path.exists(path):
        return None
    name = next(n for n, p in outputs.items() if p == path)
    try:
        store = stores.open_to_write(path)
    except errors.Error:
        return None
    return store if store.shape == problem.shape and store.dtype == problem.dtypes[name] else None


def _per_tile(memory, slots):
    """What a tile may take."""
    if memory <= slots * PROCESS:
        raise errors.ArgumentError(f"{slots} workers take {tiles.in_bytes(slots * PROCESS)} before their first tile, and memory is "
                                   f"{tiles.in_bytes(memory)}: give more memory=, or fewer workers")
    return memory // slots - PROCESS


def _whole_tile(problem, tile):
    """A number is for all axes that grow with the picture."""
    try:
        tile = tuple(map(operator.index, tile)) if isinstance(tile, (tuple, list)) else operator.index(tile)
    except TypeError:
        raise errors.ArgumentError(f"tile is {tile!r}; it should be a number, or one for each axis") from None
    if isinstance(tile, int):
        tile = tuple(tile if axis in problem.tiled else n for axis, n in enumerate(problem.shape))
    if len(tile) != len(problem.shape):
        raise errors.ArgumentError(f"tile= has {len(tile)} numbers; {problem.outputs[0]} has {len(problem.shape)} axes")
    return tuple(min(t, n) if t > 0 else n for t, n in zip(tile, problem.shape))


def _tile_of(problem, tile, unit, outputs):
    """A tile that is given: a multiple of the unit."""
    tile = _whole_tile(problem, tile)
    next_one = tuple(n if t >= n else -(-t // u) * u for t, u, n in zip(tile, unit, problem.shape))
    if next_one != tile:
        raise errors.ArgumentError(f"a tile of {_times(tile)} is no multiple of what {stores.name_of(next(iter(outputs.values())))} writes at a time, "
                                   f"{_times(unit)}: neighbours would overwrite each other. The next is tile={next_one}")
    whole, why = problem.joined
    if any(tile[axis] < problem.shape[axis] for axis in whole):
        raise errors.ArgumentError(f"{why}, so that tiles would repeat each other's work: tile= should be -1 along "
                                   f"{tiles.axes_of(whole)}")
    return tile


def _times(numbers):
    return "x".join(map(str, numbers))


def available_memory():
    """Half of what is available now, in bytes."""
    with open("/proc/meminfo") as file:
        lines = dict(line.split(":") for line in file)
    return int(lines["MemAvailable"].split()[0]) * 1024 // 2


# --- runs ---


@_pm.boundary
def run(pipeline, inputs, outputs, *, tile=None, memory=None, workers=None, client=None, resume=True, overwrite=False, progress=None,
        steps=None, iterates=None, **scalars):
    """Computes the outputs from the inputs, tile by tile, and writes them: run(f, "in.zarr", "out.zarr", memory="4GB").

    inputs and outputs are paths, .zarr, .tif, .npy, or arrays of inputs; several are dicts by name. tile is the side of a
    tile, or one number for each axis (-1: all of it); None: as large as memory allows, of all workers together. client is
    one of Dask's; None: workers processes of this machine. What an earlier run of the same has written is not computed
    again, unless resume=False. An output that no run began is refused, unless overwrite=True.

    With steps, pipeline is a function that gives the program of k steps, lambda k: pm.load("jacobi.py", const={"T": k}).
    It is applied until there are so many steps, as few times as tiles allow; iterates names the input that is the output
    of the steps before.
    """
    how = _How(tile, tiles.number_of_bytes(memory) if memory is not None else available_memory(), workers, client, resume, overwrite,
               progress)
    if steps is not None:
        if not isinstance(steps, int) or steps < 1 or not callable(pipeline) or hasattr(pipeline, "inputs"):
            raise errors.ArgumentError(f"steps is {steps!r}; it should be a number from 1 on, with a function of it in place of a pipeline: "
                                       'lambda k: pm.load("jacobi.py", const={"T": k})')
        return _Steps(pipeline, inputs, outputs, scalars, how, steps, iterates).go()
    if not hasattr(pipeline, "inputs"):
        raise TypeError(f"{pipeline!r} is no pipeline: pm.load and pm.compile give one")
    return _of_parts(splits.alone(pipeline), inputs, outputs, scalars, how)


@dataclasses.dataclass(frozen=True)
class _How:
    tile: object
    memory: int
    workers: int | None
    client: object
    resume: bool
    overwrite: bool
    progress: object

    @property
    def goes_on(self):
        return self.resume and not self.overwrite

    @property
    def slots(self):
        return workers.slots(self.client) if self.client else _number_of_workers(self.workers)


def _number_of_workers(given):
    if given is not None and given < 1:
        raise errors.ArgumentError(f"workers is {given}; there should be one at least")
    return given or len(os.sched_getaffinity(0))


class _Run:
    """Of one program, once. What it keeps is in a folder, beside the first output unless another one is given."""

    def __init__(self, pipeline, inputs, outputs, scalars, how, folder=None):
        self.pipeline, self.how = pipeline, how
        given = _by_name(inputs, pipeline.inputs, "input")
        self.outputs = _paths(outputs, pipeline)
        opened = _opened(pipeline, given)
        _check_apart(given, self.outputs)
        self.problem = tiles.Problem(pipeline, {name: store.shape for name, store in opened.items()}, scalars)
        self.slots = how.slots
        self.units = _units_of(self.problem, self.outputs, how.tile and _whole_tile(self.problem, how.tile))
        self.unit = _common(self.units.values(), self.problem.shape)
        self.manifest = Manifest(folder or _folder_of(self.outputs))
        self.stores = {**opened, **{name: stores.Planned(path, self.units[path], self.problem.dtypes[name]) for name, path in self.outputs.items()}}
        chosen = self._choose() if how.tile is None else _tile_of(self.problem, how.tile, self.unit, self.outputs)
        given = {name: os.path.abspath(store) if isinstance(store, str) and "://" not in store else store for name, store in given.items()}
        self.job = Job(pipeline, given, self.outputs, dict(scalars), chosen, self.manifest.folder, "")
        self.grid = self.problem.grid(chosen)
        self._begin(_plan_of(self.job, self.problem, opened))

    def _choose(self):
        """That of the run which goes on, else by the memory."""
        before = self.manifest.plan() if self.how.goes_on else None
        if before and before.get("shape") == list(self.problem.shape):
            return tuple(before["tile"])
        return self.problem.choose(_per_tile(self.how.memory, self.slots), self.unit, 4 * self.slots, self.stores)

    @property
    def taken(self):
        return self.slots * (PROCESS + self.problem.largest(self.job.tile, self.stores))

    def _begin(self, plan):
        """Goes on with a run of the same plan, whose outputs are there, or begins one. Either is a run of its own."""
        before = self.manifest.plan()
        plan = {**plan, "run": uuid.uuid4().hex}
        self.job = dataclasses.replace(self.job, run=plan["run"])
        there = [path for path in self.outputs.values() if os.path.exists(path)]
        if before and self.how.goes_on:
            difference = _difference(before, plan)
            if difference:
                raise errors.ArgumentError(f"{stores.name_of(there[0] if there else self.manifest.folder)} was begun with {difference}: "
                                           "overwrite=True begins anew")
            changed = [path for path in there if before.get("made", {}).get(path) != stores.made_as(path)
                       or before.get("finished", {}).get(path, stores.identity(path)) != stores.identity(path)]
            if changed:
                raise errors.ArgumentError(f"{stores.name_of(changed[0])} is not what the run has begun: overwrite=True begins anew")
            if len(there) == len(self.outputs):
                self.manifest.keep({**before, "run": plan["run"]})
                return
        elif there and not before and not self.how.overwrite:
            raise errors.ArgumentError(f"{stores.name_of(there[0])} is there, and no run has begun it: overwrite=True writes over it")
        for path in there:
            stores.check_replaceable(path)
        shutil.rmtree(self.manifest.folder, ignore_errors=True)
        made = {name: path for name, path in self.outputs.items() if not _existing(path, self.problem, self.outputs)}
        for name, path in made.items():
            stores.make(path, self.problem.shape, self.problem.dtypes[name], self.units[path])
        for folder in (_folder_of({name: path}) for name, path in self.outputs.items()):
            if not self.manifest.folder.startswith(folder):  # of another run
                shutil.rmtree(folder, ignore_errors=True)
        for path in made.values():
            stores.put(path)
        self.manifest.begin({**plan, "made": {path: stores.made_as(path) for path in self.outputs.values()}}, len(self.grid))

    def go(self):
        begun, missing = time.perf_counter(), self.manifest.missing(len(self.grid))
        run = workers.on_client if self.how.client else workers.on_processes
        with workers.Progress(len(self.grid), len(missing), self.problem, self.how.progress) as progress:
            run(self.job, missing, self.how.client or self.slots, progress)
        left = self.manifest.missing(len(self.grid))
        if left:
            raise errors.ExecutionError(f"{len(left)} tiles are not there, the first is {left[0]}: another run may have begun anew", 0)
        finished = {path: stores.identity(path) for path in self.outputs.values()}
        self.manifest.keep({**self.manifest.plan(), "finished": finished})
        return Report(len(self.grid), len(missing), self.job.tile, self.slots, self.taken, time.perf_counter() - begun)


def _paths(outputs, pipeline):
    given = _by_name(outputs, pipeline.outputs, "output")
    for name, path in given.items():
        if not isinstance(path, str) or "://" in path:
            raise errors.ArgumentError(f"{name} is written to a path of files that all workers see, not to {stores.name_of(path)}")
    return {name: os.path.abspath(path) for name, path in given.items()}


def _folder_of(outputs):
    return next(iter(outputs.values())).rstrip("/") + ".pm"


# --- programs in parts ---


def _of_parts(pipeline, inputs, outputs, scalars, how):
    """Outputs of several shapes one shape after the other, each behind what it needs of the whole picture."""
    given = _by_name(inputs, pipeline.inputs, "input")
    shapes = pipeline.shapes(**{name: store.shape for name, store in _opened(pipeline, given).items()}, **scalars)
    paths, groups = _paths(outputs, pipeline), splits.by_shape(pipeline, shapes)
    reports = []
    for group in groups:
        mine = {p.name: paths[p.name] for p in group.outputs}
        reports += _with_sums(group, {p.name: given[p.name] for p in group.inputs}, mine, scalars, how)
    return _joined_report(reports)


def _with_sums(pipeline, given, outputs, scalars, how):
    """Results of the whole picture first, level by level, which the rest of the program then reads as inputs."""
    folder, reports = _folder_of(outputs), []
    problem = _problem_of(pipeline, given, scalars)
    parts, _ = splits.split(problem)
    if parts and not how.goes_on:
        _check_ours(outputs, folder, how)
        shutil.rmtree(folder, ignore_errors=True)
        how = dataclasses.replace(how, overwrite=True)
    below = os.path.join(folder, "rest") if parts else folder
    while parts:
        sums = os.path.join(folder, f"sums-{len(reports)}")
        reports.append(_sums(parts, given, problem, dataclasses.replace(how, tile=None), sums))
        pipeline = parts.rest
        given = {p.name: given.get(p.name, os.path.join(sums, f"{p.name}.npy")) for p in pipeline.inputs}
        problem = _problem_of(pipeline, given, problem.scalars_of(pipeline))
        parts, _ = splits.split(problem)
    return [*reports, _Run(pipeline, given, outputs, problem.scalars, how, below).go()]


def _check_ours(outputs, folder, how):
    """An output that no run has begun is not replaced."""
    there = [path for path in outputs.values() if os.path.exists(path)]
    if there and not how.overwrite and not os.path.exists(folder):
        raise errors.ArgumentError(f"{stores.name_of(there[0])} is there, and no run has begun it: overwrite=True writes over it")


def _problem_of(pipeline, given, scalars):
    return tiles.Problem(pipeline, {name: store.shape for name, store in _opened(pipeline, given).items()}, scalars)


def _sums(parts, given, problem, how, folder):
    """Results of tiles, in files, and what they come to."""
    given = {p.name: given[p.name] for p in parts.partials.inputs}
    scalars = problem.scalars_of(parts.partials)
    shapes = parts.partials.shapes(**{name: problem.shapes[name] for name in given}, **scalars)
    reports = []
    for group in splits.by_shape(parts.partials, shapes):
        paths = {p.name: os.path.join(folder, f"{p.name}.npy") for p in group.outputs}
        reports.append(_Run(group, given, paths, scalars, dataclasses.replace(how, overwrite=False, resume=True), f"{next(iter(paths.values()))}.pm").go())
        if not all(os.path.exists(os.path.join(folder, f"{parts.sum_of(name)}.npy")) for name in paths):
            _save_sums(parts, paths, folder)
    return _joined_report(reports)


def _save_sums(parts, paths, folder):
    """In the order of tiles, some at a time."""
    import numpy

    results = {name: numpy.load(path, mmap_mode="r") for name, path in paths.items()}
    cells = {p.name: tuple(map(int, p.extents[1:])) for p in parts.combine.inputs}
    results = {name: array.reshape(-1, *cells[name]) for name, array in results.items()}
    while (n := max(map(len, results.values()))) != 1:
        made = [parts.combined({name: array[at : at + AT_A_TIME] for name, array in results.items()}) for at in range(0, max(n, 1), AT_A_TIME)]
        results = {name: numpy.stack([sums[parts.sum_of(name)] for sums in made]) for name in results}
    for name, array in results.items():
        path = os.path.join(folder, f"{parts.sum_of(name)}.npy")
        numpy.save(f"{path}.new.npy", array[0])
        os.rename(f"{path}.new.npy", path)


# --- steps ---

MOST_STEPS = 32  # of a program: compiling more takes longer than it saves


def _iterated(pipeline, name):
    """The input that is the output of the steps before."""
    (output,) = pipeline.outputs
    alike = [p.name for p in pipeline.inputs if (p.dtype, p.extents) == (output.dtype, output.extents)]
    if name is None and len(alike) == 1 or name in alike:
        return name or alike[0]
    if name is not None:
        raise errors.ArgumentError(f"{name} is no input like {output.annotation}, of which steps could be made")
    raise errors.ArgumentError(f"iterates= should name the input that is {output.annotation} of the steps before: "
                               f"{' or '.join(alike) or 'there is none of that type and shape'}")


def _steps_at_a_time(make, inputs, outputs, scalars, how, steps):
    """The most, in powers of two, with which tiles read at most a half more than their own, and the program."""
    best = None
    k = 1
    while k <= min(steps, MOST_STEPS):
        pipeline = make(k)
        given = _by_name(inputs, pipeline.inputs, "input")
        problem = tiles.Problem(pipeline, {name: store.shape for name, store in _opened(pipeline, given).items()}, scalars)
        unit = _common(_units_of(problem, _paths(outputs, pipeline), None).values(), problem.shape)
        tile = problem.choose(_per_tile(how.memory, how.slots), unit, 4 * how.slots) if how.tile is None else _whole_tile(problem, how.tile)
        if best and problem.read_again(tile) > 1.5:
            break
        best, k = k, 2 * k
    return best


class _Steps:
    """Passes over two stores in turn, the last one into the output. The folder has a plan of its own, and each pass has a
    folder in it."""

    def __init__(self, make, inputs, outputs, scalars, how, steps, iterates):
        one = make(1)
        self.how, self.scalars, self.given = how, scalars, _by_name(inputs, one.inputs, "input")
        ((self.output, self.path),) = _paths(outputs, one).items()
        self.name, self.manifest = _iterated(one, iterates), Manifest(_folder_of({self.output: self.path}))
        opened = _opened(one, self.given)
        self.plan = {"program": program_of(one), "steps": steps, "inputs": {name: store.identity() for name, store in opened.items()},
                     "scalars": {name: repr(value) for name, value in scalars.items()}}
        before = self._before()
        self.is_done = before.get("done", False) and os.path.exists(self.path)
        self.k = before.get("at_a_time") or _steps_at_a_time(make, inputs, outputs, scalars, how, steps)
        self.passes = [self.k] * (steps // self.k) + [steps % self.k] * (steps % self.k > 0)
        self.pipelines = {} if self.is_done else {n: make(n) for n in set(self.passes)}

    def _before(self):
        """The plan of the run that goes on, or {}."""
        before = self.manifest.plan() if self.how.goes_on else None
        if before is None:
            _check_ours({self.output: self.path}, self.manifest.folder, self.how)
            shutil.rmtree(self.manifest.folder, ignore_errors=True)
            return {}
        difference = _difference(before, self.plan) or ("another number of steps" if before.get("steps") != self.plan["steps"] else None)
        if difference:
            raise errors.ArgumentError(f"{stores.name_of(self.path)} was begun with {difference}: overwrite=True begins anew")
        return before

    def _store(self, number):
        """That a pass writes."""
        if number + 1 == len(self.passes):
            return self.path
        return os.path.join(self.manifest.folder, f"{number % 2}{os.path.splitext(self.path)[1]}")

    def _pass(self, number):
        folder = os.path.join(self.manifest.folder, f"pass-{number}")
        begun = Manifest(folder).plan() is not None
        sources = {**self.given, self.name: self._store(number - 1)} if number else self.given
        how = dataclasses.replace(self.how, overwrite=not begun, resume=True)
        return _Run(self.pipelines[self.passes[number]], sources, {self.output: self._store(number)}, self.scalars, how, folder).go()

    def go(self):
        if self.is_done:
            return Report(0, 0, (), self.how.slots, 0, 0.0)
        self.manifest.keep({**self.plan, "at_a_time": self.k})
        begun = [n for n in range(len(self.passes)) if Manifest(os.path.join(self.manifest.folder, f"pass-{n}")).plan()]
        reports = [self._pass(number) for number in range(max(begun, default=0), len(self.passes))]
        self.manifest.keep({**self.plan, "at_a_time": self.k, "done": True})
        for name in os.listdir(self.manifest.folder):
            if name != "plan.json":
                stores.remove(os.path.join(self.manifest.folder, name))
        return _joined_report(reports)


def _joined_report(reports):
    last = reports[-1]
    return dataclasses.replace(last, tiles=sum(r.tiles for r in reports), computed=sum(r.computed for r in reports),
                               memory=max(r.memory for r in reports), seconds=sum(r.seconds for r in reports))


# --- what a run would cost ---

LOOKS = 4096  # at tiles, of more a part is looked at


@dataclasses.dataclass(frozen=True)
class Halo:
    """What tiles read of an input."""

    name: str
    before: tuple  # elements along each axis that a tile in the middle reads ahead of its own part
    behind: tuple
    bytes_read: int  # by all tiles
    bytes_there: int

    @property
    def times(self):
        return self.bytes_read / max(self.bytes_there, 1)

    @property
    def sides(self):
        return ", ".join(f"{b}+{a}" for b, a in zip(self.before, self.behind))


class Explanation:
    """What tiles cost: a text, and in a notebook a table and a drawing. tile, tiles, halos, memory (bytes), seconds (of
    computing), points_times (points of stages that are computed, over those of the whole picture); None: not measured."""

    def __init__(self, problem, tile, slots, measures):
        self.tile, self.workers = tile, slots
        self._problem, self._grid = problem, problem.grid(tile)
        self.tiles, self.memory = len(self._grid), slots * (PROCESS + problem.largest(tile))
        step = -(-self.tiles // LOOKS)
        self._windows = {number: problem.windows(self._grid[number]) for number in range(0, self.tiles, step)}
        self.halos = [self._halo(p) for p in problem.pipeline.inputs]
        self.seconds = self._measure() * self.tiles / min(slots, self.tiles) if measures else None
        self.points_times = self._points_times() if measures else None

    def _halo(self, parameter):
        name, shape = parameter.name, self._problem.shapes[parameter.name]
        middle = self._grid.box_at(tuple(n // 2 for n in self._grid.counts))
        own, window = self._problem.share(name, middle), self._problem.windows(middle)[name]
        read = sum(tiles.volume(windows[name]) for windows in self._windows.values()) * self.tiles // len(self._windows)
        return Halo(name, tuple(max(a - b, 0) for (a, _), (b, _) in zip(own, window)),
                    tuple(max(b - a, 0) for (_, a), (_, b) in zip(own, window)),
                    stores.bytes_of((read,), parameter.dtype), stores.bytes_of(shape, parameter.dtype))

    def _points_times(self):
        whole = tuple((0, n) for n in self._problem.shape)
        sample = list(self._windows)[:: -(-len(self._windows) // 256)]
        points = sum(self._problem.points(self._grid[number]) for number in sample) * self.tiles / len(sample)
        return points / max(self._problem.points(whole), 1)

    def _measure(self):
        """Seconds of a tile in the middle, of inputs that look random."""
        import numpy

        box = self._grid.box_at(tuple(n // 2 for n in self._grid.counts))
        windows, random, best = self._problem.windows(box), numpy.random.default_rng(0), float("inf")
        arrays = {name: _random(random, tiles.extents(window), self._problem.dtypes[name]) for name, window in windows.items()}
        for _ in range(3):
            begun = time.perf_counter()
            self._problem.compute(box, arrays, {name: tiles.low(window) for name, window in windows.items()}, threads=1)
            best = min(best, time.perf_counter() - begun)
        return best

    def _rows(self):
        yield "tiles", f"{self.tiles} of {_times(self.tile)}"
        for halo in self.halos:
            yield (f"{halo.name} read", f"{halo.sides} beside each; {tiles.in_bytes(halo.bytes_read)} of "
                   f"{tiles.in_bytes(halo.bytes_there)}, {halo.times:.2f} times")
        yield "memory", f"{tiles.in_bytes(self.memory)} of {self.workers} workers at most"
        if self.seconds is not None:
            yield "computing", f"{self.seconds:.3g} s of {min(self.workers, self.tiles)} workers; {self.points_times:.2f} times the points of the whole"

    def __str__(self):
        rows = list(self._rows())
        width = max(len(word) for word, _ in rows)
        return "\n".join(f"{word:{width}}  {text}" for word, text in rows)

    @property
    def svg(self):
        """The tiles along two axes, the darker the more a tile reads of what others read, too."""
        import numpy

        axes = [axis for axis, n in enumerate(self._grid.counts) if n > 1][-2:] or [len(self._grid.counts) - 1]
        sums, counts = numpy.zeros((2, *(min(self._grid.counts[axis], 48) for axis in axes)))
        for number, windows in self._windows.items():
            place = numpy.unravel_index(number, self._grid.counts)
            at = tuple(place[axis] * n // self._grid.counts[axis] for axis, n in zip(axes, sums.shape))
            own = sum(tiles.volume(self._problem.share(name, self._grid[number])) for name in windows)
            sums[at] += sum(map(tiles.volume, windows.values())) / max(own, 1)
            counts[at] += 1
        return _heat(numpy.atleast_2d(sums / numpy.maximum(counts, 1)))

    def _repr_html_(self):
        rows = "".join(f"<tr><th>{word}</th><td>{text}</td></tr>" for word, text in self._rows())
        return f"<table>{rows}</table>{self.svg}"


def _random(random, shape, dtype):
    import numpy

    dtype = numpy.dtype(dtype)
    return random.random(shape).astype(dtype) if dtype.kind in "fc" else random.integers(0, 256, shape).astype(dtype)


def _heat(times):
    side, most = 10, max(times.max(), 1.0001)
    cells = []
    for (y, x), value in ((at, times[at]) for at in __import__("numpy").ndindex(times.shape)):
        light = 95 - 60 * (max(value, 1) - 1) / (most - 1)
        cells.append(f'<rect x="{x * side}" y="{y * side}" width="{side - 1}" height="{side - 1}" fill="hsl(210,60%,{light:.0f}%)">'
                     f"<title>{value:.2f} times</title></rect>")
    height, width = (n * side for n in times.shape)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">{"".join(cells)}</svg>')


@_pm.boundary
def explain(pipeline, *shapes, tile=None, memory=None, workers=None, measure=True, **named):
    """What the tiles of such a call would cost: explain(f, x.shape, tile=4096). Shapes of inputs, what has one, or paths are given
    by place or by name, and scalars by name."""
    given = dict(zip((p.name for p in pipeline.inputs), shapes))
    scalars = {p.name: named.pop(p.name) for p in pipeline.parameters if p.kind == "scalar" and p.name in named}
    given.update(named)
    known = [p.name for p in pipeline.inputs]
    unknown = [name for name in given if name not in known]
    if unknown or len(shapes) > len(known):
        raise TypeError(f"{pipeline.name} has no parameter {unknown[0]!r}" if unknown else f"{pipeline.name} has {len(known)} inputs")
    given = {name: stores.open_to_read(of) if isinstance(of, (str, os.PathLike)) else of for name, of in given.items()}
    problem = tiles.Problem(pipeline, {name: getattr(of, "shape", of) for name, of in given.items()}, scalars)
    slots, unit = _number_of_workers(workers), (1,) * len(problem.shape)
    if tile is None:
        taken = tiles.number_of_bytes(memory) if memory is not None else available_memory()
        tile = problem.choose(_per_tile(taken, slots), unit, 4 * slots)
    return Explanation(problem, _whole_tile(problem, tile), slots, measure)


# --- the command ---


def _pair(text):
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        import argparse

        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _number(text):
    try:
        return int(text)
    except ValueError:
        return float(text)


def _tile_of_text(text):
    numbers = tuple(int(part) for part in text.split("x"))
    return numbers[0] if len(numbers) == 1 else numbers


def _arguments():
    import argparse

    parser = argparse.ArgumentParser("python -m pm scale", description="Compute a large picture from stores to stores, tile by tile.")
    parser.add_argument("input", help="a path, .zarr, .tif or .npy; or NAME=PATH,NAME=PATH of several inputs")
    parser.add_argument("program", help="a file of PolyMage's language, Halide's, ImageCL or PMIR")
    parser.add_argument("output", help="a path; or NAME=PATH,… of several outputs")
    parser.add_argument("--memory", metavar="4GB", help="of all workers together (half of what is available)")
    parser.add_argument("--tile", type=_tile_of_text, metavar="N|RxC", help="its side, or one number for each axis, -1: all (as memory allows)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes (one for each processor)")
    parser.add_argument("--param", type=_pair, action="append", default=[], metavar="NAME=VALUE", help="a scalar")
    parser.add_argument("--const", type=_pair, action="append", default=[], metavar="NAME=VALUE", help="a constant of the program")
    parser.add_argument("--steps", type=_pair, metavar="NAME=N", help="of the program, whose constant NAME is how many steps it has")
    parser.add_argument("--iterates", metavar="INPUT", help="that is the output of the steps before")
    parser.add_argument("--fp", choices=("strict", "contract", "fast"), help="strict: bits do not depend on tiles")
    parser.add_argument("--cluster", metavar="ADDRESS", help="of a scheduler of Dask: its workers compute")
    parser.add_argument("--overwrite", action="store_true", help="begin anew, also over an output that is there")
    parser.add_argument("--explain", action="store_true", help="only say what it would cost")
    parser.add_argument("--quiet", action="store_true", help="draw no progress")
    return parser


def _stores(text):
    return dict(_pair(part) for part in text.split(",")) if "=" in text else text


def _explained(pipeline, o):
    given = _by_name(_stores(o.input), pipeline.inputs, "input")
    shapes = {name: stores.open_to_read(store).shape for name, store in given.items()}
    return explain(pipeline, tile=o.tile, memory=o.memory, workers=o.workers, **shapes, **{n: _number(v) for n, v in o.param})


def main(arguments):
    """The command; the exit status is 1 after an error, which is one line."""
    import pm

    o = _arguments().parse_args(arguments)
    client = None
    try:
        name, steps = o.steps or (None, None)
        make = lambda k: pm.load(o.program, const={**dict(o.const), **({name: k} if name else {})}, fp=o.fp)
        pipeline = make if name and not o.explain else make(1)
        if o.explain:
            print(_explained(pipeline, o))
            return 0
        if o.cluster:
            client = stores.needs_module("distributed", "--cluster").Client(o.cluster)
        print(run(pipeline, _stores(o.input), _stores(o.output), tile=o.tile, memory=o.memory, workers=o.workers, client=client,
                  steps=steps and int(steps), iterates=o.iterates, overwrite=o.overwrite, progress=False if o.quiet else None, **{n: _number(v) for n, v in o.param}))
        return 0
    except KeyboardInterrupt:
        print("pm scale: stopped; the same command goes on from there", file=sys.stderr)
        return 130
    except (errors.Error, OSError, TypeError, ValueError, MemoryError) as error:
        notes = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
        print(f"pm scale: {error}{notes}", file=sys.stderr)
        return 1
    finally:
        if client:
            client.close()
