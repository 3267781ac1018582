"""Buffers: arrays of NumPy whose axes are Halide's dimensions from the last to the first, x the innermost."""
import itertools

import numpy

from pm import recorded
from pm.halide import kinds
from pm.halide.expressions import Expr, Node, applied, boundary, freeze
from pm.recorded import here as _here

_numbers = itertools.count()


class BufferDimension:
    def __init__(self, min, extent, stride):
        self._min, self._extent, self._stride = min, extent, stride

    def min(self):
        return self._min

    def extent(self):
        return self._extent

    def max(self):
        return self._min + self._extent - 1

    def stride(self):
        return self._stride


class Input(Node):
    """What a call of the pipeline gives: a Param, an ImageParam, or the elements of a Buffer."""

    __slots__ = ("_array",)

    def _argument(self, given):
        return self._array


def _shape_of(sizes):
    return tuple(int(size) for size in reversed(sizes))


class Buffer:
    """Buffer(array), of which it shares the memory, Buffer(type, sizes)."""

    def __init__(self, *given, **named):
        parameters = ("buffer", "name", "reverse_axes")
        if (given and isinstance(given[0], kinds.Type)) or "type" in named:
            is_named = len(given) > 2 and isinstance(given[2], str)
            parameters = ("type", "sizes", "name") if is_named else ("type", "sizes", "storage_order", "name")
        values = dict(zip(parameters, given)) | named
        unknown = set(values) - set(parameters) | set(list(parameters)[len(parameters):len(given)])
        if unknown or len(given) > len(parameters):
            raise TypeError(f"Buffer() has no argument {next(iter(unknown), given[-1])!r}")
        self._name = values.get("name") or f"b{next(_numbers)}"
        self._nodes = {}
        self._array, self._mins = self._made(values)

    @staticmethod
    def _made(values):
        if "type" in values:
            sizes = values["sizes"]
            order = values.get("storage_order") or range(len(sizes))
            array = numpy.zeros([sizes[d] for d in reversed(order)], values["type"]._dtype())
            axis = {d: len(sizes) - 1 - k for k, d in enumerate(order)}
            return array.transpose([axis[d] for d in reversed(range(len(sizes)))]), [0] * len(sizes)
        given = values.get("buffer")
        if given is None:
            return None, []
        if isinstance(given, Buffer):
            return given._array, list(given._mins)
        array = numpy.asarray(given)
        kinds.type_of_dtype(array.dtype)
        return (array if values.get("reverse_axes", True) else array.T), [0] * array.ndim

    @classmethod
    def _of(cls, array, mins, name=None):
        made = cls(array, name or "")
        made._mins = list(mins)
        return made

    @staticmethod
    def make_scalar(type, name=""):
        return Buffer(type, [], name)

    @staticmethod
    def make_interleaved(type, width, height, channels, name=""):
        return Buffer._of(numpy.moveaxis(numpy.zeros((height, width, channels), type._dtype()), 2, 0), [0] * 3, name)

    @staticmethod
    def make_with_shape_of(src, name=""):
        return Buffer._of(numpy.zeros_like(src._array), src._mins, name)

    @staticmethod
    def make_bounds_query(*_, **__):
        raise kinds.missing("Buffer.make_bounds_query")

    # --- NumPy ---

    def __array__(self, dtype=None, copy=None):
        if self._array is None:
            raise ValueError("Cannot convert a Buffer<> with null host ptr to a Python buffer.")
        wanted = self._array if dtype is None else self._array.astype(dtype, copy=False)
        return wanted.copy() if copy else wanted

    # --- shape ---

    def defined(self):
        return self._array is not None

    def same_as(self, other):
        return self is other

    def name(self):
        return self._name

    def set_name(self, name):
        self._name = name

    def type(self):
        return kinds.type_of_dtype(self._array.dtype)

    def dimensions(self):
        return self._array.ndim

    def _axis(self, d):
        return self._array.ndim - 1 - d

    def dim(self, dimension):
        if not 0 <= dimension < self._array.ndim:
            raise IndexError(f"the Buffer has {self._array.ndim} dimensions, number {dimension} is asked for")
        axis = self._axis(dimension)
        return BufferDimension(self._mins[dimension], self._array.shape[axis],
                               self._array.strides[axis] // self._array.itemsize)

    def _extent(self, d):
        return self._array.shape[self._axis(d)] if d < self._array.ndim else 1

    def width(self):
        return self._extent(0)

    def height(self):
        return self._extent(1)

    def channels(self):
        return self._extent(2)

    def left(self):
        return self.dim(0).min()

    def right(self):
        return self.dim(0).max()

    def top(self):
        return self.dim(1).min()

    def bottom(self):
        return self.dim(1).max()

    def number_of_elements(self):
        return self._array.size

    def size_in_bytes(self):
        return self._array.nbytes

    def contains(self, coords):
        return all(self.dim(d).min() <= i <= self.dim(d).max() for d, i in enumerate(coords))

    def set_min(self, mins):
        if len(mins) > self._array.ndim:
            raise ValueError("Too many arguments")
        self._mins[:len(mins)] = [int(m) for m in mins]

    def translate(self, dimension, dx=None):
        for d, by in enumerate(dimension) if dx is None else [(dimension, dx)]:
            self._mins[d] += by

    def _changed(self, change, *args):
        copy = Buffer._of(self._array, self._mins)
        change(copy, *args)
        return copy

    def translated(self, *args):
        return self._changed(Buffer.translate, *args)

    def crop(self, dimension, min=None, extent=None):
        for d, (low, n) in enumerate(dimension) if min is None else [(dimension, (min, extent))]:
            if low < self._mins[d] or low + n > self._mins[d] + self._extent(d):
                raise IndexError(f"the crop of dimension {d}, {low} to {low + n - 1}, is not inside of the Buffer")
            index = [slice(None)] * self._array.ndim
            index[self._axis(d)] = slice(low - self._mins[d], low - self._mins[d] + n)
            self._array, self._mins[d] = self._array[tuple(index)], low

    def cropped(self, *args):
        return self._changed(Buffer.crop, *args)

    def slice(self, dimension, pos=None):
        pos = self._mins[dimension] if pos is None else pos
        if not self._mins[dimension] <= pos <= self.dim(dimension).max():
            raise IndexError(f"the slice {pos} of dimension {dimension} is not inside of the Buffer")
        self._array = numpy.moveaxis(self._array, self._axis(dimension), 0)[pos - self._mins[dimension], ...]
        del self._mins[dimension]

    def sliced(self, *args):
        return self._changed(Buffer.slice, *args)

    def embed(self, dimension, pos=0):
        self._array = numpy.expand_dims(self._array, self._array.ndim - dimension)
        self._mins.insert(dimension, pos)

    def embedded(self, *args):
        return self._changed(Buffer.embed, *args)

    def add_dimension(self):
        self.embed(self._array.ndim)

    def transpose(self, d1, d2=None):
        order = list(range(self._array.ndim)) if d2 is not None else list(d1)
        if d2 is not None:
            order[d1], order[d2] = d2, d1
        self._array = self._array.transpose([self._axis(d) for d in reversed(order)])
        self._mins = [self._mins[d] for d in order]

    def transposed(self, *args):
        return self._changed(Buffer.transpose, *args)

    def reverse_axes(self):
        return self.transposed(list(reversed(range(self._array.ndim))))

    # --- elements ---

    def copy_to_host(self):
        return 0  # they are there

    def copy(self):
        return Buffer._of(self._array.copy(), self._mins)

    def copy_from(self, src):
        """The points that both have."""
        ranges = [(max(a, b), min(a + self._extent(d), b + src._extent(d)))
                  for d, (a, b) in enumerate(zip(self._mins, src._mins))]
        if all(low < high for low, high in ranges):
            numpy.copyto(self.cropped([(a, b - a) for a, b in ranges])._array,
                         src.cropped([(a, b - a) for a, b in ranges])._array)

    def fill(self, value):
        self._array[...] = value

    def all_equal(self, value):
        return bool((self._array == value).all())

    def for_each_element(self, f):
        for index in numpy.ndindex(*reversed(self._array.shape)):
            f([i + m for i, m in zip(index, self._mins)])

    def _index(self, position):
        if len(position) != self._array.ndim:
            raise ValueError("Incorrect number of dimensions.")
        for d, i in enumerate(position):
            dim = self.dim(d)
            if not dim.min() <= i <= dim.max():
                raise IndexError(f"index {i} is out of bounds for axis {d} with min={dim.min()}, extent={dim.extent()}")
        return tuple(int(i) - m for i, m in zip(reversed(position), reversed(self._mins)))

    @boundary
    def __getitem__(self, position):
        position = tuple(position) if isinstance(position, (tuple, list)) else (position,)
        if all(hasattr(i, "__index__") for i in position):
            return self._array[self._index(position)].item()
        place = _here(1)
        return recorded.made(Expr._new(), ("read", self._as_value(), tuple(freeze(i, place) for i in position), {}), place)

    def __setitem__(self, position, value):
        position = tuple(position) if isinstance(position, (tuple, list)) else (position,)
        self._array[self._index(position)] = value

    def __repr__(self):
        if self._array is None:
            return "<undefined halide.Buffer>"
        shape = [[d.min(), d.extent(), d.stride()] for d in map(self.dim, range(self._array.ndim))]
        return f"<halide.Buffer of type {self.type()} shape:{str(shape).replace(' ', '')}>"

    # --- in a pipeline ---

    def _points(self):
        return [(m, self._extent(d)) for d, m in enumerate(self._mins)]

    def _as_value(self):
        """Its elements as an input of the pipelines that read it, of the shape that it has now."""
        if self._array is None:
            raise ValueError("the Buffer is not defined")
        key = (self._array.__array_interface__["data"][0], self._array.shape, self._array.strides, *self._mins)
        if key not in self._nodes:
            place = _here(2)
            node = Input()
            node._array = self._array
            node._record(("call", "ImageParam", (self.type(), self._array.ndim, self._name), {}), place)
            said = Node()
            applied(said, "box", (node, self._points()), place)
            node._state(None, said, None)
            self._nodes[key] = node
        return self._nodes[key]
