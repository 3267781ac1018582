"""The value of each stage at each of its points, by its definition: one operation after the other, in C's types.

An expression is evaluated at many points at once. Its value is a numpy array, with an element a point or a single one;
or a Python number, which has no type yet. Integers stand in values, as in C, or in indices: 64 bits, quotients rounded
down, remainders not negative.
"""
import ctypes
import ctypes.util

import numpy as np

from naive.language import Case, Cast, Condition, Number, Parameter, Reduce, Reference, Select
from naive.language import Stencil, Table, TStencil, Variable, as_expression

I32, I64, U32, U64 = (np.dtype(t) for t in ("i4", "i8", "u4", "u8"))
F32, F64 = np.dtype("f4"), np.dtype("f8")


class Wrong(Exception):
    """The program has no value there."""


# --- types and conversions ---


def is_real(v):
    return isinstance(v, float) or (isinstance(v, np.ndarray) and v.dtype.kind == "f")


def promoted(v):
    """C's integer promotion; of a number its type alone."""
    if isinstance(v, int):
        return I32 if -(2**31) <= v < 2**31 else I64
    return v.dtype if v.dtype.itemsize >= 4 else I32


def common_integer(a, b):
    types = {promoted(a), promoted(b)}
    return next((t for t in (U64, I64, U32) if t in types), I32)


def convert(v, dtype):
    if isinstance(v, float) and dtype.kind != "f":
        v = int(v)
    if isinstance(v, (int, float)):
        bits = 8 * dtype.itemsize
        return np.array(v % 2**bits, f"u{dtype.itemsize}").astype(dtype) if dtype.kind != "f" else np.array(v, dtype)
    if v.dtype.kind == "f" and dtype.kind != "f":
        v = np.trunc(v).astype(U64 if dtype == U64 else I64)
    return v.astype(dtype)


# --- arithmetic ---


def quotient(a, b):
    """Rounded toward zero; 0 where b is 0."""
    q = np.floor_divide(a, b)
    up = (q * b != a) & ((a < 0) != (b < 0))
    return np.where(b == 0, 0, q + up.astype(q.dtype)).astype(q.dtype)


def remainder(a, b):
    return np.where(b == 0, 0, a - quotient(a, b) * b).astype(a.dtype)


def shifted(op, a, amount):
    bits = 8 * a.dtype.itemsize
    inside = (amount >= 0) & (amount < bits)
    count = np.where(inside, amount, 0).astype(a.dtype)
    return np.where(inside, a << count if op == "<<" else a >> count, -1 * (a < 0) if op == ">>" else 0).astype(a.dtype)


REAL = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": lambda a, b: np.floor(a / b),
    "Min": lambda a, b: np.where(a < b, a, b),
    "Max": lambda a, b: np.where(a > b, a, b),
}
BITS = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}
COMMON = {k: REAL[k] for k in ("+", "-", "*", "Min", "Max")} | BITS
VALUE = COMMON | {"/": quotient, "//": np.floor_divide, "%": remainder}
INDEX = COMMON | {"/": np.floor_divide, "//": np.floor_divide, "%": lambda a, b: np.mod(a, np.abs(b))}
RELATIONS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal}
CONDITIONS = {*RELATIONS, "&", "|"}

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))


def by_libm(name, *args):
    """numpy has functions of its own, which round otherwise."""
    kind = ctypes.c_float if args[0].dtype == F32 else ctypes.c_double
    f = getattr(LIBM, name + ("f" if args[0].dtype == F32 else ""))
    f.restype, f.argtypes = kind, [kind] * len(args)
    args = np.broadcast_arrays(*args)
    return np.array([f(*row) for row in zip(*(a.ravel().tolist() for a in args))], args[0].dtype).reshape(args[0].shape)


# --- sets of points ---


class Points:
    """`where` has the coordinates by variable, `ids` their numbers in `valid`, which becomes false where a value is not
    known, if there is such an array."""

    def __init__(self, where, count, valid=None, ids=None):
        self.where, self.count, self.valid = where, count, valid
        self.ids = np.arange(count) if ids is None else ids
        self.known = {}  # values of expressions

    def part(self, mask):
        where = {v: c if c.ndim == 0 else c[mask] for v, c in self.where.items()}
        return Points(where, int(mask.sum()), self.valid, self.ids[mask])

    def all(self, v):
        return np.broadcast_to(v, (self.count,))


def has_symbols(e):
    return isinstance(e, (Variable, Parameter)) or any(has_symbols(a) for a in e.args)


def is_affine(e):
    """Conditions of cases that are affine have the arithmetic of indices."""
    if isinstance(e, Number):
        return isinstance(e.value, int)
    if isinstance(e, Parameter):
        return e.type.dtype.kind != "f"
    if isinstance(e, Variable):
        return True
    if not all(is_affine(a) for a in e.args):
        return False
    if e.op in CONDITIONS | {"+", "-", "neg"} and not (e.op in "&|" and not isinstance(e, Condition)):
        return True
    if e.op == "*":
        return not all(has_symbols(a) for a in e.args)
    mask = e.op == "&" and isinstance(e.args[1], Number) and (e.args[1].value + 1) & e.args[1].value == 0
    return mask or (e.op in ("/", "//", "%", "<<", ">>") and not has_symbols(e.args[1]))


def walk(stage):
    """Each expression of its definition once."""
    todo, seen = [], set()
    for condition, value in map(parts, stage.items):
        todo += [] if condition is None else [condition]
        todo += [*value.target.args, as_expression(value.value)] if isinstance(value, Reduce) else [value]
    while todo:
        e = todo.pop()
        if id(e) not in seen:
            seen.add(id(e))
            todo += e.args + (e.indices or [] if isinstance(e, Stencil) else [])
            yield e


def reads(stage):
    return {e.of for e in walk(stage) if isinstance(e, (Reference, Stencil))}


def parts(item):
    """(condition or None, value or update)"""
    condition, value = (item.condition, item.value) if isinstance(item, Case) else (None, item)
    return condition, as_expression(value)


# --- stages ---

NEUTRAL = {"Sum": 0, "Or": 0, "Prod": 1, "Mul": 1, "And": -1}
UPDATES = dict(Sum=np.add, Prod=np.multiply, Mul=np.multiply, Min=np.minimum, Max=np.maximum)
UPDATES |= dict(And=np.bitwise_and, Or=np.bitwise_or)


def operation_of(update):
    return getattr(update.operation, "__name__", update.operation)


def neutral(operation, dtype):
    if operation in NEUTRAL:
        return NEUTRAL[operation]
    if dtype.kind == "f":
        return np.inf if operation == "Min" else -np.inf
    return int(np.iinfo(dtype).max if operation == "Min" else np.iinfo(dtype).min)


class Box:
    """The array of a stage, its first index in each dimension, and the step of its points."""

    def __init__(self, array, lows, steps):
        self.array, self.lows, self.steps = array, lows, steps
        self.known = None  # where it is computed, while it is


class Evaluation:
    """`parameters` and `images` by the objects."""

    def __init__(self, parameters, images):
        self.parameters = {p: np.array(v).astype(p.type.dtype) for p, v in parameters.items()}
        self.boxes = {}
        for image, array in images.items():
            self.boxes[image] = self.box(array, image.intervals)

    def box_of(self, stage):
        if stage not in self.boxes:
            with np.errstate(all="ignore"):
                self.compute(stage)
        return self.boxes[stage]

    def number(self, e):
        """Of a bound or an extent."""
        v = self.value(e, Points({}, 1), True)
        if is_real(v):
            raise Wrong("a bound is no integer")
        return int(v)

    def counts(self, intervals):
        """Of the points in each dimension."""
        return [max(0, (self.number(i.upper) - self.number(i.lower)) // i.step + 1) for i in intervals]

    def shape(self, intervals):
        """Of an array, which has what a step leaves out, too."""
        return [max(0, (n - 1) * i.step + 1) for n, i in zip(self.counts(intervals), intervals)]

    def points(self, variables, intervals):
        """In their order."""
        grid = np.indices(self.counts(intervals)).reshape(len(intervals), -1)
        where = {v: self.number(i.lower) + i.step * c for v, i, c in zip(variables, intervals, grid)}
        return Points(where, grid.shape[1])

    def box(self, array, intervals):
        return Box(array, [self.number(i.lower) for i in intervals], [i.step for i in intervals])

    def compute(self, stage):
        if isinstance(stage, TStencil):
            return self.compute_steps(stage)
        points = self.points(stage.variables, stage.intervals)
        updates = [(c, v) for c, v in map(parts, stage.items) if isinstance(v, Reduce)]
        values = [(c, v) for c, v in map(parts, stage.items) if not isinstance(v, Reduce)]
        dtype = stage.type.dtype
        start = np.full(self.shape(stage.intervals), convert(stage.default or 0, dtype))
        box = self.boxes[stage] = self.box(start, stage.intervals)
        if stage.default is None and not any(c is None for c, _ in values):
            self.begin(stage, box, updates)
        if isinstance(stage, Table):
            box.array[...] = stage.values.astype(dtype)
        elif stage in reads(stage) and not updates:
            self.compute_in_turn(stage, box, values, points)
        else:
            self.store(stage, box, values, points)
        for condition, update in updates:
            self.update(stage, box, condition, update)

    def begin(self, stage, box, updates):
        """The cells of an update begin with what its operation leaves as it is, all others with that of the first."""
        numbers = [neutral(operation_of(update), stage.type.dtype) for _, update in updates]
        box.array[...] = numbers[0] if numbers else 0
        if len(set(numbers)) < 2:
            return
        begun = np.zeros(box.array.shape, bool)
        for number, (condition, update) in zip(numbers, updates):
            points = self.points_of(stage, update)
            cells = self.targets(stage, box, update, points.part(self.holds(condition, points, stage)))
            if (begun[cells] & (box.array[cells] != number)).any():
                raise Wrong("updates of a cell that begin with different numbers")
            box.array[cells], begun[cells] = number, True

    def cells(self, box, points, variables):
        return tuple(points.where[v] - low for v, low in zip(variables, box.lows))

    def store(self, stage, box, values, points):
        """The values of the cases at the points; where all that they read is known, if `points` has `valid`."""
        covered, result = np.zeros(points.count, bool), np.zeros(points.count, stage.type.dtype)
        for condition, value in values:
            mask = self.holds(condition, points, stage)
            part = points.part(mask)
            v = part.all(convert(self.value(value, part, False, stage), stage.type.dtype))
            if (covered[mask] & (result[mask] != v)).any():
                raise Wrong("cases that overlap")
            covered |= mask
            result[mask] = v
        done = covered if points.valid is None else covered & points.valid
        box.array[self.cells(box, points.part(done), stage.variables)] = result[done]

    def compute_in_turn(self, stage, box, values, points):
        """A stage that reads itself: again and again those of its points that read what is known by then."""
        box.known = np.zeros(box.array.shape, bool)
        while points.count:
            points = Points(points.where, points.count, np.ones(points.count, bool))
            self.store(stage, box, values, points)
            if not points.valid.any():
                raise Wrong("points that wait for each other")
            done = points.part(points.valid)
            box.known[self.cells(box, done, stage.variables)] = True
            points = points.part(~points.valid)
        box.known = None

    def points_of(self, stage, update):
        """A variable of the stage alone is the index that the update has in its place."""
        points = self.points(*stage.reductionDomain)
        for v, e in zip(stage.variables, update.target.args):
            if v not in points.where and not isinstance(e, Variable):
                points.where[v] = points.all(convert(self.value(e, points, True), I64))
        return points

    def targets(self, stage, box, update, points):
        return self.inside(stage, box, [self.value(e, points, True, stage) for e in update.target.args], points)

    def update(self, stage, box, condition, update):
        points, one_by_one = self.points_of(stage, update), stage in reads(stage)
        for some in (points.part(points.ids == i) for i in points.ids) if one_by_one else [points]:
            some = some.part(self.holds(condition, some, stage))
            value = some.all(convert(self.value(as_expression(update.value), some, False, stage), stage.type.dtype))
            UPDATES[operation_of(update)].at(box.array, self.targets(stage, box, update, some), value)

    def compute_steps(self, stage):
        """A TStencil: the array of its input is replaced by that of each step."""
        source = next(r.of for r in walk(stage) if isinstance(r, Stencil))
        for other in reads(stage):
            self.box_of(other)
        last = first = self.boxes[source]
        for _ in range(self.number(as_expression(stage.steps))):
            box = Box(convert(last.array, stage.type.dtype), first.lows, first.steps)
            points = self.points(stage.variables, stage.intervals)
            inside = np.ones(points.count, bool)
            for c, n in zip(self.cells(box, points, stage.variables), box.array.shape):
                inside &= (c >= 0) & (c < n)
            points = points.part(inside)
            points = Points(points.where, points.count, np.ones(points.count, bool))
            self.boxes[source] = last
            self.store(stage, box, list(map(parts, stage.items)), points)
            last = box
        self.boxes[source] = last
        points = self.points(stage.variables, stage.intervals)
        values = self.read(source, [points.where[v] for v in stage.variables], points)
        self.boxes[source] = first
        self.boxes[stage] = self.box(values.reshape(self.shape(stage.intervals)), stage.intervals)

    # --- expressions ---

    def holds(self, condition, points, stage):
        """A bool for each point. What is behind & is asked where the part before it holds."""
        if condition is None:
            return np.ones(points.count, bool)
        if condition.op == "&":
            mask = self.holds(condition.args[0], points, stage).copy()
            mask[mask] = self.holds(condition.args[1], points.part(mask), stage)
            return mask
        return self.test(condition, points, is_affine(condition), stage)

    def test(self, condition, points, index, stage):
        left, right = condition.args
        if condition.op in "&|":
            mask = self.test(left, points, index, stage).copy()
            rest = mask if condition.op == "&" else ~mask
            mask[rest] = self.test(right, points.part(rest), index, stage)
            return mask
        a, b = (self.value(e, points, index, stage) for e in (left, right))
        dtype = self.common(a, b, index, stage)
        return points.all(RELATIONS[condition.op](convert(a, dtype), convert(b, dtype)))

    def common(self, a, b, index, stage):
        if is_real(a) or is_real(b):
            return self.common_real([a, b], stage)
        return I64 if index else common_integer(a, b)

    def common_real(self, values, stage):
        """A number takes the type of the others; alone, and beside integers, it is a double in stages of doubles."""
        types = [v.dtype for v in values if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
        return max(types, key=lambda t: t.itemsize) if types else F64 if stage and stage.type.dtype == F64 else F32

    def value(self, e, points, index, stage=None):
        key = id(e), index
        if key not in points.known:
            v = self.find(e, points, index, stage)
            points.known[key] = np.asarray(v) if isinstance(v, np.generic) else v, e  # which keeps its id
        return points.known[key][0]

    def find(self, e, points, index, stage):
        if isinstance(e, Number):
            return e.value
        if isinstance(e, Variable):
            if e not in points.where:
                raise Wrong("a variable that is not in the domain")
            return convert(points.where[e], I64 if index else I32)
        if isinstance(e, Parameter):
            v = self.parameters[e]
            return convert(v, I64) if index and v.dtype.kind != "f" else v
        if isinstance(e, Stencil):
            return self.value(e.expand(stage.variables), points, index, stage)
        if isinstance(e, Reference):
            return self.read(e.of, [self.value(a, points, True, stage) for a in e.args], points)
        if isinstance(e, Select):
            return self.select(e, points, index, stage)
        args = [self.value(a, points, index, stage) for a in e.args]
        if isinstance(e, Cast):
            return convert(args[0], e.type.dtype)
        if len(args) == 1 or e.op in ("Pow", "Powf"):
            return self.apply(e.op, args, index, stage)
        if e.op in ("<<", ">>"):
            return shifted(e.op, self.typed(args[0], index, stage), np.asarray(args[1]))
        dtype = self.common(*args, index, stage)
        table = REAL if dtype.kind == "f" else INDEX if index else VALUE
        return table[e.op](*(convert(a, dtype) for a in args))

    def typed(self, v, index, stage):
        """With a type, of an operand alone."""
        return convert(v, self.common_real([v], stage) if is_real(v) else I64 if index else promoted(v))

    def apply(self, op, args, index, stage):
        if op == "neg" and isinstance(args[0], (int, float)):
            return -args[0]
        if op in ("neg", "~", "Abs"):
            v = self.typed(args[0], index, stage)
            return {"neg": np.negative, "~": np.invert, "Abs": np.abs}[op](v)
        dtype = F32 if op in ("Powf", "Sqrtf") else self.common_real(args, stage)
        return by_libm(op.removesuffix("f").lower(), *(convert(a, dtype) for a in args))

    def select(self, e, points, index, stage):
        """Each arm is evaluated where it is chosen."""
        mask = self.test(e.args[0], points, index, stage)
        sides = [points.part(mask), points.part(~mask)]
        values = [self.value(arm, part, index, stage) for arm, part in zip(e.args[1:], sides)]
        result = np.empty(points.count, self.common(*values, index, stage))
        for part, v, chosen in zip(sides, values, (mask, ~mask)):
            result[chosen] = part.all(convert(v, result.dtype))
        return result

    # --- reads ---

    def read(self, stage, indices, points):
        box, boundary = self.box_of(stage), stage.boundary
        modes = list(boundary) if isinstance(boundary, (list, tuple)) else [boundary] * len(indices)
        indices, outside, number = extended(box, modes, self.integers(indices, points))
        cells = self.inside(stage, box, indices, points)
        if box.known is not None:
            self.refuse(points, ~(box.known[cells] | outside))
        return np.where(outside, convert(number, box.array.dtype), box.array[cells])

    def inside(self, stage, box, indices, points):
        """The cells with these indices. Outside of the domain there are none: an error, or a value that is not known."""
        cells, wrong = [], np.zeros(points.count, bool)
        for i, low, step, extent in zip(self.integers(indices, points), box.lows, box.steps, box.array.shape):
            c = i - low
            wrong |= (c < 0) | (c >= extent) | (c % step != 0)
            cells.append(c)
        if wrong.any():
            if points.valid is None or box.known is not None:
                first = [int(c[wrong][0] + low) for c, low in zip(cells, box.lows)]
                raise Wrong(f"a read of {stage.name} at {first}")
            self.refuse(points, wrong)
        return tuple(np.where(wrong, 0, c) for c in cells)

    def integers(self, indices, points):
        if any(is_real(i) for i in indices):
            raise Wrong("an index is no integer")
        return [points.all(convert(i, I64)) for i in indices]

    def refuse(self, points, wrong):
        points.valid[points.ids[wrong]] = False


def extended(box, modes, indices):
    """docs/boundaries.md: (indices inside, where there is a number instead, that number)"""
    moved, outside, number = [], np.zeros(indices[0].shape, bool), 0
    for mode, i, low, n in zip(modes, indices, box.lows, box.array.shape):
        c = i - low
        if isinstance(mode, (int, float)):
            number, mode = mode, "clamp"
            outside |= (c < 0) | (c >= n)
        moved.append(low + EXTENSIONS[mode](c, n) if mode in EXTENSIONS else i)
    return moved, outside, number


def mirrored_at_edge(c, n):
    c = np.mod(c, 2 * n)
    return np.minimum(c, 2 * n - 1 - c)


def mirrored(c, n):
    c = np.mod(c, max(2 * n - 2, 1))
    return np.minimum(c, np.abs(2 * n - 2 - c))


EXTENSIONS = {
    "clamp": lambda c, n: np.clip(c, 0, n - 1),
    "repeat": lambda c, n: np.mod(c, n),
    "mirror": mirrored_at_edge,
    "mirror101": mirrored,
}
