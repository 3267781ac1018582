"""Pipelines: what is compiled and called, for the Buffers that realize is given or makes."""
import html
import sys
import warnings

import numpy

from pm import errors, recorded
from pm.halide import kinds
from pm.halide.buffers import Buffer, Input
from pm.halide.expressions import boundary, language
from pm.halide.inputs import ImageParam, Param
from pm.pipeline import Pipeline as Function
from pm.recorded import here as _here

# Of Halide, and why they are not here.
_AHEAD = "pmir() is the program, which pmc compiles to C, objects and assembly"
MISSING = {name: _AHEAD for name in """compile_to compile_to_assembly compile_to_bitcode compile_to_c
compile_to_conceptual_stmt compile_to_file compile_to_header compile_to_llvm_assembly
compile_to_module compile_to_multitarget_object_files compile_to_multitarget_static_library compile_to_object
compile_to_static_library""".split()}
MISSING |= dict.fromkeys("""add_requirement apply_autoscheduler copy_to_device copy_to_host debug_to_file define_extern
extern_function_name get_func hexagon infer_input_bounds is_extern output_buffer
output_buffers rvars""".split(), "")


def warn(text, place):
    line, _ = recorded.line_and_column(place)
    warnings.warn_explicit(text, errors.PipelineWarning, place[0].co_filename, line)


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
        for f in self._outputs:
            f._is_output = True
        self._programs = {}  # by the orders of what they are made of
        self._latest = 0, None

    def outputs(self):
        return list(self._outputs)

    def defined(self):
        return bool(self._outputs)

    @boundary
    def realize(self, dst=None, target=None, *, sizes=()):
        return self._realize(sizes if dst is None else dst, target, _here(1), sys._getframe(1))

    @boundary
    def compile_jit(self, target=None):
        self._build(target, _here(1), sys._getframe(1))

    @boundary
    def compile_to_callable(self, arguments, target=None):
        return Callable(self, arguments, target, _here(1))

    @boundary
    def infer_arguments(self):
        return self._arguments(_here(1))

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
        warn("print_loop_nest prints nothing: the optimizer decides the loops", _here(1))

    def __getattr__(self, name):
        if name in MISSING:
            raise kinds.missing(f"Pipeline.{name}", MISSING[name])
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

    def _arguments(self, place):
        return [node for node in self._program(place).inputs if isinstance(node, (Param, ImageParam))]

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
        missed = [node for node in pipeline._arguments(place) if not any(node is a for a in self._arguments)]
        if missed:
            raise errors.ArgumentError(f"the arguments lack {missed[0].name()}, which the pipeline reads")

    def __call__(self, *values):
        n = len(self._arguments)
        if len(values) <= n:
            raise TypeError(f"{len(values)} values are given, {n} inputs and the output Buffers should be")
        self._pipeline._realize(values[n:], self._target, self._place, sys._getframe(1), dict(zip(self._arguments, values)))
