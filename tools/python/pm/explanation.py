"""What a run over tiles would cost, part by part, as a text, a table and a drawing (docs/scale.md)."""
import dataclasses
import itertools
import time

from pm import splits, stores, tiles

MOST_READ = 2**22  # elements, by what is measured
MOST_SECONDS = 0.3  # of a first measurement that is not repeated
LOOKS = 4096  # at tiles, of more a part is looked at


@dataclasses.dataclass(frozen=True)
class Halo:
    """What tiles read of an input."""

    name: str
    before: tuple  # elements along each axis that a tile reads ahead of its own part, at most
    behind: tuple
    bytes_read: int  # by all tiles
    bytes_there: int
    chunks_read: int  # of the store, each as a whole; 0 where any bytes can be read
    bytes_of_chunks: int

    @property
    def times(self):
        return self.bytes_read / max(self.bytes_there, 1)

    @property
    def sides(self):
        return ", ".join(f"{b}+{a}" for b, a in zip(self.before, self.behind))


class PartCost:
    """Of a program over a grid of tiles: outputs, tile, tiles, workers, memory (bytes), halos; passes, which are how many
    times in turn it is run; seconds of computing, and points_times, the points of stages that are computed over those of
    the whole picture. These are None where nothing is measured."""

    def __init__(self, part, passes, measures):
        self._steps = f", by {part.steps} step{'s' * (part.steps != 1)}" if part.steps else ""
        self._problem, self._grid = part.problem, part.grid
        self.outputs, self.tile, self.workers, self.memory, self.passes = part.problem.outputs, part.tile, part.workers, part.memory, passes
        self.tiles, self._grains = len(self._grid), {name: array.grain for name, array in part.inputs.items()}
        step = -(-self.tiles // LOOKS) or 1
        self._windows = {number: self._problem.windows(self._grid[number]) for number in range(0, self.tiles, step)}
        self._middle = self._grid.box_at(tuple(n // 2 for n in self._grid.counts))
        self._cells = splits.TILE if part.sums else None  # a point of the outputs is of so many, along each axis
        self.halos = [self._halo(p) for p in self._problem.pipeline.inputs]
        measures = measures and self.tiles
        self.seconds = self._measure() * self.tiles / min(self.workers, self.tiles) * passes if measures else None
        self.points_times = self._points_times() if measures else None

    def _halo(self, parameter):
        name, shape = parameter.name, self._problem.shapes[parameter.name]
        read = self._sum(tiles.volume(windows[name]) for windows in self._windows.values())
        chunks = self._sum(self._chunks(windows[name], name) for windows in self._windows.values())
        inner = self._grid.box_at(tuple(max(n - 1, 0) // 2 for n in self._grid.counts))  # of two, the one that has another behind it
        return Halo(name, self._beside(name, self._middle)[0], self._beside(name, inner)[1],
                    stores.bytes_of((read,), parameter.dtype), stores.bytes_of(shape, parameter.dtype),
                    chunks, stores.bytes_of((chunks, *(self._grains[name] or ())), parameter.dtype))

    def _beside(self, name, box):
        """Elements along each axis that a tile reads ahead of its own part, and behind it."""
        own, window = self._problem.share(name, box, self._cells), self._problem.windows(box)[name]
        return (tuple(max(a - b, 0) for (a, _), (b, _) in zip(own, window)), tuple(max(b - a, 0) for (_, a), (_, b) in zip(own, window)))

    def _chunks(self, window, name):
        return tiles.met(window, self._grains[name]) if self._grains[name] else 0

    def _sum(self, of_tiles):
        """Of all tiles, as those that were looked at are."""
        return sum(of_tiles) * self.tiles // max(len(self._windows), 1)

    def _points_times(self):
        whole = tuple((0, n) for n in self._problem.shape)
        sample = list(self._windows)[:: -(-len(self._windows) // 256)]
        points = sum(self._problem.points(self._grid[number]) for number in sample) * self.tiles / len(sample)
        return points / max(self._problem.points(whole), 1)

    def _measure(self):
        """Seconds of a tile in the middle, of inputs that look random: a part of it is computed, as long as it has points."""
        import numpy

        box = self._part_of(self._middle)
        windows, random, best = self._problem.windows(box), numpy.random.default_rng(0), float("inf")
        arrays = {name: _random(random, tiles.extents(window), self._problem.dtypes[name]) for name, window in windows.items()}
        for _ in range(3):
            begun = time.perf_counter()
            self._problem.compute(box, arrays, {name: tiles.low(window) for name, window in windows.items()}, threads=1)
            best = min(best, time.perf_counter() - begun)
            if best > MOST_SECONDS:
                break
        return best * self._problem.points(self._middle) / max(self._problem.points(box), 1)

    def _part_of(self, box):
        """Cut in half along its longest axis until it reads few elements, or has one of them."""
        while sum(map(tiles.volume, self._problem.windows(box).values())) > MOST_READ:
            axis = max(self._problem.tiled, key=lambda axis: box[axis][1] - box[axis][0], default=None)
            if axis is None or box[axis][1] - box[axis][0] == 1 or axis in self._problem.joined[0]:
                break
            low, high = box[axis]
            box = (*box[:axis], (low, (low + high) // 2), *box[axis + 1 :])
        return box

    @property
    def heading(self):
        return ", ".join(self.outputs) + (f", of tiles of {splits.TILE} along each axis" if self._cells else "") + self._steps

    def rows(self):
        yield "tiles", f"{self.tiles} of {tiles.times(self.tile)}{f', {self.passes} passes' if self.passes > 1 else ''}"
        for halo in self.halos:
            chunks = f"; {halo.chunks_read} chunks, {tiles.in_bytes(halo.bytes_of_chunks)}" if halo.chunks_read else ""
            yield (f"{halo.name} read", f"{halo.sides} beside each; {tiles.in_bytes(halo.bytes_read)} of "
                   f"{tiles.in_bytes(halo.bytes_there)}, {halo.times:.2f} times{chunks}")
        yield "memory", f"{tiles.in_bytes(self.memory)} of {_workers(self.workers)} at most"
        if self.seconds is not None:
            yield "computing", (f"{self.seconds:.3g} s of {_workers(min(self.workers, self.tiles))}; "
                                f"{self.points_times:.2f} times the points of the whole")

    @property
    def svg(self):
        """The tiles along two axes, the darker the more a tile reads of what others read, too."""
        import numpy

        axes = [axis for axis, n in enumerate(self._grid.counts) if n > 1][-2:] or [len(self._grid.counts) - 1]
        sums, counts = numpy.zeros((2, *(min(self._grid.counts[axis], 48) for axis in axes if axis >= 0)))
        for number, windows in self._windows.items():
            place = numpy.unravel_index(number, self._grid.counts)
            at = tuple(place[axis] * n // self._grid.counts[axis] for axis, n in zip(axes, sums.shape))
            own = sum(tiles.volume(self._problem.share(name, self._grid[number])) for name in windows)
            sums[at] += sum(map(tiles.volume, windows.values())) / max(own, 1)
            counts[at] += 1
        return _heat(numpy.atleast_2d(sums / numpy.maximum(counts, 1)))


class Explanation:
    """What a run would cost: a text, and in a notebook tables and drawings. parts are the programs that it runs one behind
    the other, each a PartCost; tiles, memory (bytes) and seconds are those of all."""

    def __init__(self, plan, measures):
        alike = itertools.groupby(plan.parts, lambda part: (id(part.problem.pipeline), part.tile))
        self.parts = [PartCost(parts[0], len(parts), measures) for parts in (list(group) for _, group in alike)]
        self.tiles = sum(part.tiles * part.passes for part in self.parts)
        self.memory = max(part.memory for part in self.parts)
        self.seconds = sum(part.seconds or 0 for part in self.parts) if measures else None

    def _tables(self):
        """A heading, None of the only part, and rows."""
        for part in self.parts:
            yield part.heading if len(self.parts) > 1 else None, list(part.rows()), part

    def __str__(self):
        lines = []
        for heading, rows, _ in self._tables():
            width = max(len(word) for word, _ in rows)
            lines += [heading] * (heading is not None) + [f"{'  ' * (heading is not None)}{word:{width}}  {text}" for word, text in rows]
        return "\n".join(lines)

    @property
    def svg(self):
        """Of the last part."""
        return self.parts[-1].svg

    def _repr_html_(self):
        made = ""
        for heading, rows, part in self._tables():
            cells = "".join(f"<tr><th>{word}</th><td>{text}</td></tr>" for word, text in rows)
            made += f"<p>{heading}</p>" * (heading is not None) + f"<table>{cells}</table>{part.svg}"
        return made


def _workers(n):
    return f"{n} worker{'s' * (n != 1)}"


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
