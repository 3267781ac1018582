"""Exprs, Vars, RDoms and functions of them: what is recorded of each, in the words of the frontend of Halide's C++."""
import itertools
import struct
import warnings

from pm import _pm, errors, recorded
from pm.halide import kinds
from pm.recorded import here as _here

boundary = _pm.boundary
language = recorded.Language("halide")
_numbers = itertools.count()


def check_float(value, place):
    """A float is one of 32 bits."""
    if value != value or value in (float("inf"), -float("inf")):
        return
    try:
        if struct.unpack("f", struct.pack("f", value))[0] == value:
            return
    except OverflowError:
        pass
    line, _ = recorded.line_and_column(place)
    warnings.warn_explicit(
        f"The floating-point value {value:.17f} will be interpreted as a float32 by Halide and lose precision;"
        " add an explicit `f32()` or `f64()` cast to avoid this warning.",
        RuntimeWarning, place[0].co_filename, line)


def freeze(value, place=None):
    """The value as it is now. Floats, unless there is no place, are Exprs of 32 bits."""
    if isinstance(value, float):
        if place:
            check_float(value, place)
        return value
    if isinstance(value, (list, tuple)):
        return type(value)([freeze(item, place) for item in value])
    taken = getattr(value, "_as_value", None)
    if taken is not None:
        return freeze(taken(), place)
    if hasattr(value, "__getitem__") and hasattr(value, "__len__") and not isinstance(value, (recorded.Node, str, dict)) and \
            not hasattr(value, "tolist"):
        return tuple([freeze(value[i], place) for i in range(len(value))])
    return recorded.freeze(value)


class Node(recorded.Node):
    __slots__ = ()
    _language = language


def applied(node, word, operands, place):
    return recorded.made(node, ("apply", word, tuple(freeze(o, place) for o in operands), {}), place)


def called(node, name, args, place):
    return recorded.made(node, ("call", name, tuple(freeze(a, place) for a in args), {}), place)


def asked(node, of, name, args, place):
    """of.name(args)"""
    return recorded.made(node, ("method", (of, name), tuple(freeze(a, place) for a in args), {}), place)


def stated(of, name, args, place):
    """The same, which holds from here on."""
    said = Node()
    try:
        asked(said, of, name, args, place)
    except errors.Error:
        language.end_session()  # it may be half done
        raise
    return said


# --- operators ---


def _is_operand(value):
    return isinstance(value, (Operand, bool, int, float)) or hasattr(value, "__float__") or hasattr(value, "_as_value")


def _binary(word):
    def forward(self, other):
        return applied(Expr._new(), word, (self, other), _here(1)) if _is_operand(other) else NotImplemented

    def backward(self, other):
        return applied(Expr._new(), word, (other, self), _here(1)) if _is_operand(other) else NotImplemented

    return boundary(forward), boundary(backward)


class Operand(Node):
    """What operators are applied to."""

    __slots__ = ()

    __add__, __radd__ = _binary("+")
    __sub__, __rsub__ = _binary("-")
    __mul__, __rmul__ = _binary("*")
    __truediv__, __rtruediv__ = _binary("/")
    __floordiv__, __rfloordiv__ = _binary("//")
    __mod__, __rmod__ = _binary("%")
    __lshift__, __rlshift__ = _binary("<<")
    __rshift__, __rrshift__ = _binary(">>")
    __and__, __rand__ = _binary("&")
    __or__, __ror__ = _binary("|")
    __xor__, __rxor__ = _binary("^")
    __lt__, __gt__ = _binary("<")[0], _binary(">")[0]
    __le__, __ge__ = _binary("<=")[0], _binary(">=")[0]
    __eq__, __ne__ = _binary("==")[0], _binary("!=")[0]
    __hash__ = object.__hash__

    @boundary
    def __pow__(self, other):
        return called(Expr._new(), "pow", (self, other), _here(1))

    @boundary
    def __rpow__(self, other):
        return called(Expr._new(), "pow", (other, self), _here(1))

    @boundary
    def __neg__(self):
        return applied(Expr._new(), "-", (self,), _here(1))

    @boundary
    def __invert__(self):
        return applied(Expr._new(), "~", (self,), _here(1))

    @boundary
    def logical_not(self):
        return applied(Expr._new(), "!", (self,), _here(1))

    def __bool__(self):
        raise ValueError(
            f"The halide.{type(self).__name__} cannot be converted to a bool. If this error occurs using the 'and'/'or' "
            "keywords, consider using the '&'/'|' operators instead.")

    @boundary
    def type(self):
        return kinds.type_of_text(applied(Node(), "type", (self,), _here(1)))


class Expr(Operand):
    """A value at each point."""

    __slots__ = ("_is_undefined",)

    @classmethod
    def _new(cls):
        node = cls.__new__(cls)
        node._is_undefined = False
        return node

    @boundary
    def __init__(self, *value):
        self._is_undefined = not value
        self._record(("call", "Expr", tuple(freeze(v, _here(1)) for v in value), {}), _here(1))

    def defined(self):
        return not self._is_undefined

    def __repr__(self):
        return "<undefined halide.Expr>" if self._is_undefined else f"<halide.Expr of type {self.type()}>"


# --- coordinates ---


class Var(Operand):
    """A dimension. Two of one name are one."""

    __slots__ = ("_name",)

    @boundary
    def __init__(self, name=None):
        self._name = name or f"v{next(_numbers)}"
        self._record(("call", "Var", (name,) if name else (), {}), _here(1))

    def name(self):
        return self._name

    __str__ = name

    def same_as(self, other):
        return self._name == other._name

    def is_placeholder(self):
        return self._name == "_"

    def is_implicit(self):
        return self._name[:1] == "_" and self._name[1:].isdigit()

    def implicit_index(self):
        return int(self._name[1:]) if self.is_implicit() else -1

    @staticmethod
    def implicit(n):
        return Var(f"_{n}")

    @staticmethod
    @boundary
    def outermost():
        outer = Var.__new__(Var)
        outer._name = "__outermost"
        return called(outer, "Var::outermost", (), _here(1))

    def __repr__(self):
        return f"<halide.Var '{self._name}'>"


class RVar(Operand):
    """A dimension of an RDom, or the name of a loop that a directive makes of one."""

    __slots__ = ("_name",)

    @boundary
    def __init__(self, name=None):
        place = _here(1)
        self._name = f"r{next(_numbers)}" if name is None else name
        if isinstance(name, RDom):
            self._name = name._name
            applied(self, "[]", (name, 0), place)
        else:
            self._record(("call", "RVar", (name,) if name else (), {}), place)

    @boundary
    def min(self):
        return asked(Expr._new(), self, "min", (), _here(1))

    @boundary
    def extent(self):
        return asked(Expr._new(), self, "extent", (), _here(1))

    def name(self):
        return self._name

    def __repr__(self):
        return f"<halide.RVar '{self._name}'>"


class Range:
    """Range(min, extent)"""

    def __init__(self, min=None, extent=None):
        self.min, self.extent = min, extent

    def _as_value(self):
        return (self.min, self.extent)


class RDom(Operand):
    """The points of a reduction: RDom([(min, extent), …]), RDom(buffer)."""

    __slots__ = ("_name", "_n")

    @boundary
    def __init__(self, region=None, name=""):
        place = _here(1)
        self._name = name or f"r{next(_numbers)}"
        points = getattr(region, "_points", None)
        if points is not None:
            region = points()  # of a Buffer they are known
        given = () if region is None else (list(region) if isinstance(region, (list, tuple)) else region,)
        if given and type(given[0]) is list:
            given = ([tuple(pair._as_value() if isinstance(pair, Range) else pair) for pair in given[0]],)
        self._n = len(given[0]) if given and type(given[0]) is list else getattr(region, "_rank", 0)
        self._record(("call", "RDom", (*[freeze(g, place) for g in given], *([name] if name else [])), {}), place)

    def _dimension(self, i, word, key, place):
        if not hasattr(i, "__index__"):
            raise TypeError(f"an RDom has dimensions by number, not {i!r}")
        if not 0 <= i < self._n:
            raise KeyError(f"the RDom has {self._n} dimensions, number {i} is asked for")
        var = RVar.__new__(RVar)
        var._name = f"{self._name}.{'xyzw'[i] if i < 4 else i}"
        return applied(var, word, (self, key), place)

    @boundary
    def __getitem__(self, i):
        return self._dimension(i, "[]", i, _here(1))

    x, y, z, w = (property(boundary(lambda self, i=i, name=name: self._dimension(i, ".", name, _here(1))))
                  for i, name in enumerate("xyzw"))

    @boundary
    def where(self, predicate):
        self._state(None, stated(self, "where", (predicate,), _here(1)), None)

    def dimensions(self):
        return self._n

    __len__ = dimensions

    def __bool__(self):
        return True

    def defined(self):
        return self._n > 0

    def same_as(self, other):
        return self is other

    def __repr__(self):
        return f"<halide.RDom '{self._name}'>"


# --- values of several elements ---


class Tuple:
    """Several values at each point."""

    def __init__(self, values):
        self._items = tuple(values[i] for i in range(len(values)))

    def _as_value(self):
        return self._items

    def size(self):
        return len(self._items)

    __len__ = size

    def __getitem__(self, i):
        return self._items[i]

    def __iter__(self):
        return iter(self._items)

    def __repr__(self):
        return f"<halide.Tuple of size {len(self._items)}>"


def elements(node, place):
    """The Exprs of a value of several."""
    return tuple(applied(Expr._new(), "[]", (node, i), place) for i in range(applied(Node(), "len", (node,), place)))


# --- functions ---


def _has_elements(value):
    return isinstance(value, (Tuple, tuple, list)) or getattr(value, "_n_elements", lambda: 1)() > 1


def _elements_of(value, place):
    return elements(value, place) if isinstance(value, Node) else tuple(value)


def _function(name):
    def call(*args):
        return called(Expr._new(), name, args, _here(1))

    call.__name__ = call.__qualname__ = name
    return boundary(call)


NAMES = """clamp unsafe_promise_clamped abs absd sin asin cos acos tan atan atan2 sinh asinh cosh acosh tanh atanh sqrt
hypot exp log pow fast_sin fast_cos fast_log fast_exp fast_pow fast_inverse fast_inverse_sqrt floor ceil round trunc fract
is_nan is_inf is_finite reinterpret cast lerp popcount count_leading_zeros count_trailing_zeros div_round_to_zero
mod_round_to_zero random_float random_uint random_int undef likely likely_if_innermost saturating_cast strict_float
widen_right_add widen_right_mul widen_right_sub widening_add widening_mul widening_sub widening_shift_left
widening_shift_right rounding_shift_left rounding_shift_right saturating_add saturating_sub halving_add
rounding_halving_add halving_sub mul_shift_right rounding_mul_shift_right u8 u16 u32 u64 i8 i16 i32 i64 u8_sat u16_sat
u32_sat u64_sat i8_sat i16_sat i32_sat i64_sat""".split()
FUNCTIONS = {name: _function(name) for name in NAMES}


def _of_double(name):
    """Of a float all bits count."""

    def call(value):
        place = _here(1)
        return recorded.made(Expr._new(), ("call", name, (freeze(value),), {}), place)

    return boundary(call)


FUNCTIONS["f32"], FUNCTIONS["f64"] = _of_double("f32"), _of_double("f64")


def _folded(name):
    def call(*args):
        place = _here(1)
        if len(args) < 2:
            raise ValueError(f"{name}() must have at least 2 arguments")
        value = args[-1]
        for arg in args[-2::-1]:
            value = called(Expr._new(), name, (arg, value), place)
        return value

    return boundary(call)


FUNCTIONS["min"], FUNCTIONS["max"] = _folded("min"), _folded("max")


@boundary
def select(*args):
    """select(condition, a, condition, b, …, otherwise)"""
    place = _here(1)
    if len(args) < 3:
        raise ValueError("select() must have at least 3 arguments")
    if len(args) % 2 == 0:
        raise ValueError("select() must have an odd number of arguments")
    if not _has_elements(args[-1]):
        return called(Expr._new(), "select", args, place)
    values = [_elements_of(a, place) for a in (*args[1::2], args[-1])]
    conditions = [_elements_of(a, place) if _has_elements(a) else None for a in args[:-1:2]]
    if None in conditions and any(conditions):
        raise errors.ArgumentError("select() on Tuples may not mix Expr and Tuple for the condition elements.")
    n = len(values[-1])
    if any(len(v) != n for v in [*values, *filter(None, conditions)]):
        raise errors.ArgumentError("select() on Tuples requires all Tuples to have identical sizes.")

    def element(i):
        given = [part for c, v, whole in zip(conditions, values, args[:-1:2]) for part in (c[i] if c else whole, v[i])]
        return called(Expr._new(), "select", (*given, values[-1][i]), place)

    return tuple(map(element, range(n)))


@boundary
def mux(index, values):
    """mux(index, [a, b, …]), of Exprs or of Tuples"""
    place = _here(1)
    if isinstance(values, Node):
        values = elements(values, place)
    if not any(map(_has_elements, values)):
        return called(Expr._new(), "mux", (index, list(values)), place)
    values = [_elements_of(v, place) for v in values]
    return tuple(called(Expr._new(), "mux", (index, list(of_element)), place) for of_element in zip(*values, strict=True))


@boundary
def logical_not(value):
    return applied(Expr._new(), "!", (value,), _here(1))


def _reduction(name, is_place):
    def call(*args, **named):
        place = _here(1)
        if named.get("name"):
            args = (*args, named.pop("name"))
        named.pop("name", None)
        for word in ("rdom", "expr"):
            if word in named:
                args = (*args, named.pop(word))
        if named:
            raise TypeError(f"{name}() has no argument {next(iter(named))!r}")
        node = called(Node() if is_place else Expr._new(), name, args, place)
        return elements(node, place) if is_place else node

    call.__name__ = call.__qualname__ = name
    return boundary(call)


def _extreme(name):
    return boundary(lambda self: asked(Expr._new(), self, name, (), _here(1)))


kinds.Type.min, kinds.Type.max = _extreme("min"), _extreme("max")

for _name in ("sum", "product", "maximum", "minimum"):
    FUNCTIONS[_name] = _reduction(_name, False)
for _name in ("argmin", "argmax"):
    FUNCTIONS[_name] = _reduction(_name, True)
FUNCTIONS |= {"select": select, "mux": mux, "logical_not": logical_not}
