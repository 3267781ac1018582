"""PolyMage's constructs as objects of Python (docs/python.md, docs/polymage.md): what pm.recorded records of them."""
import math
import sys

from pm import _pm, advice, errors, recorded
from pm.recorded import Name as _Name
from pm.recorded import here as _here

__all__ = [
    "Parameter", "Image", "Variable", "Interval", "Function", "Reduction", "Accumulator", "TStencil", "Table", "Case",
    "Condition", "Select", "Cast", "Stencil", "Reduce", "Accumulate", "Op", "Min", "Max", "Pow", "Powf", "Exp", "Log", "Sin",
    "Cos", "Sqrt", "Sqrtf", "Abs", "RandomFloat", "Sum", "Prod", "Mul", "And", "Or", "ArgMin", "ArgMax", "Require", "Int",
    "UInt", "Short", "UShort", "Char", "UChar", "Long", "ULong", "Float", "Double",
]

_boundary = _pm.boundary
_language = recorded.Language("polymage")
_TYPES = {"int8": "Char", "uint8": "UChar", "int16": "Short", "uint16": "UShort", "int32": "Int", "uint32": "UInt",
          "int64": "Long", "uint64": "ULong", "float32": "Float", "float64": "Double"}


class _OfPython(dict):
    """What types and functions of Python and NumPy are in the language."""

    def __contains__(self, value):
        return self._of_numpy(value) is not None or dict.__contains__(self, value)

    def __getitem__(self, value):
        return self._of_numpy(value) or dict.__getitem__(self, value)

    @staticmethod
    def _of_numpy(value):
        if isinstance(value, type) and value.__module__ == "numpy":
            name = value.__name__
        else:
            of_numpy = type(value).__module__ in ("numpy", "numpy.dtypes") and hasattr(value, "kind")
            name = value.name if of_numpy else None
        return _Name(_TYPES[name]) if name in _TYPES else None


_OF_PYTHON = _OfPython({float: _Name("float"), int: _Name("int"), bool: _Name("bool"), str: _Name("str"), abs: _Name("abs"),
                        min: _Name("min"), max: _Name("max")})


def _freeze(value):
    return recorded.freeze(value, _OF_PYTHON)


class Node(recorded.Node):
    """What a pipeline is made of."""

    __slots__ = ()
    _language = _language


# --- expressions ---


def _apply(word, operands, place):
    return recorded.made(Expression(), ("apply", word, tuple(_freeze(o) for o in operands), {}), place)


def _is_operand(value):
    return isinstance(value, (Expression, bool, int, float)) or hasattr(value, "__float__")


def _binary(word):
    def forward(self, other):
        return _apply(word, (self, other), _here(1))

    def backward(self, other):
        return _apply(word, (other, self), _here(1))

    return _boundary(forward), _boundary(backward)


def _comparison(word):
    def compare(self, other):
        if word in ("==", "!=") and not _is_operand(other):
            return NotImplemented
        return _apply(word, (self, other), _here(1))

    return _boundary(compare)


# Functions of Python that the language has for numbers alone, and how many these are: its messages name what is for
# values of stages.
_OF_NUMBERS = {"max": 2, "min": 2, "pow": 2, "sqrt": 1, "exp": 1, "log": 1, "sin": 1, "cos": 1, "floor": 1, "ceil": 1,
               "int": 1, "float": 1, "range": 1, "round": 1}


def _not_of_numbers(name, value, place):
    """The language's message for a function that is given the value."""
    return recorded.made(Expression(), ("call", name, (value,) * _OF_NUMBERS[name], {}), place)


def _refused(name):
    """What gives a number to Python has none yet."""

    def refuse(self, *args):
        place = _here(1)
        asking = advice.called(place)
        if asking in _OF_NUMBERS:
            return _not_of_numbers(asking, self, place)
        if hasattr(math, asking or ""):
            raise recorded.mistake(place, f"math.{asking} is for numbers, constructs of pm should make values of stages")
        if name == "range":
            raise recorded.mistake(place, "what is indexed is of Python, a Table(type, [values]) should have what stages index"
                                   if asking is None else f"{asking}() should be given an integer that is known while the program is read")
        return _not_of_numbers(name, self, place)

    return _boundary(refuse)


# Functions of NumPy that mean the same; others have a word of their own.
_UFUNCS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "floor_divide": "//",
           "remainder": "%", "left_shift": "<<", "right_shift": ">>", "bitwise_and": "&", "bitwise_or": "|",
           "bitwise_xor": "^", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==",
           "not_equal": "!=", "negative": "-", "sqrt": "Sqrt", "exp": "Exp", "log": "Log", "sin": "Sin", "cos": "Cos",
           "absolute": "Abs", "power": "**"}
_WORDS_FOR = {"minimum": "Min(a, b)", "maximum": "Max(a, b)", "fmin": "Min(a, b)", "fmax": "Max(a, b)",
              "where": "Select(condition, a, b)", "clip": "Min(Max(value, low), high)", "logical_and": "&", "logical_or": "|",
              "median": "a network of Min and Max", "sum": "sum of Python, or a Reduction", "round": "Cast(Int, value + 0.5)",
              "floor": "Cast(Int, value), for values of at least 0,", "convolve": "Stencil", "pad": "boundary="}


def _not_of_arrays(name):
    word = _WORDS_FOR.get(name)
    return f"numpy.{name} is for arrays, {word} should be for values of stages" if word else (
        f"numpy.{name} is for arrays, constructs of pm should make values of stages")


class _Operand(Node):
    """What operators are applied to: stages and images only for the message that they should be read at a point."""

    __slots__ = ()

    __add__, __radd__ = _binary("+")
    __sub__, __rsub__ = _binary("-")
    __mul__, __rmul__ = _binary("*")
    __truediv__, __rtruediv__ = _binary("/")
    __floordiv__, __rfloordiv__ = _binary("//")
    __mod__, __rmod__ = _binary("%")
    __pow__, __rpow__ = _binary("**")
    __lshift__, __rlshift__ = _binary("<<")
    __rshift__, __rrshift__ = _binary(">>")
    __and__, __rand__ = _binary("&")
    __or__, __ror__ = _binary("|")
    __xor__, __rxor__ = _binary("^")
    __lt__, __le__, __gt__, __ge__ = map(_comparison, ("<", "<=", ">", ">="))
    __int__, __float__, __index__, __round__, __trunc__ = map(_refused, ("int", "float", "range", "round", "int"))

    @_boundary
    def __neg__(self):
        return _apply("-", (self,), _here(1))

    def __pos__(self):
        return self

    @_boundary
    def __invert__(self):
        return _apply("~", (self,), _here(1))

    @_boundary
    def __abs__(self):
        return recorded.made(Expression(), ("call", "Abs", (self,), {}), _here(1))

    @_boundary
    def __getitem__(self, key):
        return _apply("[]", (self, key), _here(1))

    @_boundary
    def __iter__(self):
        place = _here(1)
        return iter([_apply("[]", (self, i), place) for i in range(_apply("len", (self,), place))])

    @_boundary
    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        word, place = _UFUNCS.get(ufunc.__name__), recorded.outside_of("numpy", 1)
        if word is None or method != "__call__" or named:
            raise recorded.mistake(place, _not_of_arrays(ufunc.__name__))
        if word[0].isalpha():
            return recorded.made(Expression(), ("call", word, tuple(_freeze(i) for i in inputs), {}), place)
        return _apply(word, inputs, place)

    @_boundary
    def __array_function__(self, function, types, args, named):
        raise recorded.mistake(recorded.outside_of("numpy", 1), _not_of_arrays(function.__name__.rstrip("_")))

    @_boundary
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        try:
            return _apply(".", (self, name), _here(1))
        except errors.CompileError as error:
            raise errors.AttributeMissing(error.diagnostics) from None


class Expression(_Operand):
    """A value at each point, or a condition."""

    __slots__ = ()

    __eq__, __ne__ = map(_comparison, ("==", "!="))
    __hash__ = object.__hash__

    @_boundary
    def __bool__(self):
        place, (kind, word, operands, _) = _here(1), self._recipe
        asking = advice.called(place) if kind == "apply" else None
        if asking in ("max", "min"):  # which compare their arguments
            return _not_of_numbers(asking, next((o for o in operands if isinstance(o, Node)), self), place)
        return bool(_apply("bool", (self, advice.instead(place)), place))


# --- conditions on parameters ---


@_boundary
def Require(*conditions):
    """Require(R >= 3, C >= 3): conditions on parameters that hold in every call."""
    place = _here(1)
    for condition in map(_freeze, conditions):
        node = Expression()
        node._record(("apply", "require", (condition,), {}), place)
        for parameter in _parameters_of(condition):
            parameter._state(None, node, place, node._order)


def _parameters_of(value):
    """The parameters in a frozen value."""
    found, rest, seen = [], [value], set()
    while rest:
        value = rest.pop()
        if type(value) in (list, tuple):
            rest.extend(value)
        elif isinstance(value, Node) and id(value) not in seen:
            seen.add(id(value))
            if isinstance(value, Parameter):
                found.append(value)
            rest += [value._recipe[1], value._recipe[2], *value._recipe[3].values()]
    return found


# --- functions of expressions ---


def _function(name, text):
    def call(*args, **named):
        return recorded.made(Expression(), ("call", name, tuple(_freeze(a) for a in args),
                                            {k: _freeze(v) for k, v in named.items()}), _here(1))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = text
    call._pm_name = _Name(name)
    return _boundary(call)


Select = _function("Select", "Select(condition, a, b): a where the condition holds, else b.")
Cast = _function("Cast", "Cast(type, value): the value converted.")
Min = _function("Min", "Min(a, b), and the operation of Reduce.")
Max = _function("Max", "Max(a, b), and the operation of Reduce.")
Pow = _function("Pow", "Pow(a, b): a to the power of b.")
Powf = _function("Powf", "Powf(a, b): the same in single precision.")
Exp = _function("Exp", "Exp(a)")
Log = _function("Log", "Log(a): natural.")
Sin = _function("Sin", "Sin(a)")
Cos = _function("Cos", "Cos(a)")
Sqrt = _function("Sqrt", "Sqrt(a)")
Sqrtf = _function("Sqrtf", "Sqrtf(a): in single precision.")
Abs = _function("Abs", "Abs(a)")
RandomFloat = _function("RandomFloat", "RandomFloat(): 0 <= value < 1, the same in each run.")
Stencil = _function("Stencil", "Stencil(f(x, y), factor, kernel): factor times the weighted sum around the point.")
Case = _function("Case", "Case(condition, value): a value where a condition holds.")
Condition = _function("Condition", "Condition(a, '<', b), as a < b.")
Reduce = _function("Reduce", "Reduce(h(e), value, Sum): an update of a reduction.")
Accumulate = _function("Accumulate", "Accumulate(h(e), value, Sum): as Reduce.")
Sum = _function("Sum", "The operation of Reduce.")
Prod = _function("Prod", "The operation of Reduce.")
Mul = _function("Mul", "The operation of Reduce, as Prod.")
And = _function("And", "The operation of Reduce: of bits.")
Or = _function("Or", "The operation of Reduce: of bits.")
ArgMin = _function("ArgMin", "The operation of Reduce: the tuple with the least first value.")
ArgMax = _function("ArgMax", "The operation of Reduce: the tuple with the greatest first value.")


class Op:
    """The operations of Reduce, as PolyMage names them."""

    Sum, Prod, Mul, Min, Max, And, Or, ArgMin, ArgMax = Sum, Prod, Mul, Min, Max, And, Or, ArgMin, ArgMax


Int, UInt, Short, UShort, Char, UChar, Long, ULong, Float, Double = map(
    _Name, ("Int", "UInt", "Short", "UShort", "Char", "UChar", "Long", "ULong", "Float", "Double"))


# --- objects ---


class _Object:
    """What is made by a call of its class."""

    __slots__ = ()
    _takes_name = True

    @_boundary
    def __init__(self, *args, **named):
        name = next(c.__name__ for c in type(self).__mro__ if c.__module__ == __name__)
        self._record(("call", name, tuple(_freeze(a) for a in args), {k: _freeze(v) for k, v in named.items()}),
                     _here(1))


class Parameter(_Object, Expression):
    """Parameter(Int, "R"): a scalar that a call gives, or that follows from the shape of an array."""

    __slots__ = ()


class Variable(_Object, Expression):
    """Variable(Int, "x"): a dimension."""

    __slots__ = ()


class Interval(_Object, _Operand):
    """Interval(Int, lower, upper, step): both ends are inside."""

    __slots__ = ()


class _Array(_Object, _Operand):
    __slots__ = ()

    @_boundary
    def __call__(self, *args, **named):
        return recorded.made(Expression(), ("read", self, tuple(_freeze(a) for a in args),
                                            {k: _freeze(v) for k, v in named.items()}), _here(1))

    @_boundary
    def __setitem__(self, key, value):
        _apply("[]", (self, key), _here(1))

    @_boundary
    def __setattr__(self, name, value):
        if name in recorded.Node.__slots__:
            object.__setattr__(self, name, value)
        elif not isinstance(value, _Definition):  # which f.defn += [...] gives back
            self._set(name, value, _here(1))

    def _set(self, name, value, place):
        value = _freeze(value)
        with recorded.lock:
            session = self._language.session()
            session.need([self, value])
            try:
                session.set(self, name, value, place)
            except errors.Error:
                self._language.end_session()  # the stage there is half defined
                raise
            self._state(name, value, place)


class Image(_Array):
    """Image(Float, "img", [R, C], boundary="clamp"): an array that a call gives."""

    __slots__ = ()


class Table(_Array):
    """Table(UChar, [3, 1, 2]): constants."""

    __slots__ = ()


class _Definition:
    """f.defn, to which cases are appended."""

    def __init__(self, stage):
        self._stage = stage

    @_boundary
    def append(self, value):
        self._stage._set("defn", value, _here(1))

    @_boundary
    def extend(self, values):
        self._stage._set("defn", list(values), _here(1))

    @_boundary
    def __iadd__(self, values):
        self._stage._set("defn", values, _here(1))
        return self


class _Stage(_Array):
    __slots__ = ()

    @property
    def defn(self):
        return _Definition(self)

    definition = defn


class Function(_Stage):
    """Function(([x, y], [rows, cols]), Float, "f"): a stage, whose values are f.defn."""

    __slots__ = ()


class Reduction(_Stage):
    """Reduction(varDom, redDom, Float, "h"): a stage that updates go to."""

    __slots__ = ()


class Accumulator(_Stage):
    """Accumulator(Int, "h"): a reduction."""

    __slots__ = ()


class TStencil(_Stage):
    """TStencil(([x, y], [rows, cols]), Float, "f", steps): a definition that is applied several times."""

    __slots__ = ()


# --- compilation ---


def _options(const, range):
    return ([("const", f"{name}={_text(value)}") for name, value in (const or {}).items()]
            + [("range", f"{name}={ends if isinstance(ends, str) else f'{ends[0]}:{ends[1]}'}")
               for name, ends in (range or {}).items()])


def _text(value):
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def program(outputs, *, name=None, const=None, range=None, depth=0):
    """The file that asks for it, and the text, in PMIR, of the pipeline with these outputs, one or a list. Stages without
    names are named after the variables of the caller, `depth` calls above."""
    frame, place = sys._getframe(depth + 1), _here(depth + 1)
    given = _freeze(outputs)
    if isinstance(given, (list, tuple)) and not given:
        raise recorded.mistake(place, "there is no stage to compile, one should be given, or a list of them")
    with recorded.lock:
        _language.end_session()
        session = recorded.Session(_language, _options(const, range))
        session.need([given])
        return place[0].co_filename, recorded.finish(session, given, name, frame, place)
