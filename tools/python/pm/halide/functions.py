"""Funcs, what calls give them, and how they are computed."""
import html
import itertools
import sys
import warnings

import numpy

from pm import errors, recorded
from pm.halide import expressions, kinds
from pm.halide.buffers import Buffer, Input
from pm.halide.expressions import Expr, Node, Operand, Range, RDom, RVar, Tuple, Var, applied, asked, boundary, called, freeze, language
from pm.pipeline import Pipeline as Function
from pm.recorded import here as _here

_numbers = itertools.count()


def _warn(text, place):
    line, _ = recorded.line_and_column(place)
    warnings.warn_explicit(text, errors.PipelineWarning, place[0].co_filename, line)


# --- inputs ---


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

    @boundary
    def in_(self, *readers):
        return _copy(self, "in", readers, _here(1))

    def __repr__(self):
        return f"<halide.ImageParam '{self._name}', dims: {self._rank}, type: {self._type}>"


def _extent_method(name):
    return boundary(lambda self: asked(Expr._new(), self, name, (), _here(1)))


for _name in ("width", "height", "channels", "left", "right", "top", "bottom"):
    setattr(ImageParam, _name, _extent_method(_name))


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

    __slots__ = ("_name", "_is_defined", "_args", "_values", "_updates", "_pipeline")
    _takes_name = True

    def _begin(self, name):
        self._name, self._is_defined = name, False
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
            _warn(f"{name} of {self.name()} prints nothing: the optimizer decides the loops", _here(1))
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
    def realize(self, dst=(), target=None, **named):
        return self._as_pipeline()._realize(named.pop("sizes", dst), target, _here(1), sys._getframe(1))

    @boundary
    def compile_jit(self, target=None):
        self._as_pipeline()._build(target, _here(1), sys._getframe(1))

    @boundary
    def compile_to_callable(self, arguments, target=None):
        return Callable(self._as_pipeline(), arguments, target, _here(1))

    @boundary
    def infer_arguments(self):
        return [node for node in self._as_pipeline()._program(_here(1)).inputs if isinstance(node, (Param, ImageParam))]

    @boundary
    def pmir(self):
        """The program in PMIR; its outputs begin at 0."""
        return self._as_pipeline()._text({}, _here(1), sys._getframe(1))

    @boundary
    def compile_to_lowered_stmt(self, filename, arguments=(), fmt=kinds.StmtOutputFormat.Text, target=None):
        self._as_pipeline()._write_loops(filename, fmt, target, _here(1), sys._getframe(1))

    def __getattr__(self, name):
        if name in _MISSING:
            raise kinds.missing(f"Func.{name}", _MISSING[name])
        raise AttributeError(f"'Func' object has no attribute {name!r}")

    def __repr__(self):
        return f"<halide.Func '{self.name()}'>"


for _name in _DIRECTIVES:
    setattr(Func, _name, _directive(_name))
    setattr(Stage, _name, _directive(_name))
for _name in _OF_FUNCS:
    setattr(Func, _name, _directive(_name))

_AHEAD = "pmir() is the program, which pmc compiles to C, objects and assembly"
_MISSING = {name: _AHEAD for name in """compile_to compile_to_assembly compile_to_bitcode compile_to_c
compile_to_conceptual_stmt compile_to_file compile_to_header compile_to_llvm_assembly
compile_to_module compile_to_multitarget_object_files compile_to_multitarget_static_library compile_to_object
compile_to_static_library""".split()}
_MISSING |= dict.fromkeys("""add_requirement apply_autoscheduler copy_to_device copy_to_host debug_to_file define_extern
extern_function_name get_func hexagon infer_input_bounds is_extern output_buffer
output_buffers rvars""".split(), "")


def lambda_func(*args):
    """lambda_func(x, y, e)"""
    made = Func()
    made[args[:-1]] = args[-1]
    return made


# --- pipelines ---


class _Program:
    """A pipeline as it is said so far: its functions differ by where outputs begin, and by sizes that are fixed."""

    def __init__(self, types, inputs):
        self.types, self.inputs = types, inputs  # (type, rank) of each output; nodes in their order
        self.functions = {}
        self.is_of_any_size = True


class Pipeline:
    """Pipeline([f, g]): Funcs that are computed together."""

    def __init__(self, outputs):
        self._outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        self._programs = {}  # by the orders of what they are made of
        self._latest = 0, None

    def outputs(self):
        return list(self._outputs)

    def defined(self):
        return bool(self._outputs)

    @boundary
    def realize(self, dst=(), target=None, **named):
        return self._realize(named.pop("sizes", dst), target, _here(1), sys._getframe(1))

    @boundary
    def compile_jit(self, target=None):
        self._build(target, _here(1), sys._getframe(1))

    @boundary
    def compile_to_callable(self, arguments, target=None):
        return Callable(self, arguments, target, _here(1))

    @boundary
    def infer_arguments(self):
        return [node for node in self._program(_here(1)).inputs if isinstance(node, (Param, ImageParam))]

    @boundary
    def pmir(self):
        """The program in PMIR; its outputs begin at 0."""
        return self._text({}, _here(1), sys._getframe(1))

    @boundary
    def compile_to_lowered_stmt(self, filename, arguments=(), fmt=kinds.StmtOutputFormat.Text, target=None):
        self._write_loops(filename, fmt, target, _here(1), sys._getframe(1))

    def _write_loops(self, filename, fmt, target, place, frame):
        """The loops, in C."""
        text = Function(self._text({}, place, frame), "program.pmir", fp=kinds.rules_of(target), target="c").source
        if fmt is kinds.StmtOutputFormat.HTML:
            text = f"<!doctype html><meta charset=utf-8><title>{html.escape(filename)}</title><pre>{html.escape(text)}</pre>\n"
        with open(filename, "w", encoding="utf-8") as file:
            file.write(text)

    def invalidate_cache(self):
        self._programs, self._latest = {}, (0, None)

    @boundary
    def print_loop_nest(self):
        _warn("print_loop_nest prints nothing: the optimizer decides the loops", _here(1))

    def __getattr__(self, name):
        if name in _MISSING:
            raise kinds.missing(f"Pipeline.{name}", _MISSING[name])
        raise AttributeError(f"'Pipeline' object has no attribute {name!r}")

    # --- compilation ---

    def _begun(self):
        """A session, and the steps that make it."""
        for f in self._outputs:
            if not f._is_defined:
                raise errors.ArgumentError(f"{f.name()} has no definition, it should have one to be computed")
        language.end_session()
        session = recorded.Session(language)
        return session, session.steps(list(self._outputs))

    def _program(self, place):
        with recorded.lock:
            if self._latest[0] == recorded.latest():
                return self._latest[1]
            session, steps = self._begun()
            key = tuple(order for order, _, _ in steps)
            if key not in self._programs:
                session.take(steps)
                self._programs[key] = _Program(self._types(session, session.place(place)),
                                               [n for _, n, setting in steps if setting is None and isinstance(n, Input)])
            self._latest = recorded.latest(), self._programs[key]
            return self._programs[key]

    def _types(self, session, where):
        types = []
        for f in self._outputs:
            rank = session.made.call((f._value, "dimensions"), (), {}, where)
            types += [(kinds.type_of_text(session.made.apply("type", (f._value, i), where)), rank)
                      for i in range(session.made.apply("len", (f._value,), where))]
        return types

    def _text(self, boxes, place, frame):
        """In PMIR; boxes: of outputs and of ImageParams, a list of (min, extent or None) for the dimensions."""
        with recorded.lock:
            session, steps = self._begun()
            where = session.place(place)

            def made(node):
                if node in boxes and isinstance(node, Input):
                    session.made.apply("box", (node._value, boxes[node]), where)

            session.take(steps, made)
            for f in self._outputs:
                if f in boxes:
                    session.made.apply("box", (f._value, boxes[f]), where)
            return recorded.finish(session, list(self._outputs), None, frame, place)

    def _function(self, program, boxes, fp, place, frame):
        key = fp, *map(tuple, boxes.values())
        if key not in program.functions:
            function = Function(self._text(boxes, place, frame), f"{self._outputs[0].name()}.pmir", fp=fp)
            function.build()
            program.functions[key] = function, [p.name for p in function.parameters if p.kind == "scalar"]
        return program.functions[key]

    def _made(self, program, boxes, fp, place, frame):
        """The function of any size, or of these where there is none, and the names of its scalars."""
        open_boxes = {f: [(low, None) for low, _ in box] for f, box in boxes.items()}
        if program.is_of_any_size:
            try:
                return self._function(program, open_boxes, fp, place, frame)
            except errors.CompileError:
                if not any(boxes.values()):
                    raise
        made = self._function(program, boxes, fp, place, frame)
        program.is_of_any_size = False
        return made

    def _build(self, target, place, frame):
        fp, program = kinds.rules_of(target), self._program(place)
        ranks = dict(zip(self._outputs, (rank for _, rank in program.types)))
        try:
            self._function(program, {f: [(0, None)] * ranks.get(f, 0) for f in self._outputs}, fp, place, frame)
        except errors.CompileError:
            program.is_of_any_size = False  # realize says what is wrong, or knows the sizes

    # --- calls ---

    def _boxes(self, program, buffers):
        """Of each output Func, whose elements are in Buffers of one box."""
        boxes, rest = {}, list(buffers)
        with recorded.lock:
            for f in self._outputs:
                n = f._n_elements() if len(program.types) > len(self._outputs) else 1
                of_func, rest = rest[:n], rest[n:]
                boxes[f] = of_func[0]._points()
                if any(b._points() != boxes[f] for b in of_func):
                    raise errors.ShapeError(f"the Buffers of {f.name()} are not of one shape, they should be")
        return boxes

    def _realize(self, dst, target, place, frame, given=None):
        fp = kinds.rules_of(target)
        dst = [dst] if isinstance(dst, Buffer) else list(dst)
        is_given = bool(dst) and all(isinstance(b, Buffer) for b in dst)
        program = self._program(place)
        buffers = dst if is_given else [Buffer(type, [int(n) for n in dst]) for type, _ in program.types]
        if len(buffers) != len(program.types):
            raise errors.ArgumentError(
                f"realize is given {len(buffers)} Buffers, the pipeline has {len(program.types)} outputs")
        for buffer, (type, rank) in zip(buffers, program.types):
            if buffer.type() != type or buffer.dimensions() != rank:
                raise errors.ArgumentError(f"a Buffer is {buffer.type()} of {buffer.dimensions()} dimensions, the output is "
                                           f"{type} of {rank}")
        boxes = self._boxes(program, buffers)
        inputs = [(node, node._argument((given or {}).get(node))) for node in program.inputs]
        for node, value in inputs:
            if isinstance(value, Buffer):
                boxes[node] = value._points()
        function, scalars = self._made(program, boxes, fp, place, frame)
        self._call(function, scalars, inputs, [boxes[f] for f in self._outputs], buffers)
        if is_given:
            return None
        return buffers[0] if len(buffers) == 1 else tuple(buffers)

    @staticmethod
    def _call(function, scalars, inputs, boxes, buffers):
        numbers, arrays = [], []  # the scalars of the function: those of inputs and outputs, in their order
        for node, value in inputs:
            if isinstance(node, Param):
                numbers.append(value)
            else:
                arrays.append(numpy.asarray(value))
                numbers += reversed(arrays[-1].shape)
        for box in boxes:
            numbers += [extent for _, extent in box]
        out = tuple(b._array for b in buffers)
        function(*arrays, out=out if len(out) > 1 else out[0], **dict(zip(scalars, numbers, strict=True)))


class Callable:
    """A pipeline as a function of these inputs, and behind them its output Buffers."""

    def __init__(self, pipeline, arguments, target, place):
        kinds.rules_of(target)
        self._pipeline, self._arguments, self._target, self._place = pipeline, list(arguments), target, place
        missed = [node for node in pipeline._program(place).inputs
                  if isinstance(node, (Param, ImageParam)) and not any(node is a for a in self._arguments)]
        if missed:
            raise errors.ArgumentError(f"the arguments lack {missed[0].name()}, which the pipeline reads")

    def __call__(self, *values):
        n = len(self._arguments)
        if len(values) <= n:
            raise TypeError(f"{len(values)} values are given, {n} inputs and the output Buffers should be")
        self._pipeline._realize(values[n:], self._target, self._place, sys._getframe(1), dict(zip(self._arguments, values)))


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


__all__ = ["RDom", "RVar"]
