"""The objects of PolyMage's language, as a program makes them when Python itself runs it.

`made` has the parameters, images and stages in the order in which they are made. There is one program a process.
"""
import functools
import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np


class Type:
    def __init__(self, name, dtype):
        self.name, self.dtype = name, np.dtype(dtype)


TYPES = [Type(*row) for row in [
    ("Char", "i1"), ("UChar", "u1"), ("Short", "i2"), ("UShort", "u2"), ("Int", "i4"), ("UInt", "u4"),
    ("Long", "i8"), ("ULong", "u8"), ("Float", "f4"), ("Double", "f8"),
]]  # fmt: skip


@dataclass
class Made:
    parameters: list = field(default_factory=list)
    images: list = field(default_factory=list)
    stages: list = field(default_factory=list)

    def clear(self):
        self.__init__()


made = Made()


class Unsupported(Exception):
    """The program has what only the compiler knows."""


# --- expressions ---


def as_expression(e):
    if isinstance(e, (bool, int, float, Fraction, np.integer, np.floating)):
        return Number(e)
    return e


class Expression:
    """An operator or a function, and what it is applied to; numbers, variables, reads and so on have classes."""

    __array_ufunc__ = None  # numpy's numbers leave operators to us
    __hash__ = object.__hash__

    def __init__(self, op, *args):
        self.op, self.args = op, [as_expression(a) for a in args]

    def __eq__(self, other):
        return NotImplemented if other is None else Condition(self, "==", other)

    def __ne__(self, other):
        return NotImplemented if other is None else Condition(self, "!=", other)

    def __neg__(self):
        return Expression("neg", self)

    def __pos__(self):
        return self

    def __invert__(self):
        return Expression("~", self)


def add_operators():
    names = dict(add="+", sub="-", mul="*", truediv="/", floordiv="//", mod="%", lshift="<<", rshift=">>")
    names |= dict(xor="^", or_="|", and_="&")
    for name, op in names.items():
        plain = name.rstrip("_")
        setattr(Expression, f"__{plain}__", lambda a, b, op=op: Expression(op, a, b))
        setattr(Expression, f"__r{plain}__", lambda a, b, op=op: Expression(op, b, a))
    for name, op in dict(lt="<", le="<=", gt=">", ge=">=").items():
        setattr(Expression, f"__{name}__", lambda a, b, op=op: Condition(a, op, b))


add_operators()


class Number(Expression):
    def __init__(self, value):
        super().__init__("number")
        if isinstance(value, Fraction) and value.denominator != 1:
            raise Unsupported("a fraction")
        self.value = float(value) if isinstance(value, (float, np.floating)) else int(value)


class Variable(Expression):
    def __init__(self, type=None, name=None):
        super().__init__("variable")


class Parameter(Expression):
    def __init__(self, type, name=None):
        super().__init__("parameter")
        self.type, self.name = type, name
        made.parameters.append(self)


class Reference(Expression):
    def __init__(self, of, args):
        super().__init__("read", *args)
        self.of = of


class Cast(Expression):
    def __init__(self, type, value):
        super().__init__("cast", value)
        self.type = type


class Condition(Expression):
    """A comparison, or two conditions with & or | between them."""

    def __init__(self, left, op, right):
        super().__init__(op, left, right)

    def __and__(self, other):
        return Condition(self, "&", other)

    def __or__(self, other):
        return Condition(self, "|", other)

    def __bool__(self):
        """What Python's own `and` and `assert` ask: sizes are as the program wants them."""
        return True


class Select(Expression):
    def __init__(self, condition, yes, no):
        super().__init__("select", condition, yes, no)


class Stencil(Expression):
    """Stencil(f(x, y), factor, kernel), Stencil(f, factor, kernel) or Stencil(f, [x, y], kernel, origin)"""

    def __init__(self, *args, **named):
        super().__init__("stencil")
        given = dict(zip(["input", "second", "kernel", "origin"], args))
        given |= {{"input_fn": "input", "iteration_vars": "second", "factor": "second"}.get(k, k): v for k, v in plain(named)}
        source, second = given["input"], given["second"]
        self.of = source.of if isinstance(source, Reference) else source
        self.indices = source.args if isinstance(source, Reference) else None
        self.factor = 1 if isinstance(second, (list, tuple)) else second
        self.indices = list(second) if isinstance(second, (list, tuple)) else self.indices
        self.kernel, self.origin = np.array(given["kernel"], object), given.get("origin")

    def expand(self, variables):
        """The sum that it stands for; `variables` are those of the stage around it."""
        indices, sizes = self.indices or variables, self.kernel.shape
        origin = [(n - 1) // 2 for n in sizes] if self.origin is None else self.origin
        first, total = len(indices) - len(sizes), None
        for place in np.ndindex(*sizes):
            weight = self.kernel[place]
            if isinstance(weight, (int, float)) and weight == 0:
                continue
            moved = [indices[first + d] + (place[d] - origin[d]) for d in range(len(sizes))]
            term = scaled(weight, self.of(*indices[:first], *moved))
            total = term if total is None else total + term
        return scaled(self.factor, as_expression(0) if total is None else total)


def plain(named):
    return ((key.lstrip("_"), value) for key, value in named.items())


def scaled(factor, value):
    return value if isinstance(factor, int) and factor == 1 else factor * value


def function(name):
    """Of one or two expressions; more are taken from the left."""

    def made_by(first, *others):
        return functools.reduce(lambda a, b: Expression(name, a, b), others, first) if others else Expression(name, first)

    made_by.__name__ = name
    return made_by


FUNCTIONS = {name: function(name) for name in "Min Max Pow Powf Exp Log Sin Cos Sqrt Sqrtf Abs".split()}


def RandomFloat():
    raise Unsupported("RandomFloat is a hash that only the compiler knows")


# --- stages ---


class Interval:
    def __init__(self, *args):
        bounds = [as_expression(a) for a in args if not isinstance(a, Type)]
        self.lower, self.upper = bounds[:2]
        self.step = bounds[2].value if len(bounds) > 2 else 1


@dataclass
class Case:
    condition: Condition
    value: object


def is_domain(argument):
    if isinstance(argument, tuple) and any(isinstance(part, Type) for part in argument):
        raise Unsupported("a stage of several values")
    return isinstance(argument, tuple)


class Function:
    """A stage. Its definition is a list of values, cases and updates, to which each assignment adds."""

    def __init__(self, *args, **named):
        named = dict(plain(named))
        self.type, self.name, self.boundary = named.get("typ"), named.get("name"), named.get("boundary")
        self.variables, self.intervals, self.items, self.default = [], [], [], None
        for a in args:
            if isinstance(a, Type):
                self.type = a
            elif isinstance(a, str) and self.name is None:
                self.name = a
        self.set_domains([a for a in args if is_domain(a)], named)
        self.remember()

    def remember(self):
        made.stages.append(self)

    def set_domains(self, domains, named):
        if domains or "varDom" in named:
            self.variableDomain = named.get("varDom") or domains[0]

    @property
    def variableDomain(self):
        return self.variables, self.intervals

    @variableDomain.setter
    def variableDomain(self, domain):
        self.variables, self.intervals = domain

    @property
    def defn(self):
        return self.items

    @defn.setter
    def defn(self, definition):
        self.items.extend(definition if isinstance(definition, list) else [definition])

    definition = defn

    def __call__(self, *args):
        return Reference(self, args)


class Image(Function):
    def __init__(self, *args, **named):
        super().__init__(*(a for a in args if not isinstance(a, list)), **named)
        self.extents = [as_expression(e) for a in args if isinstance(a, list) for e in a]
        self.intervals = [Interval(0, e - 1) for e in self.extents]
        self.variables = [Variable() for _ in self.extents]

    def remember(self):
        made.images.append(self)


class Table(Function):
    """A stage of constants."""

    def __init__(self, *args, **named):
        super().__init__(*(a for a in args if not isinstance(a, (list, range))), **named)
        self.values = np.array(named.get("values") or next(a for a in args if isinstance(a, (list, range))))
        self.intervals = [Interval(0, n - 1) for n in self.values.shape]
        implied = "Float" if self.values.dtype.kind == "f" else "Int"
        self.type = self.type or next(t for t in TYPES if t.name == implied)


@dataclass
class Reduce:
    target: Reference
    value: object
    operation: object


class Op:
    Sum, Mul, Prod, Min, Max, And, Or = "Sum", "Prod", "Prod", "Min", "Max", "And", "Or"


class Reduction(Function):
    def set_domains(self, domains, named):
        super().set_domains(domains, named)
        self.reductionDomain = named.get("redDom") or (domains[-1] if domains else ([], []))


class TStencil(Function):
    """TStencil(([variables], [intervals]), type, "name", steps) or
    TStencil(f, ([variables], [intervals]), kernel, "name", origin, steps)"""

    def __init__(self, *args):
        if isinstance(args[0], Function):
            of, domain, kernel, name, origin, self.steps = args
            super().__init__(domain, of.type, name)
            self.defn = Stencil(of, domain[0], kernel, origin)
        else:
            super().__init__(*args[:3])
            self.steps = args[3]


class Built(Exception):
    """buildPipeline ends the program; the stages are its argument."""


def buildPipeline(outputs, *args, **named):
    raise Built(list(outputs))


def names():
    """What `from constructs import *` gives, and what is there where nothing is imported."""
    types = {t.name: t for t in TYPES}
    objects = [Parameter, Variable, Image, Interval, Function, Case, Condition, Select, Cast, Stencil, TStencil]
    objects += [Table, Reduction, Reduce, Op, RandomFloat, buildPipeline]
    aliases = {"Accumulator": Reduction, "Accumulate": Reduce}
    operations = {name: name for name in ("Sum", "Prod", "Mul", "And", "Or")}
    return types | {o.__name__: o for o in objects} | aliases | operations | FUNCTIONS


MATH = {name: getattr(math, name) for name in "ceil cos exp floor log pow sin sqrt pi".split()}
