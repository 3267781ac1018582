"""Pipelines over the chunked arrays of Dask, and from stores to stores on a cluster (docs/scale.md)."""
import bisect
import itertools
import math

import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.core import flatten
from dask.highlevelgraph import HighLevelGraph
from dask.task_spec import DataNode, Task, TaskRef

from pm import _pm, errors, plans, splits, tiles
from pm.pipeline import _result as result_type
from pm.scale import explain, run

__all__ = ["explain", "map", "run"]

SMALL = 1_000_000  # bytes of a chunk that is sent as a whole
WAYS = 16  # results that a task combines


@_pm.boundary
def map(pipeline, *arrays, chunks=None, halo="auto", allow_rechunk=False, steps=None, iterates=None, **named):
    """The outputs of the pipeline as arrays of Dask, from inputs by place or by name, and scalars by name:
    map(f, x, sigma=2). Each chunk is computed from exactly the window that it needs, in coordinates of the whole picture,
    so all values are those of f on the whole arrays; chunks may be smaller than a window.

    chunks: those of the outputs, as Dask takes them. None: those of the first array of Dask, in proportion.
    halo: windows are put together of whole "blocks", or of "slices" of blocks. "auto": slices on a cluster, of blocks that
        are larger than 1 MB.
    allow_rechunk: join chunks along an axis that each of them needs all of, as in a running sum. Results of the whole
        picture, as a histogram, are computed of chunks and combined, also where every pixel needs them.
    steps, iterates: pipeline is a function that gives the program of k steps. It is applied until there are so many, as
        few times as chunks allow. iterates names the input that is the output of the steps before.

    One array, or a named tuple of several. It raises ArgumentError, DTypeError or ShapeError at once, nothing later.
    """
    if halo not in ("auto", "blocks", "slices"):
        raise errors.ArgumentError(f"halo is {halo!r}; it should be auto, blocks or slices")
    plans.check_pipeline(pipeline, steps, iterates)
    one = pipeline(1) if steps else pipeline
    scalars = {p.name: named.pop(p.name) for p in one.parameters if p.kind == "scalar" and p.name in named}
    given = {p.name: _Input(p, array) for p, array in _arguments(one, arrays, named)}
    how = {"chunks": chunks, "halo": halo, "allow_rechunk": allow_rechunk}
    made = _steps(pipeline, one, given, scalars, how, steps, iterates) if steps else _outputs(one, given, scalars, how)
    results = [made[p.name] for p in one.outputs]
    return result_type(tuple(p.name for p in one.outputs))(*results) if len(results) > 1 else results[0]


def _maps(pipeline, given, scalars, how):
    """One for each shape of outputs, behind what it needs of the whole picture."""
    for problem in splits.problems(splits.alone(pipeline), {name: i.array.shape for name, i in given.items()}, scalars):
        levels, problem = splits.levels(problem)
        with_sums = dict(given)
        for sums, partials in levels:
            with_sums.update(_sums(sums, partials, with_sums, how))
        yield _Map(problem, with_sums, **how)


def _outputs(pipeline, given, scalars, how):
    """By name."""
    return {name: array for each in _maps(pipeline, given, scalars, how) for name, array in each.outputs().items()}


def _steps(make, one, given, scalars, how, steps, iterates):
    """In passes of so many steps as chunks allow."""
    name, programs = plans.iterated(one, iterates), {1: one}
    (output,) = one.outputs
    if steps > 1:
        plans.check_steps(one, programs.setdefault(2, make(2)))

    def program(k):
        return programs.get(k) or programs.setdefault(k, make(k))

    def read_again(k):
        (of_it,) = _maps(program(k), given, scalars, how)
        return of_it.problem.read_again(tuple(max(c) for c in of_it.chunks))

    for k in plans.in_passes(steps, plans.steps_at_a_time(steps, read_again)):
        made = _outputs(program(k), given, scalars, how)
        given = {**given, name: _Input(next(p for p in one.inputs if p.name == name), made[output.name])}
    return made


# --- results of the whole picture ---


def _sums(sums, partials, given, how):
    """As inputs by name, of one chunk each."""
    made, rest = {}, {p.name: p for p in sums.rest.inputs}
    for problem in partials:
        results = _Map(problem, given, **{**how, "chunks": None}).outputs()
        made.update((name, _Input(rest[name], array)) for name, array in _combined(sums, results).items() if name in rest)
    return made


def _combined(parts, results):
    """Of results of tiles by name, in chunks alike. Integers go up a tree; floats are put in the order of tiles first, since
    their values may depend on it."""
    names, arrays = tuple(results), list(results.values())
    name = "pm-sum-" + tokenize(plans.program_of(parts.combine), [a.name for a in arrays])
    graph = {name + "-program": DataNode(name + "-program", parts)}
    grid = arrays[0].chunks
    if all(a.dtype.kind != "f" for a in arrays):
        keys = []
        for number, place in enumerate(itertools.product(*(range(len(c)) for c in grid))):
            keys.append((name, 0, number))
            graph[keys[-1]] = Task(keys[-1], _combine, TaskRef(name + "-program"), names, *(TaskRef((_key_of(a), *place)) for a in arrays))
        level = 0
        while len(keys) > 1:
            level, below, keys = level + 1, keys, []
            for number, at in enumerate(range(0, len(below), WAYS)):
                keys.append((name, level, number))
                graph[keys[-1]] = Task(keys[-1], _combine_again, TaskRef(name + "-program"), *(TaskRef(key) for key in below[at : at + WAYS]))
        (last,) = keys
    else:
        last = (name, 0, 0)
        whole = [a.rechunk(-1) for a in arrays]
        graph[last] = Task(last, _combine, TaskRef(name + "-program"), names, *(TaskRef((_key_of(a), *[0] * a.ndim)) for a in whole))
        arrays = whole
    made = {}
    for of, array in zip(names, arrays):
        shape, key = array.shape[len(grid) - _cells(parts, of) :], f"{name}-{of}"
        graph[(key, *[0] * len(shape))] = Task((key, *[0] * len(shape)), _sum_of, TaskRef(last), of)
        made[parts.sum_of(of)] = _array(graph, key, tuple((n,) for n in shape), array.dtype, arrays)
    return made


def _key_of(array):
    """The first element of its keys. An expression's name may be another one."""
    return next(flatten(array.__dask_keys__()))[0]


def _cells(parts, name):
    """Dimensions of a result behind those of tiles."""
    return len(next(p for p in parts.combine.inputs if p.name == name).extents) - 1


def _combine(parts, names, *arrays):
    """Of the tiles of a chunk, in order."""
    flat = {name: a.reshape(-1, *a.shape[a.ndim - _cells(parts, name) :]) for name, a in zip(names, arrays)}
    sums = parts.combined(flat)
    return {name: np.asarray(sums[parts.sum_of(name)])[None] for name in names}


def _combine_again(parts, *results):
    names = tuple(results[0])
    sums = parts.combined({name: np.concatenate([r[name] for r in results]) for name in names})
    return {name: np.asarray(sums[parts.sum_of(name)])[None] for name in names}


def _sum_of(results, name):
    return results[name][0]


# --- maps ---


def _cuts(chunks):
    return [0, *itertools.accumulate(chunks)]


class _Input:
    """Of Dask, or an array that every task gets."""

    def __init__(self, parameter, array):
        self.name, self.array = parameter.name, array if isinstance(array, da.Array) else np.asarray(array)
        if any(math.isnan(n) for n in self.array.shape):
            raise errors.ShapeError(f"{self.name} has chunks of unknown sizes: compute them first, as by x.compute_chunk_sizes()")
        if self.array.dtype != parameter.dtype:
            raise errors.DTypeError(f"{self.name} is {self.array.dtype} {self.array.shape}; {parameter.annotation}. Convert it: "
                                    f"{self.name}.astype({parameter.dtype!r})")
        if self.array.ndim != len(parameter.extents):
            raise errors.ShapeError(f"{self.name} has the shape {self.array.shape}; {parameter.annotation}")
        self.is_chunked = isinstance(array, da.Array)
        self.key = _key_of(self.array) if self.is_chunked else None
        self.chunks = self.array.chunks if self.is_chunked else tuple((n,) for n in self.array.shape)
        self.cuts = [_cuts(c) for c in self.chunks]
        self.extents = parameter.extents

    def blocks(self, window):
        """Those that have elements of the window, each with the box that it has of these."""
        if not tiles.volume(window):
            return
        ranges = [range(bisect.bisect_right(cuts, low) - 1, bisect.bisect_left(cuts, high)) for cuts, (low, high) in zip(self.cuts, window)]
        for place in itertools.product(*ranges):
            box = tuple((cuts[i], cuts[i + 1]) for cuts, i in zip(self.cuts, place))
            if tiles.volume(box):
                yield place, box


class _Map:
    """Of a program whose outputs have one shape, and inputs by name."""

    def __init__(self, problem, given, chunks, halo, allow_rechunk):
        self.pipeline, self.problem = problem.pipeline, problem
        self.inputs = [given[p.name] for p in problem.pipeline.inputs]
        self.chunks = self._joined(self._chunks(chunks), allow_rechunk)
        self.halo = halo if halo != "auto" else self._usual_halo()
        self.name = "pm-" + tokenize(plans.program_of(self.pipeline), problem.scalars, self.chunks, self.halo,
                                     [i.key if i.is_chunked else i.array for i in self.inputs])

    # --- chunks ---

    def _chunks(self, wanted):
        name, shape = self.problem.outputs[0], self.problem.shape
        first = next((i for i in self.inputs if i.is_chunked), None)
        if wanted is None and first:
            return tuple(self._like(first, axis, n) for axis, n in enumerate(shape))
        try:
            return da.core.normalize_chunks("auto" if wanted is None else wanted, shape, dtype=self.problem.dtypes[name])
        except (ValueError, TypeError, ZeroDivisionError) as error:
            raise errors.ArgumentError(f"chunks= is {wanted!r}, and {name} has the shape {shape}: {error}") from None

    def _like(self, source, axis, extent):
        """Cut where the input is, in proportion, along the axis of the same parameters; of one size where the input's are."""
        there = [a for a in range(len(source.cuts)) if self.problem.axis_like(source.extents, a) == axis]
        if not there or not extent:
            return (extent,)
        at, sizes = source.cuts[there[0]], source.chunks[there[0]]
        if len(set(sizes[:-1])) <= 1 and 0 < sizes[-1] <= sizes[0]:
            side = -(-sizes[0] * extent // at[-1])
            return da.core.normalize_chunks((side,), (extent,))[0]
        ends = [extent if end == at[-1] else min(extent, (end * extent + at[-1] // 2) // at[-1]) for end in at]
        return tuple(b - a for a, b in zip(ends, ends[1:]) if b > a)

    def _joined(self, chunks, allowed):
        whole, why = self.problem.joined
        cut = [axis for axis in whole if len(chunks[axis]) > 1]
        if not cut:
            return chunks
        if not allowed:
            raise errors.ArgumentError(f"{why}, so that chunks would repeat each other's work: chunks=-1 along "
                                       f"{tiles.axes_of(cut)}, or allow_rechunk=True, makes one of them{self.problem.or_else}")
        return tuple((self.problem.shape[axis],) if axis in cut else c for axis, c in enumerate(chunks))

    def _usual_halo(self):
        try:
            from distributed import default_client

            default_client()
        except (ImportError, ValueError):
            return "blocks"
        return "slices" if any(_largest(i) > SMALL for i in self.inputs if i.is_chunked) else "blocks"

    # --- the graph ---

    def outputs(self):
        shared = self.name + "-program"
        graph = {shared: DataNode(shared, self.problem)}
        for i in self.inputs:
            if not i.is_chunked:
                graph[f"{self.name}-input-{i.name}"] = DataNode(f"{self.name}-input-{i.name}", i.array)
        cuts = [_cuts(c) for c in self.chunks]
        several = len(self.problem.outputs) > 1
        names = [f"{self.name}-{name}" for name in self.problem.outputs] if several else [self.name]
        for place in itertools.product(*(range(len(c)) for c in self.chunks)):
            box = tuple((c[i], c[i + 1]) for c, i in zip(cuts, place))
            key = (self.name, *place)
            graph[key] = self._task(key, shared, box, graph)
            for number, name in enumerate(names if several else ()):
                graph[(name, *place)] = Task((name, *place), _element, TaskRef(key), number)
        dependencies = [i.array for i in self.inputs if i.is_chunked]
        made = tuple(_array(graph, name, self.chunks, self.problem.dtypes[output], dependencies)
                     for name, output in zip(names, self.problem.outputs))
        return dict(zip(self.problem.outputs, made))

    def _task(self, key, shared, box, graph):
        windows, parts, places = self.problem.windows(box), [], []
        for number, i in enumerate(self.inputs):
            window = windows[i.name]
            for place, block in i.blocks(window):
                common = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(window, block))
                parts.append(self._part(i, place, block, common, graph))
                # Of a block as a whole it is the task that takes the part.
                within = None if self.halo == "slices" and i.is_chunked or common == block else tiles.slices(common, tiles.low(block))
                places.append((number, tiles.slices(common, tiles.low(window)), within))
        return Task(key, _tile, TaskRef(shared), box, tuple(windows[i.name] for i in self.inputs), tuple(places), *parts)

    def _part(self, i, place, block, common, graph):
        if not i.is_chunked:
            return TaskRef(f"{self.name}-input-{i.name}")
        source = (i.key, *place)
        if self.halo == "blocks" or common == block:
            return TaskRef(source)
        key = (f"{self.name}-{i.name}-part", *place, *itertools.chain.from_iterable(common))
        if key not in graph:
            graph[key] = Task(key, _slice, TaskRef(source), tiles.slices(common, tiles.low(block)))
        return TaskRef(key)


def _arguments(pipeline, arrays, named):
    """Each input with its array."""
    inputs = pipeline.inputs
    if len(arrays) > len(inputs):
        raise TypeError(f"{pipeline.name} has {len(inputs)} input{'s' * (len(inputs) != 1)}, and {len(arrays)} are given")
    given = dict(zip((p.name for p in inputs), arrays))
    for name, value in named.items():
        if name in given or name not in [p.name for p in inputs]:
            raise TypeError(f"{name!r} is given twice" if name in given else f"{pipeline.name} has no parameter {name!r}")
        given[name] = value
    missing = [p.name for p in inputs if p.name not in given]
    if missing:
        raise TypeError(f"{pipeline.name} needs {', '.join(missing)}")
    return [(p, given[p.name]) for p in inputs]


def _largest(i):
    return math.prod(max(c) for c in i.chunks) * i.array.dtype.itemsize


def _array(graph, name, chunks, dtype, inputs):
    """The only place where arrays are made: of graphs, or of expressions where dask is configured so."""
    meta = np.empty((0,) * len(chunks), dtype)
    if not hasattr(da.Array, "expr"):
        return da.Array(HighLevelGraph.from_collections(name, graph, dependencies=inputs), name, chunks, meta=meta)
    from dask.array._array_expr._collection import new_collection
    from dask.array._array_expr._io import FromGraph

    keys = [(name, *place) for place in itertools.product(*(range(len(c)) for c in chunks))]
    for array in inputs:
        graph = {**array.dask, **graph}
    return new_collection(FromGraph(graph, meta, chunks, keys, "array", _determ_token=name))  # hashing the graph would take long


# --- what tasks do ---


def _slice(block, within):
    return np.ascontiguousarray(block[within])


def _element(results, number):
    return results[number]


def _tile(problem, box, windows, places, *parts):
    """A chunk of each output, from blocks and slices that are put where they belong in the windows."""
    arrays = [None] * len(windows)
    for (number, at, within), part in zip(places, parts):
        part = np.asarray(part if within is None else part[within])
        shape = tiles.extents(windows[number])
        if part.shape == shape:
            arrays[number] = part
            continue
        if arrays[number] is None:
            arrays[number] = np.empty(shape, part.dtype)
        arrays[number][at] = part
    names = list(problem.shapes)
    for number, window in enumerate(windows):
        if arrays[number] is None:
            arrays[number] = np.empty(tiles.extents(window), problem.dtypes[names[number]])
    origins = {name: tiles.low(window) for name, window in zip(names, windows)}
    results = problem.compute(box, dict(zip(names, arrays)), origins, threads=1)
    return results if len(results) > 1 else results[0]
