"""Funcs, what calls give them, and how they are computed."""
import sys

from pm import errors, recorded
from pm.halide import expressions, kinds
from pm.halide.buffers import Buffer
from pm.halide.expressions import Node, Operand, Range, Tuple, Var, applied, asked, boundary, called, freeze, language
from pm.halide.inputs import ImageParam
from pm.halide.pipelines import MISSING, Callable, Pipeline, warn
from pm.recorded import here as _here

# --- calls ---


class FuncTupleElementRef(Operand):
    """f[x][i]"""

    __slots__ = ("_number",)

    def index(self):
        return self._number


class _Update:
    """f[x] + e where f has no definition: what f[x] += e leaves for f[x] = …"""

    def __init__(self, word, reference, value):
        self.word, self.reference, self.value = word, reference, value


def _same_points(a, b):
    return len(a) == len(b) and all(x is y or (isinstance(x, int) and isinstance(y, int) and int(x) == int(y))
                                    or (isinstance(x, Var) and isinstance(y, Var) and x.same_as(y)) for x, y in zip(a, b))


def _update(word):
    def update(self, value):
        return NotImplemented if self._func._is_defined else _Update(word, self, value)

    return update


class FuncRef(Operand):
    """f[x, y]"""

    __slots__ = ("_func", "_key")

    __iadd__, __isub__, __imul__, __itruediv__ = map(_update, ("+=", "-=", "*=", "/="))

    @boundary
    def __getitem__(self, i):
        element = FuncTupleElementRef()
        element._number = i
        return applied(element, "[]", (self, i), _here(1))

    def size(self):
        return self._func._n_elements()

    __len__ = size

    @boundary
    def __iter__(self):
        return iter(expressions.elements(self, _here(1)))

    def _n_elements(self):
        return self._func._n_elements()

    def __bool__(self):
        return Operand.__bool__(self)


# --- schedules ---

# What directives' arguments are called.
_SPLIT = {"split": "old outer inner factor tail", "vectorize": "var factor tail", "unroll": "var factor tail",
          "parallel": "var task_size tail", "serial": "var", "fuse": "inner outer fused", "rename": "old_name new_name"}
_FUNC = {"compute_at": "f var", "store_at": "f var", "bound": "var min extent", "set_estimate": "var min extent",
         "align_bounds": "var modulus remainder", "fold_storage": "dim extent fold_forward"}
_DIRECTIVES = """split tile reorder fuse vectorize unroll parallel serial compute_with prefetch partition never_partition
never_partition_all always_partition always_partition_all specialize specialize_fail allow_race_conditions atomic rename
gpu_blocks gpu_threads gpu_lanes gpu_single_thread gpu gpu_tile""".split()
_OF_FUNCS = """compute_root compute_at compute_inline store_root store_at store_in fold_storage align_storage reorder_storage
hoist_storage hoist_storage_root bound_storage bound_extent align_bounds align_extent memoize ring_buffer bound
set_estimate set_estimates""".split()


def _in_order(name, args, named):
    """The arguments by place; the last ones may have names that all directives share."""
    order = {**_SPLIT, **_FUNC}.get(name, "").split()
    args = list(args)
    while named and len(args) < len(order) and order[len(args)] in named:
        args.append(named.pop(order[len(args)]))
    for last in ("tail", "align", "device_api"):
        if last in named:
            args.append(named.pop(last))
    if named:
        raise TypeError(f"{name}() is given {next(iter(named))!r} by name, it should be given by place")
    return args


def _directive(name):
    def direct(self, *args, **named):
        place = _here(1)
        args = _in_order(name, args, named)
        if name in ("reorder", "reorder_storage") and len(args) == 1 and isinstance(args[0], (list, tuple)):
            args = args[0]
        self._say(name, args, place)
        return self

    direct.__name__ = direct.__qualname__ = name
    return boundary(direct)


class Stage(Node):
    """f.update(i), for its schedule."""

    __slots__ = ("_func",)

    def _say(self, name, args, place):
        self._func._state(None, expressions.stated(self, name, args, place), None)

    @boundary
    def rfactor(self, *preserved):
        place = _here(1)
        partial = Func.__new__(Func)
        partial._begin(None)
        said = [preserved] if len(preserved) == 2 and not isinstance(preserved[0], (list, tuple)) else preserved[0]
        asked(partial, self, "rfactor", ([tuple(pair) for pair in said],), place)
        partial._is_defined = True
        self._func._state(None, partial, None)
        return partial


def _copy(of, name, readers, place):
    """f.in_(g), f.clone_in(g): a Func of its own, for these readers."""
    copy = Func.__new__(Func)
    copy._begin(None)
    if len(readers) == 1 and isinstance(readers[0], (list, tuple)):
        readers = readers[0]
    asked(copy, of, name, (list(readers),) if len(readers) > 1 else tuple(readers), place)
    copy._is_defined = True
    copy._args, copy._values = getattr(of, "_args", None), getattr(of, "_values", None)
    of._state(None, copy, None)
    return copy


ImageParam.in_ = boundary(lambda self, *readers: _copy(self, "in", readers, _here(1)))


class LoopLevel(Node):
    """LoopLevel(f, x)"""

    __slots__ = ()

    @boundary
    def __init__(self, *args):
        self._record(("call", "LoopLevel", tuple(freeze(a) for a in args), {}), _here(1))

    @staticmethod
    @boundary
    def inlined():
        return called(LoopLevel.__new__(LoopLevel), "LoopLevel::inlined", (), _here(1))

    @staticmethod
    @boundary
    def root():
        return called(LoopLevel.__new__(LoopLevel), "LoopLevel::root", (), _here(1))

    @boundary
    def set(self, other):
        self._state(None, expressions.stated(self, "set", (other,), _here(1)), None)


# --- Funcs ---


class Func(Node):
    """Func("name"): a function of points, which f[x, y] = e defines."""

    __slots__ = ("_name", "_is_defined", "_is_output", "_args", "_values", "_updates", "_pipeline")
    _takes_name = True

    def _begin(self, name):
        self._name, self._is_defined, self._is_output = name, False, False
        self._args, self._values, self._updates, self._pipeline = None, None, [], None

    @boundary
    def __init__(self, *given):
        place = _here(1)
        of = given[0] if given and not isinstance(given[0], str) else None
        if len(given) > 1:
            raise kinds.missing("Func(types, dimensions, name)", "a definition gives both")
        self._begin(given[0] if given and of is None else None)
        self._record(("call", "Func", (self._name,) if self._name else (), {}), place)
        if of is not None:
            rest = Var("_")
            self._define((rest,), of[rest] if isinstance(of, (Buffer, ImageParam)) else of, place)

    # --- definitions ---

    def _reference(self, key, place):
        key = tuple(key) if isinstance(key, (tuple, list)) else (key,)
        made = FuncRef()
        made._func, made._key = self, key
        return recorded.made(made, ("read", self, tuple(freeze(k, place) for k in key), {}), place)

    @boundary
    def __getitem__(self, key):
        return self._reference(key, _here(1))

    @boundary
    def __setitem__(self, key, value):
        self._define(key, value, _here(1))

    def _define(self, key, value, place):
        word, reference = "=", self._reference(key, place)
        made = reference
        if isinstance(value, _Update):
            word, reference, value = value.word, value.reference, value.value
            if reference._func is not self or not _same_points(reference._key, made._key):
                raise errors.ArgumentError(f"the update of {self.name()} is of another place than the value on the right")
        if self._is_output:
            raise recorded.mistake(place, f"{self.name()} is updated after a pipeline has it as an output, the update should come before")
        said = Node()
        try:
            applied(said, word, (reference, value), place)
        except errors.Error:
            language.end_session()  # it may be half done
            raise
        self._state(None, said, None)
        if self._is_defined:
            self._updates.append((reference._key, value))
        else:
            self._args, self._values, self._is_defined = reference._key, value, True

    # --- what is asked ---

    def defined(self):
        return self._is_defined

    has_pure_definition = defined

    def name(self):
        return self._name or f"f{self._order}"

    def args(self):
        return list(self._args or ())

    def values(self):
        value = self._values
        return tuple(value) if isinstance(value, (tuple, list, Tuple)) else (value,)

    def value(self):
        return self.values()[0]

    def has_update_definition(self):
        return bool(self._updates)

    def num_update_definitions(self):
        return len(self._updates)

    def update_args(self, idx=0):
        return list(self._updates[idx][0])

    def update_values(self, idx=0):
        value = self._updates[idx][1]
        return tuple(value) if isinstance(value, (tuple, list, Tuple)) else (value,)

    def update_value(self, idx=0):
        return self.update_values(idx)[0]

    @boundary
    def dimensions(self):
        return asked(Node(), self, "dimensions", (), _here(1)) if self._is_defined else -1

    @boundary
    def outputs(self):
        return applied(Node(), "len", (self,), _here(1)) if self._is_defined else 0

    def _n_elements(self):
        return applied(Node(), "len", (self,), None) if self._is_defined else 0

    def _types(self, place):
        n = applied(Node(), "len", (self,), place)
        return [kinds.type_of_text(applied(Node(), "type", (self, i), place)) for i in range(n)]

    @boundary
    def types(self):
        return self._types(_here(1))

    @boundary
    def type(self):
        return self._types(_here(1))[0]

    output_types, output_type = types, type

    # --- its schedule ---

    def _say(self, name, args, place):
        self._state(None, expressions.stated(self, name, args, place), None)

    @boundary
    def update(self, idx=0):
        stage = Stage()
        stage._func = self
        return asked(stage, self, "update", (idx,), _here(1))

    @boundary
    def in_(self, *readers):
        return _copy(self, "in", readers, _here(1))

    @boundary
    def clone_in(self, *readers):
        return _copy(self, "clone_in", readers, _here(1))

    @boundary
    def async_(self):
        self._say("async", (), _here(1))
        return self

    def _prints_nothing(name):  # noqa: N805
        def tell(self, *args):
            warn(f"{name} of {self.name()} prints nothing: the optimizer decides the loops", _here(1))
            return self

        return boundary(tell)

    trace_loads, trace_stores, trace_realizations, add_trace_tag, print_loop_nest = map(
        _prints_nothing, ("trace_loads", "trace_stores", "trace_realizations", "add_trace_tag", "print_loop_nest"))
    del _prints_nothing

    # --- its values ---

    def _as_pipeline(self):
        if self._pipeline is None:
            self._pipeline = Pipeline(self)
        return self._pipeline

    @boundary
    def realize(self, dst=None, target=None, *, sizes=()):
        return self._as_pipeline()._realize(sizes if dst is None else dst, target, _here(1), sys._getframe(1))

    @boundary
    def compile_jit(self, target=None):
        self._as_pipeline()._build(target, _here(1), sys._getframe(1))

    @boundary
    def compile_to_callable(self, arguments, target=None):
        return Callable(self._as_pipeline(), arguments, target, _here(1))

    @boundary
    def infer_arguments(self):
        return self._as_pipeline()._arguments(_here(1))

    @boundary
    def pmir(self):
        """The program in PMIR; its outputs begin at 0."""
        return self._as_pipeline()._text({}, _here(1), sys._getframe(1))

    @boundary
    def compile_to_lowered_stmt(self, filename, arguments=(), fmt=kinds.StmtOutputFormat.Text, target=None):
        self._as_pipeline()._write_loops(filename, fmt, target, _here(1), sys._getframe(1))

    def __getattr__(self, name):
        if name in MISSING:
            raise kinds.missing(f"Func.{name}", MISSING[name])
        raise AttributeError(f"'Func' object has no attribute {name!r}")

    def __repr__(self):
        return f"<halide.Func '{self.name()}'>"


for _name in _DIRECTIVES:
    setattr(Func, _name, _directive(_name))
    setattr(Stage, _name, _directive(_name))
for _name in _OF_FUNCS:
    setattr(Func, _name, _directive(_name))

def lambda_func(*args):
    """lambda_func(x, y, e)"""
    made = Func()
    made[args[:-1]] = args[-1]
    return made


@boundary
def evaluate(value):
    """The number that an Expr without Vars is, or those of a Tuple."""
    place, f = _here(1), Func()
    f._define((), value, place)
    made = f._as_pipeline()._realize((), None, place, sys._getframe(1))
    return tuple(b[()] for b in made) if isinstance(made, tuple) else made[()]


# --- boundary conditions ---


class BoundaryConditions:
    """Funcs that have values outside of bounds."""

    def _condition(name, has_value):  # noqa: N805
        def condition(f, *args, **named):
            place = _here(1)
            for word in ("exterior", "bounds"):
                if word in named:
                    args = (*args, named.pop(word))
            if named:
                raise TypeError(f"{name}() has no argument {next(iter(named))!r}")
            value, bounds = args[:has_value], args[has_value:]
            bounds = [[tuple(pair._as_value() if isinstance(pair, Range) else pair) for pair in bounds[0]]] if bounds else []
            made = Func.__new__(Func)
            made._begin(None)
            called(made, f"BoundaryConditions::{name}", (f, *value, *bounds), place)
            made._is_defined = True
            made._args = getattr(f, "_args", None)
            return made

        condition.__name__ = name
        return staticmethod(boundary(condition))

    repeat_edge = _condition("repeat_edge", 0)
    repeat_image = _condition("repeat_image", 0)
    mirror_image = _condition("mirror_image", 0)
    mirror_interior = _condition("mirror_interior", 0)
    constant_exterior = _condition("constant_exterior", 1)
    del _condition


def funcs(names):
    return tuple(Func(name) for name in names.split(" "))


def vars(names):
    return tuple(Var(name) for name in names.split(" "))
