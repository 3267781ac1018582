"""Tiles of the outputs of a large picture: the windows of the inputs that they need, and the memory that they take.

A box is a tuple of pairs, of each axis the first index and the one behind the last. Sizes and indices are those of the
whole arrays.
"""
import functools
import itertools
import math
import numbers
import re

from pm import errors

NARROW, NEAR, FAR = 64, 17, 21  # a tile, and powers of two that are sizes of pictures, for what grows with a picture
MOST_AGAIN = 16  # times that tiles of one's own choice may read the inputs
TILE_COST = 200_000  # elements that are read in the time that a tile takes beside its work, about 2 ms
MOST_LOOKS = 256  # at tiles of a grid, when one is chosen
TABLE = 64  # an input of so many times fewer elements than an output is a table, which may be read as a whole


def slices(box, origin=None):
    """For an array that begins at the origin."""
    origin = origin or (0,) * len(box)
    return tuple(slice(low - first, high - first) for (low, high), first in zip(box, origin))


def extents(box):
    return tuple(high - low for low, high in box)


def volume(box):
    return math.prod(extents(box))


def times(numbers):
    return "x".join(map(str, numbers))


def met(box, chunk):
    """How many chunks have elements of the box."""
    return math.prod(-(-high // c) - low // c for (low, high), c in zip(box, chunk)) if volume(box) else 0


def low(box):
    return tuple(first for first, _ in box)


def names_in(text):
    """The parameters of an extent, as R + 2 or floor((255 + R)/256)."""
    return set(re.findall(r"[A-Za-z_]\w*(?![\w(])", text))


def axes_of(numbers):
    return f"axis {numbers[0]}" if len(numbers) == 1 else f"axes {', '.join(map(str, numbers))}"


class Problem:
    """A pipeline and the sizes of one call: shapes of the inputs by name, and the scalars that these do not give. All
    outputs have one shape; a tile is one box of all of them."""

    def __init__(self, pipeline, shapes, scalars):
        self.pipeline, self.scalars = pipeline, dict(scalars)
        self.why_whole = ""  # its windows are whole pictures, if that is known
        missing = [p.name for p in pipeline.inputs if p.name not in shapes]
        if missing:
            raise TypeError(f"{pipeline.name} needs {', '.join(missing)}")
        self.shapes = {p.name: tuple(map(int, shapes[p.name])) for p in pipeline.inputs}
        unknown = [p.name for p in pipeline.parameters if p.kind == "scalar" and p.name not in pipeline._sizes and p.name not in self.scalars]
        if unknown:
            raise TypeError(f"{pipeline.name} needs {', '.join(unknown)}")
        all_outputs = pipeline.shapes(**self.shapes, **self.scalars)
        assert len(set(all_outputs.values())) == 1  # splits.problems makes one of each shape
        self.outputs = tuple(all_outputs)
        self.shape = next(iter(all_outputs.values()))
        self.dtypes = {p.name: p.dtype for p in pipeline.parameters if p.kind != "scalar"}
        self.tiled = tuple(axis for axis, text in enumerate(pipeline.outputs[0].extents) if names_in(text))
        try:
            self.windows(((0, 0),) * len(self.shape))
        except errors.CompileError as error:
            raise errors.ArgumentError(f"{pipeline.name} cannot be computed by tiles of {self.outputs[0]}: {error.msg}") from None

    @property
    def sizes(self):
        """The integer scalars."""
        return self.pipeline.sizes(**self.shapes, **self.scalars)

    def scalars_of(self, pipeline):
        """Those of another program of the same sizes, as a part of this one."""
        known = {**self.sizes, **self.scalars}
        return {p.name: known[p.name] for p in pipeline.parameters if p.kind == "scalar"}

    @property
    def bytes_per_point(self):
        return sum(_item_bytes(self.dtypes[name]) for name in self.outputs)

    def _boxes(self, box):
        return {name: box for name in self.outputs}

    def windows(self, box):
        """The box of each input that a tile needs."""
        if not self.tiled:
            return {name: tuple((0, n) for n in shape) for name, shape in self.shapes.items()}
        return self.pipeline.needs(**self._boxes(box), **self.shapes, **self.scalars)

    def window_bytes(self, windows):
        return sum(volume(window) * _item_bytes(self.dtypes[name]) for name, window in windows.items())

    def tile_bytes(self, box, arrays=None):
        """Memory for a tile: windows, outputs, what the call takes, and what their stores take beside them."""
        called = (self.pipeline.region_bytes(**self._boxes(box), **self.shapes, **self.scalars) if self.tiled
                  else self.pipeline.scratch_bytes(**self.shapes, **self.scalars))
        windows = self.windows(box)
        beside = sum(array.beside(extents(windows.get(name, box))) for name, array in (arrays or {}).items())
        return self.window_bytes(windows) + volume(box) * self.bytes_per_point + called + beside

    def points(self, box):
        """Of all stages, that a tile computes; the pipeline is compiled anew for that."""
        return self._counting.region_points(**self._boxes(box), **self.shapes, **self.scalars)

    @functools.cached_property
    def _counting(self):
        return self.pipeline.with_settings("lower-poly{points=true}")

    def compute(self, box, windows, origins, **way):
        """The tile of each output, in order, from arrays of the windows."""
        if not self.tiled:
            result = self.pipeline(**windows, **self.scalars, **way)
            return tuple(values[slices(box)] for values in (result if len(self.outputs) > 1 else (result,)))
        result = self.pipeline.region(**self._boxes(box), **windows, origin=origins, shape=self.shapes, **self.scalars, **way)
        return tuple(result) if len(self.outputs) > 1 else (result,)

    def share(self, name, box, points=None):
        """The part of an input that is a tile's own: all of it along axes of other parameters. Along others it is in proportion,
        or so many elements for each one of the outputs."""
        parameter, made = next(p for p in self.pipeline.inputs if p.name == name), []
        for axis, (text, n) in enumerate(zip(parameter.extents, self.shapes[name])):
            at = self.axis_like(parameter.extents, axis)
            made.append((0, n) if at is None else tuple(min(end * points, n) if points else end * n // max(self.shape[at], 1) for end in box[at]))
        return tuple(made)

    def axis_like(self, texts, axis):
        """The axis of the outputs with the same parameters as this one of an input, which may have several such."""
        names = names_in(texts[axis])
        if not names:
            return None
        before = sum(names_in(text) == names for text in texts[:axis])
        alike = [at for at, text in enumerate(self.pipeline.outputs[0].extents) if names_in(text) == names]
        return alike[min(before, len(alike) - 1)] if alike else None

    # --- what grows with the picture ---

    def _at(self, power):
        """Sizes of a much larger picture: the same remainders, for programs that look at these."""
        sizes = self.sizes
        named = set().union(*(names_in(text) for text in self.pipeline.outputs[0].extents))
        grown = {name: 2**power + size % 4096 if name in named and name in self.pipeline._sizes else size for name, size in sizes.items()}
        return {**self.scalars, **grown}

    def _needs(self, power, narrow):
        """Windows in that larger picture of a tile that is narrow along these axes, in the middle."""
        sizes = self._at(power)
        shape = next(iter(self.pipeline.shapes(**sizes).values()))
        box = tuple((0, n) if axis not in narrow or n <= NARROW else (n // 2 // NARROW * NARROW, n // 2 // NARROW * NARROW + NARROW)
                    for axis, n in enumerate(shape))
        return self.pipeline.needs(**self._boxes(box), **sizes), math.prod(n / NARROW for axis, n in enumerate(shape) if axis in narrow)

    def _growing(self):
        """Inputs and axes along which a narrow tile's window grows with the picture."""
        near, far = self._needs(NEAR, self.tiled)[0], self._needs(FAR, self.tiled)[0]
        return [(name, axis) for name in near for axis, (a, b) in enumerate(zip(extents(near[name]), extents(far[name])))
                if b > 1.5 * a and math.prod(self.shapes[name]) * TABLE > math.prod(self.shape)]

    def _repeated(self, power, whole, inputs):
        """How often what is read of these inputs is read, with tiles that are whole along some axes."""
        windows, tiles = self._needs(power, [axis for axis in self.tiled if axis not in whole])
        everything = self._needs(power, ())[0]
        return tiles * sum(volume(windows[i]) for i in inputs) / max(sum(volume(everything[i]) for i in inputs), 1)

    @property
    def joined(self):
        """Axes along which all tiles should be one, and why. Empty for almost all programs."""
        whole, why = self._joined
        return whole, f"{why} ({self.why_whole})" if self.why_whole else why

    @property
    def because(self):
        """The beginning of a message."""
        return f"{self.joined[1]}; " if self.joined[1] else ""

    @property
    def or_else(self):
        """The end of one: another way than tiles that are whole."""
        return ', or fp="fast", under which parts are combined' if "fp fast" in self.why_whole else ""

    @functools.cached_property
    def _joined(self):
        """As those of a running sum, whose tiles need all before them."""
        if not self.tiled:
            return (), ""
        try:
            growing = self._growing()
        except errors.Error:  # the program is not for such sizes
            return (), ""
        if not growing:
            return (), ""
        inputs = {name for name, _ in growing}
        for n in range(len(self.tiled) + 1):
            for whole in itertools.combinations(self.tiled, n):
                if self._repeated(FAR, whole, inputs) < 4 * self._repeated(NEAR, whole, inputs):
                    name = growing[0][0]
                    axes = axes_of([axis for of, axis in growing if of == name])
                    return whole, f"a tile of {self.outputs[0]} needs {name} along the whole of {axes}" if whole else ""
        return self.tiled, ""

    @property
    def gathers(self):
        """A tile needs the whole picture, or may do, since the outputs do not grow with it."""
        return bool(self.joined[0]) or not self.tiled and any(names_in(text) for p in self.pipeline.inputs for text in p.extents)

    # --- tiles ---

    def grid(self, tile):
        return Grid(self.shape, tile)

    def largest(self, tile, arrays=None):
        """The most memory that a tile of such a grid takes: of the first, a middle and the last one along each axis."""
        grid = self.grid(tile)
        places = [sorted({0, n // 2, max(n - 2, 0), n - 1}) for n in grid.counts]
        return max(self.tile_bytes(grid.box_at(place), arrays) for place in itertools.product(*places)) if len(grid) else 0

    def sized(self, side, unit):
        """A tile of that side along the axes that grow with the picture: multiples of the unit, and whole where tiles
        should be one."""
        whole = self.joined[0]
        return tuple(n if axis not in self.tiled or axis in whole else min(n, math.ceil(side / u) * u)
                     for axis, (n, u) in enumerate(zip(self.shape, unit)))

    def choose(self, memory, unit, workers, arrays=None):
        """The tile that costs least of those whose memory is at most that. None: there is none, or all read too much."""
        fitting = []
        for power in range(63):
            tile = self.sized(2**power, unit)
            if fitting and tile == fitting[-1]:
                if tile == self.shape:
                    break
                continue
            if self.largest(tile, arrays) > memory:
                break
            fitting.append(tile)
        if not fitting or self.read_again(fitting[-1]) > MOST_AGAIN:
            return None
        return min(reversed(fitting), key=lambda tile: self._cost(tile, workers, arrays))

    def _cost(self, tile, workers, arrays):
        """Of reading, computing and writing, over that of a tile for all, and what each tile costs beside it, as long as the last
        worker may be busy: list scheduling takes at most the share of a worker and a whole tile (Graham 1969)."""
        n, there = max(len(self.grid(tile)), 1), sum(map(math.prod, self.shapes.values())) or math.prod(self.shape)
        work = (self.read_again(tile, arrays) + self.read_again(tile) + 1) / 3 + n * TILE_COST / max(there, 1)
        return work * (1 + workers * math.prod(tile) / max(math.prod(self.shape), 1))

    def read_again(self, tile, arrays=None):
        """Elements that tiles read, over those that are their own. With arrays chunks are read as a whole."""
        grid = self.grid(tile)
        middle = grid.box_at(tuple(n // 2 for n in grid.counts))
        read = own = 0
        for box in grid if len(grid) <= MOST_LOOKS else [middle]:
            for name, window in self.windows(box).items():
                read += self._elements_read(window, arrays and arrays[name].grain)
                own += volume(self.share(name, box))
        return read / max(own, 1)

    @staticmethod
    def _elements_read(window, grain):
        return volume(window) if not grain else met(window, grain) * math.prod(grain)


class Grid:
    """Tiles of one size from the beginning on, in row-major order; those at the ends are smaller."""

    def __init__(self, shape, tile):
        self.shape, self.tile = tuple(shape), tuple(tile)
        self.counts = tuple(-(-n // max(t, 1)) for n, t in zip(self.shape, self.tile))

    def __len__(self):
        return math.prod(self.counts)

    def box_at(self, place):
        return tuple((i * t, min(n, (i + 1) * t)) for i, t, n in zip(place, self.tile, self.shape))

    def __getitem__(self, number):
        if not 0 <= number < len(self):
            raise IndexError(number)
        place = []
        for n in reversed(self.counts):
            number, i = divmod(number, n)
            place.append(i)
        return self.box_at(tuple(reversed(place)))


def _item_bytes(dtype):
    import numpy

    return numpy.dtype(dtype).itemsize


def in_bytes(n):
    for unit in ("B", "kB", "MB", "GB"):
        if abs(n) < 1000:
            return f"{n:.3g} {unit}"
        n /= 1000
    return f"{n:.3g} TB"


def number_of_bytes(memory):
    """Of a number, or a text as 4GB, 500 MB or 2GiB."""
    if isinstance(memory, numbers.Real) and 0 <= memory < 2**63:
        return int(memory)
    match = re.fullmatch(r"\s*(\d+\.?\d*)\s*([kMGT]?)(i?)B?\s*", memory) if isinstance(memory, str) else None
    if not match:
        raise errors.ArgumentError(f"memory is {memory!r}; it should be a number of bytes, as 4GB or 500MiB")
    number, unit, binary = match.groups()
    return int(float(number) * (1024 if binary else 1000) ** " kMGT".index(unit or " "))
