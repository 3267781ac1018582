"""The words of errors. The extension calls these where something is wrong, and raises what they return, so that a
traceback ends at the user's line. Each begins with the function; arrays are counted from 0, inputs first."""
import linecache
import os
import re
import tempfile

from pm import errors


def _parameter(f, array):
    return [p for p in f.parameters if p.kind != "scalar"][array]


def _plural(n, noun):
    plural = {"index": "indices"}.get(noun, noun + "s")
    return f"{n} {noun if n == 1 else plural}"


def _shape(shape):
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _box(box):
    return ", ".join(f"{low}:{high}" for low, high in box)


def _with(values):
    return f" with {', '.join(f'{name} = {value}' for name, value in values.items())}" if values else ""


def _dtype_of(value):
    """The type of an array's elements, as NumPy calls it, and whether its bytes are in this processor's order."""
    if not hasattr(value, "dtype"):
        return ("of another type" if hasattr(type(value), "__dlpack__") else f"of format {memoryview(value).format!r}"), True
    dtype = value.dtype
    return str(getattr(dtype, "name", dtype)).removeprefix("torch."), getattr(dtype, "isnative", True)


def _shape_of(value):
    if hasattr(value, "shape"):
        return tuple(value.shape)
    return () if hasattr(type(value), "__dlpack__") else memoryview(value).shape


def _is_now(name, value):
    if not hasattr(value, "dtype") and hasattr(type(value), "__dlpack__"):
        return f"{name} is a {type(value).__name__} of another type or rank"
    return f"{name} is {_dtype_of(value)[0]} {_shape(_shape_of(value))}"


def _gray(parameter, value):
    """What turns a picture with colours into one without."""
    shape = _shape_of(value)
    is_picture = len(shape) == 3 and len(parameter.extents) == 2 and shape[2] in (3, 4)
    if is_picture and parameter.kind == "input" and hasattr(value, "astype"):
        return f"Make it gray: {parameter.name}.mean(2, dtype={parameter.dtype!r})"
    return None


# --- arrays ---


def no_array(f, array, value):
    p, name = _parameter(f, array), type(value).__name__
    article = "an" if name[0] in "aeiouAEIOU" else "a"
    if p.kind == "output":
        return errors.DTypeError(f"{_given(p)} is {article} {name}, not an array: {p.name} is {p.text}")
    return errors.DTypeError(
        f"{p.name} is {article} {name}, not an array: {p.name} is {p.text}. "
        f"Make it one: numpy.asarray({p.name}, {p.dtype!r})"
    )


def on_device(f, array, value):
    p = _parameter(f, array)
    return errors.DTypeError(f"{p.name} is on another device: bring it to the processor's memory first, as .cpu() does")


def _converted(parameter, value):
    if hasattr(value, "astype"):
        return f"{parameter.name}.astype({parameter.dtype!r})"
    if type(value).__module__.split(".")[0] == "torch":
        return f"{parameter.name}.to(torch.{parameter.dtype})"
    if hasattr(value, "__dlpack__"):
        return f"numpy.from_dlpack({parameter.name}).astype({parameter.dtype!r})"
    return f"numpy.asarray(memoryview({parameter.name}), {parameter.dtype!r})"


def _scaled(parameter, given):
    """Pictures of floats are 0 to 1 for most packages."""
    most = {"uint8": 255, "uint16": 65535}.get(parameter.dtype)
    if not most or not given.startswith("float"):
        return ""
    return f", or where it has values of 0 to 1, ({parameter.name} * {most}).round().astype({parameter.dtype!r})"


def _given(parameter):
    return f"out= of {parameter.name}" if parameter.kind == "output" else parameter.name


def wrong_type(f, array, value):
    p = _parameter(f, array)
    name, is_native = _dtype_of(value)
    text = f"{_is_now(_given(p), value)}; {p.name} is {p.text}. "
    if name == p.dtype and not is_native:
        return errors.DTypeError(
            f"{text}Its bytes are in the other order: {p.name}.astype({p.dtype!r}) puts them in this processor's"
        )
    way = _gray(p, value) or f"Convert it: {_converted(p, value)}{_scaled(p, name)}"
    return errors.DTypeError(text + (way if p.kind == "input" else f"Make it of {p.dtype}"))


def wrong_rank(f, array, value):
    p = _parameter(f, array)
    has, wants = len(_shape_of(value)), len(p.extents)
    way = _gray(p, value) or f"It has {_plural(has, 'dimension')}, and should have {wants}"
    return errors.ShapeError(f"{_is_now(_given(p), value)}; {p.name} is {p.text}. {way}")


def read_only(f, array, value):
    p = _parameter(f, array)
    return errors.ArgumentError(f"out= of {p.name} is read-only")


def _lies_on_itself(value):
    strides = value.strides if hasattr(value, "strides") else value.stride() if hasattr(value, "stride") else ()
    return any(n > 1 and not stride for n, stride in zip(_shape_of(value), strides))


def odd_strides(f, array, value):
    p = _parameter(f, array)
    if p.kind == "input":
        return errors.ArgumentError(f"{p.name} cannot be used where it is: its elements are not whole elements apart. "
                                    f"Use a copy of it: numpy.ascontiguousarray({p.name})")
    why = ("its elements lie on each other, as a broadcast array's do" if _lies_on_itself(value) else
           "its elements are not whole elements apart, as those of a field of records")
    return errors.ArgumentError(f"out= of {p.name} cannot be written to: {why}. "
                                f"Give an array of its own, numpy.empty({_shape(_shape_of(value))}, {p.dtype!r})")


def overlap(f, array, value, other, other_value):
    """None: their bytes are between each other's, and none is of both."""
    try:
        import numpy

        if not numpy.shares_memory(value, other_value):
            return None
    except (ImportError, TypeError):
        pass  # it has no way to say, so they count as what they seem
    a, b = _parameter(f, array).name, _parameter(f, other).name
    return errors.ArgumentError(f"out= of {a} has memory of {b}: an output overlaps no other array. Leave out= out, or give a copy")


# --- sizes ---


def wrong_shape(f, array, shape, values):
    p = _parameter(f, array)
    return errors.ShapeError(f"{_given(p)} is {_shape(shape)}; {p.name} is {p.text}{_with(values)}")


def too_small(f, array, shape, values):
    p = _parameter(f, array)
    return errors.ShapeError(f"{p.name} would be {_shape(shape)}: it is {p.text}{_with(values)}. Give a larger input")


def no_shape(f, array, shape):
    p = _parameter(f, array)
    given = f"an array of shape {_shape(shape.shape)}" if hasattr(shape, "shape") else repr(shape)
    return TypeError(f"{p.name} should be an array, or a shape of {_plural(len(p.extents), 'number')}, {p.text}; it is {given}")


def undetermined(f, scalar):
    p = f.parameters[scalar]
    used = [q for q in f.outputs if any(p.name in re.findall(r"\w+", extent) for extent in q.extents)]
    way = f"{p.name}=…" + (f", or out= of {used[0].text}" if used else "")
    why = "" if p.dtype.startswith("float") else ": no shape says what it is"
    return TypeError(f"{f.name}() needs {p.name}, {p.dtype}{why}. Give {way}")


def wrong_scalar(f, scalar, value):
    p = f.parameters[scalar]
    text = f"{p.name} is {value!r}; it should be {p.dtype}"
    if isinstance(value, int):
        return errors.ArgumentError(text)
    return errors.DTypeError(text)


# --- arguments ---


def unknown_name(f, name):
    return TypeError(f"{f.name}() has no parameter {name!r}; it is {f.name}{f.signature}")


def too_many(f, given):
    return TypeError(f"{f.name}() takes {_plural(len(f.inputs), 'array')} by place, and {given} are given; others have names")


def given_twice(f, name):
    return TypeError(f"{f.name}() is given {name} twice")


def missing(f, array):
    p = _parameter(f, array)
    return TypeError(f"{f.name}() is not given {p.name}, {p.text}")


def wrong_out(f, out):
    names = ", ".join(p.name for p in f.outputs)
    return TypeError(f"out= should be a tuple of {_plural(len(f.outputs), 'array')}: {names}")


# --- boxes ---


def no_boxes(f):
    return errors.Error(f"{f.name} has no boxes: an output is not of the shape of a box, or its target makes none")


def no_box(f, array, box):
    p = _parameter(f, array)
    n = len(p.extents)
    pairs, slices = ", ".join(["(0, 512)"] * n), ", ".join(["0:512"] * n)
    return TypeError(f"{p.name} should be a box, as ({pairs}{',' if n == 1 else ''}) or numpy.s_[{slices}]; it is {box!r}")


def wrong_box(f, array, box, whole):
    p = _parameter(f, array)
    if box is None:
        return TypeError(f"{p.name} is given no box; all of it is {_box(whole)}")
    return errors.ShapeError(f"the box {_box(box)} is not inside of {p.name}, which is {_box(whole)}")


def no_origin(f, array, origin):
    p = _parameter(f, array)
    return TypeError(f"the origin of {p.name} should be {_plural(len(p.extents), 'index')}; it is {origin!r}")


def small_window(f, array, has, needed):
    p = _parameter(f, array)
    return errors.ShapeError(f"{p.name} has {_box(has)}, and {_box(needed)} is needed")


def window_outside(f, array, has, whole):
    p = _parameter(f, array)
    return errors.ShapeError(f"the window {_box(has)} is not inside of {p.name}, which is {_box(whole)}")


def _inputs(f):
    return ", ".join(p.name for p in f.inputs)


def no_such_input(f, word, name):
    return TypeError(f"{word}= names {name!r}; the inputs are {_inputs(f)}")


def no_names(f, word, value):
    return TypeError(f"{word}= should be a dict with names of inputs, {_inputs(f)}; it is {value!r}")


def wrong_out_box(f, array, shape, box):
    p = _parameter(f, array)
    return errors.ShapeError(f"out= of {p.name} is {_shape(shape)}, and the box is {_box(box)}")


# --- what the library says ---

NO_MEMORY, WORKSPACE_IN_USE, FIRST_REQUIRE = 3, 12, 16  # pm_call_code of pm/pm.h


def wrong_threads(value):
    return errors.ArgumentError(f"threads is {value!r}; it should be a number from 1 on, or None")


def no_workspace(value):
    return errors.ArgumentError(f"workspace is a {type(value).__name__}, and should be a pm.Workspace")


def held_workspace():
    return errors.ArgumentError("the workspace is in use by a call: its memory cannot be given back before the end of that")


def failed(f, code, text):
    if code == WORKSPACE_IN_USE:
        return errors.ArgumentError(f"{f.name}: {text}")
    if code == NO_MEMORY:
        return MemoryError(f"{f.name}: {text}")
    if code >= FIRST_REQUIRE:
        return errors.ShapeError(f"{f.name}: {text}")
    return errors.ExecutionError(f"{f.name}: {text}", code)


def diagnostics(messages):
    """What the library noted, with notes in what they belong to."""
    made, notes = [], []
    for kind, file, line, column, source, text, stage in reversed(messages):
        if source is None and file and line:  # what only has a location
            source = linecache.getline(file, line).rstrip("\n") or None
        own = () if kind == "note" else tuple(reversed(notes))
        one = errors.Diagnostic(kind, file, line, column, text, source, stage, own)
        if kind == "note":
            notes.append(one)
        else:
            made.append(one)
            notes = []
    return made[::-1]


def _internal(error, reproducer):
    if reproducer is None:
        return errors.InternalError(f"a bug of the compiler: {error}")
    handle, path = tempfile.mkstemp(prefix="pm-reproducer-", suffix=".pmir")
    with os.fdopen(handle, "w") as file:
        file.write(reproducer)
    return errors.InternalError(f"a bug of the compiler: {error}. Repeat it: pm-opt --run-reproducer {path}", path)


def not_made(status, messages, error, reproducer):
    """A program that is not compiled: what pm_status and the messages say."""
    if status == "diagnosed":
        return errors.CompileError([d for d in diagnostics(messages) if d.kind == "error"])
    if status == "out of memory":
        return MemoryError(error)
    if status == "bug":
        return _internal(error, reproducer)
    return errors.Error(f"{error}. What is missing here, python -m pm doctor says")
