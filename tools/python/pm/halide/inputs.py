"""What a call of a pipeline is given: Params and ImageParams."""
import itertools

from pm import errors, recorded
from pm.halide import expressions
from pm.halide.buffers import Buffer, Input
from pm.halide.expressions import Expr, Node, Operand, asked, boundary, freeze
from pm.recorded import here as _here

_numbers = itertools.count()


class Param(Input, Operand):
    """Param(type, name, value): a number of the call."""

    __slots__ = ("_name", "_type", "_given")

    @boundary
    def __init__(self, type, name=None, value=None):
        if name is not None and not isinstance(name, str):
            name, value = None, name
        self._name, self._type, self._given = name or f"p{next(_numbers)}", type, value
        self._record(("call", "Param", (self._name, type), {}), _here(1))

    def set(self, value):
        self._given = value

    def get(self):
        return self._given

    def name(self):
        return self._name

    def type(self):
        return self._type

    def _say(self, name, args, place):
        self._state(None, expressions.stated(self, name, args, place), None)

    @boundary
    def set_range(self, min, max):
        self._say("set_range", (min, max), _here(1))

    @boundary
    def set_min_value(self, min):
        self._say("set_min_value", (min,), _here(1))

    @boundary
    def set_max_value(self, max):
        self._say("set_max_value", (max,), _here(1))

    @boundary
    def set_estimate(self, value):
        self._say("set_estimate", (value,), _here(1))

    def _argument(self, given):
        value = self._given if given is None else given
        if value is None:
            raise errors.ArgumentError(f"the Param {self._name} has no value, set(…) gives it one")
        return value

    def __repr__(self):
        return f"<halide.Param '{self._name}' type {self._type}>"


class Dimension(Node):
    """image.dim(d)"""

    __slots__ = ("_of",)

    def _ask(self, name, place):
        return asked(Expr._new(), self, name, (), place)

    def _say(self, name, args, place):
        self._of._state(None, expressions.stated(self, name, args, place), None)
        return self

    @boundary
    def min(self):
        return self._ask("min", _here(1))

    @boundary
    def extent(self):
        return self._ask("extent", _here(1))

    @boundary
    def max(self):
        return self._ask("max", _here(1))

    @boundary
    def stride(self):
        return self._ask("stride", _here(1))

    @boundary
    def set_bounds(self, min, extent):
        return self._say("set_bounds", (min, extent), _here(1))

    @boundary
    def set_extent(self, extent):
        return self._say("set_extent", (extent,), _here(1))

    @boundary
    def set_min(self, min):
        return self._say("set_min", (min,), _here(1))

    @boundary
    def set_estimate(self, min, extent):
        return self._say("set_estimate", (min, extent), _here(1))

    def set_stride(self, stride):
        """Arrays of other strides are copied."""
        return self

    @boundary
    def dim(self, dimension):
        return self._of._dim(dimension, _here(1))


class ImageParam(Input):
    """ImageParam(type, dimensions, name): an array of the call."""

    __slots__ = ("_name", "_type", "_rank")

    @boundary
    def __init__(self, type, dimensions, name=""):
        self._name, self._type, self._rank, self._array = name or f"p{next(_numbers)}", type, dimensions, None
        self._record(("call", "ImageParam", (type, dimensions, self._name), {}), _here(1))

    def _checked(self, buffer):
        buffer = buffer if isinstance(buffer, Buffer) else Buffer(buffer)
        if buffer.type() != self._type or buffer.dimensions() != self._rank:
            raise errors.DTypeError(f"the Buffer is {buffer.type()} of {buffer.dimensions()} dimensions, the ImageParam "
                                    f"{self._name} is {self._type} of {self._rank}")
        return buffer

    def set(self, buffer):
        self._array = self._checked(buffer)

    def get(self):
        return self._array

    def reset(self):
        self._array = None

    def name(self):
        return self._name

    def type(self):
        return self._type

    def dimensions(self):
        return self._rank

    def defined(self):
        return True

    def _argument(self, given):
        buffer = self._array if given is None else self._checked(given)
        if buffer is None:
            raise errors.ArgumentError(f"the ImageParam {self._name} is not set, set(buffer) does so")
        return buffer

    @boundary
    def __getitem__(self, key):
        place = _here(1)
        key = tuple(key) if isinstance(key, (tuple, list)) else (key,)
        return recorded.made(Expr._new(), ("read", self, tuple(freeze(k, place) for k in key), {}), place)

    def _dim(self, d, place):
        dim = Dimension()
        dim._of = self
        return asked(dim, self, "dim", (d,), place)

    @boundary
    def dim(self, dimension):
        return self._dim(dimension, _here(1))

    def __repr__(self):
        return f"<halide.ImageParam '{self._name}', dims: {self._rank}, type: {self._type}>"


def _extent_method(name):
    return boundary(lambda self: asked(Expr._new(), self, name, (), _here(1)))


for _name in ("width", "height", "channels", "left", "right", "top", "bottom"):
    setattr(ImageParam, _name, _extent_method(_name))
