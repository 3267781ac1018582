"""Pipelines: programs that are called with arrays."""
import collections
import dataclasses
import functools
import inspect
import numbers
import os
import time

from pm import _pm, constructs, measured, notebook, refusals, running


@dataclasses.dataclass(frozen=True)
class Parameter:
    """What a call is given, or gives."""

    kind: str  # scalar, input or output
    name: str
    dtype: str  # NumPy's name
    extents: tuple  # texts, as R + 2

    @property
    def text(self):
        return f"{self.dtype} [{', '.join(self.extents)}]" if self.kind != "scalar" else self.dtype

    @property
    def annotation(self):
        return f"{self.name}: {self.text.replace(' [', '[', 1)}"


@dataclasses.dataclass(frozen=True)
class Timing:
    """Seconds that calls took, none of which compiled anything or made an array."""

    best: float
    median: float
    runs: int

    def __str__(self):
        return f"{_seconds(self.best)} at best, {_seconds(self.median)} in the middle of {self.runs} runs"


def _seconds(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _sum(names, text, numbers):
    """`8*n + 9` of factors and a constant; other extents are the library's text."""
    if numbers is None:
        return text
    terms = [(factor, name if abs(factor) == 1 else f"{abs(factor)}*{name}") for factor, name in zip(numbers, names) if factor]
    if numbers[-1] or not terms:
        terms.append((numbers[-1], str(abs(numbers[-1]))))
    terms.sort(key=lambda term: term[0] < 0)
    first, *rest = terms
    return ("-" if first[0] < 0 else "") + first[1] + "".join(f" {'-' if f < 0 else '+'} {term}" for f, term in rest)


def _solved(names, sums):
    """The scalars that the shapes of inputs give: each is the only one of a sum that the others do not give."""
    solved, before = set(), None
    while solved != before:
        before = set(solved)
        for numbers in sums:
            unknown = [name for name, factor in zip(names, numbers) if factor and name not in solved]
            solved.update(unknown if len(unknown) == 1 else ())
    return solved


@functools.cache
def targets():
    """What programs can be compiled to, by name."""
    return {target["name"]: target for target in _pm.targets()}


@functools.cache
def default_target():
    """The first that compiles in this process, else the first that makes functions at all."""
    able = [t for t in targets().values() if t["opens"] and t["is_there"]]
    return ([t for t in able if t["in_process"]] or able)[0]["name"]


def _text(value):
    """An option's value as it is written on command lines."""
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return value if isinstance(value, str) else repr(value)


def _threads(value):
    if value is not None and (not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 1):
        raise refusals.wrong_threads(value)
    return value and min(int(value), 4096)


def _range(value):
    return value if isinstance(value, str) else ":".join(map(_text, value))


# Words that options are; the texts are those of pmc's options.
_WORDS = ("language", "target", "fp", "machine", "vector", "passes", "schedule", "parallel", "compiler", "cpu", "features")
# Options of languages that are no mappings.
_OF_LANGUAGES = {"function": "function", "live_out": "live-out", "function_name": "name", "generator": "generator",
                 "boundary": "boundary", "pixel": "pixel", "config": "config"}

_LISTS_OF_LANGUAGES = {"include": "include", "include_dirs": "I", "sizes": "size"}


def _options(given):
    """The dict that the extension takes, of the keywords of Pipeline."""
    given = dict(given)
    made = {name: given.pop(name) for name in _WORDS if given.get(name) is not None}
    made.setdefault("target", default_target())
    if targets().get(made["target"], {}).get("parallel"):
        made.setdefault("parallel", "pool")  # threads of OpenMP do not outlive a fork
    if given.get("schedule", 0) is None:
        del given["schedule"]
    made["flags"] = given.pop("cflags", None)
    made["threads"] = _threads(given.pop("threads", None))
    made["cache"] = given.pop("cache", True)
    made["estimates"] = tuple(f"{name}={value}" for name, value in (given.pop("estimates", None) or {}).items())
    made["settings"] = tuple(given.pop("settings", None) or ())
    of_language = []
    for name, value in (given.pop("const", None) or {}).items():
        of_language += ["const", f"{name}={_text(value)}"]
    for name, value in (given.pop("range", None) or {}).items():
        of_language += ["range", f"{name}={_range(value)}"]
    for name, option in _OF_LANGUAGES.items():
        if given.get(name) is not None:
            of_language += [option, _text(given[name])]
        given.pop(name, None)
    for name, option in _LISTS_OF_LANGUAGES.items():
        values = given.pop(name, None) or ()
        for value in [values] if isinstance(values, (str, os.PathLike)) else values:
            of_language += [option, os.fspath(value)]
    made["language_options"] = tuple(of_language)
    unknown = [name for name, value in given.items() if name not in _WORDS or value is not None]
    if unknown:
        raise TypeError(f"there is no option {unknown[0]!r}")
    return {name: value for name, value in made.items() if value is not None}


class Pipeline(_pm.Function):
    """A program as a function of arrays. The first call, or build(), compiles it.

    filename is for messages, and its end tells the language: .py (PolyMage's), .cpp (Halide's), .imcl (ImageCL) or
    .pmir; language="hipacc" and others say another one. Options are those of pmc by the same names: target, fp,
    threads, schedule, const={}, range={}, estimates={}, settings=[] … What is compiled is kept for later processes,
    unless cache=False.
    """

    def __init__(self, text, filename, **options):
        self._text = text
        self._filename = os.fspath(filename)
        self._given = options
        super().__init__(self._filename, self._text, _options(options))

    def _describe(self, name, parameters):
        """Called when it has been compiled: what several outputs are a tuple of."""
        scalars = [name for kind, name, _, _ in parameters if kind == "scalar"]
        self._parameters = tuple(
            Parameter(kind, name, dtype, tuple(_sum(scalars, *extent) for extent in extents))
            for kind, name, dtype, extents in parameters
        )
        inputs = [extents for kind, _, _, extents in parameters if kind == "input"]
        self._sizes = _solved(scalars, [numbers for extents in inputs for _, numbers in extents if numbers])
        self._name = name
        outputs = [name for kind, name, _, _ in parameters if kind == "output"]
        return _result(tuple(outputs)) if len(outputs) > 1 else None

    @property
    @_pm.boundary
    def name(self):
        """The function's."""
        self.build()
        return self._name

    @property
    @_pm.boundary
    def parameters(self):
        """Scalars, inputs and outputs, in the order of the program."""
        self.build()
        return self._parameters

    @property
    @_pm.boundary
    def inputs(self):
        return tuple(p for p in self.parameters if p.kind == "input")

    @property
    @_pm.boundary
    def outputs(self):
        return tuple(p for p in self.parameters if p.kind == "output")

    @property
    @_pm.boundary
    def signature(self):
        """How it is called: `(img: float32[R, C], *, out=None) -> blur: float32[R, C]`."""
        arrays = [p.annotation for p in self.inputs]
        scalars = [p.annotation for p in self.parameters if p.kind == "scalar" and p.name not in self._sizes]
        outputs = [p.annotation for p in self.outputs]
        result = outputs[0] if len(outputs) == 1 else f"({', '.join(outputs)})"
        return f"({', '.join([*arrays, '*', *scalars, 'out=None'])}) -> {result}"

    @property
    def __signature__(self):
        """For inspect and help: inputs by place, scalars that no shape gives by name."""
        kinds = inspect.Parameter
        made = [kinds(p.name, kinds.POSITIONAL_OR_KEYWORD, annotation=p.text) for p in self.inputs]
        made += [kinds(p.name, kinds.KEYWORD_ONLY, annotation=p.text, default=None if p.name in self._sizes else kinds.empty)
                 for p in self.parameters if p.kind == "scalar"]
        taken = {p.name for p in self.parameters if p.kind != "output"}
        made += [kinds(name, kinds.KEYWORD_ONLY, default=None) for name in ("out", "threads", "workspace") if name not in taken]
        return inspect.Signature(made)

    def __setattr__(self, name, value):
        if not name.startswith("_"):
            raise AttributeError(f"a pipeline does not change, so {name} cannot be set; options are given to pm.compile or pm.load")
        super().__setattr__(name, value)

    def __repr__(self):
        if not self.is_built:
            return f"<pm.Pipeline of {self._filename}, not compiled yet>"
        return f"<pm.Pipeline {self.name}{self.signature}>"

    def __reduce__(self):
        return _unpickle, (type(self), self._text, self._filename, self._given)

    def derived(self, text):
        """A program of PMIR that came of this one, with its options but those of its language."""
        of_language = {"const", "range", "language", *_OF_LANGUAGES, *_LISTS_OF_LANGUAGES}
        return type(self)(text, "program.pmir", **{name: value for name, value in self._given.items() if name not in of_language})

    def with_settings(self, *settings):
        """The same program with more settings."""
        given = {**self._given, "settings": [*(self._given.get("settings") or ()), *settings]}
        return type(self)(self._text, self._filename, **given)

    @property
    @_pm.boundary
    def source(self):
        """The text that the target makes of it."""
        return self._emit()[0]

    @property
    @_pm.boundary
    def remarks(self):
        """What the compiler says of its decisions."""
        return [d for d in refusals.diagnostics(self._emit()[1]) if d.kind == "remark"]

    @property
    @_pm.boundary
    def warnings(self):
        return [d for d in refusals.diagnostics(self._messages()) if d.kind == "warning"]

    @property
    @_pm.boundary
    def asm(self):
        """The machine code as an assembler writes it."""
        target = self._given.get("target") or default_target()
        return notebook.run_tool(self, "pmc", f"--target={target}", output=".s")

    @property
    @_pm.boundary
    def svg(self):
        """A drawing of the stages, by Graphviz."""
        return notebook.drawing(self)

    @property
    @_pm.boundary
    def page(self):
        """A page of stages, groups, code and remarks: page.save("x.html")."""
        return notebook.page(self)

    @_pm.boundary
    def ir(self, passes="default"):
        """The IR after these passes, as pm-opt --pass-pipeline takes them; "" is the program itself."""
        text = notebook.run_tool(self, "pm-translate", "--to=pmir", output=".pmir")
        return notebook.run_tool(Pipeline(text, "program.pmir"), "pm-opt", f"--pass-pipeline={passes}", output=".pmir")

    def _repr_mimebundle_(self, include=None, exclude=None):
        return notebook.bundle(self, include, exclude)

    @_pm.boundary
    def trace(self, *args, **kwargs):
        """One call, whose result it gives, with what its threads do, in a file for chrome://tracing:
        f.trace(photo, "trace.json")."""
        if not args or not isinstance(args[-1], (str, os.PathLike)):
            raise TypeError('a trace needs a file behind the arrays: f.trace(photo, "trace.json")')
        result, events, *when = self._trace(*args[:-1], **kwargs)
        running.write_trace(args[-1], self.name, events, *when)
        return result

    @_pm.boundary
    def time(self, *args, seconds=0.5, **kwargs):
        """Calls it with these arguments for so long, and at least five times."""
        out = kwargs.pop("out", None)
        if out is None:
            out = self(*args, **kwargs)
        out = tuple(out) if len(self.outputs) > 1 else out
        taken, end = [], time.perf_counter() + seconds
        self(*args, out=out, **kwargs)
        while len(taken) < 5 or time.perf_counter() < end:
            start = time.perf_counter()
            self(*args, out=out, **kwargs)
            taken.append(time.perf_counter() - start)
        taken.sort()
        return Timing(taken[0], taken[len(taken) // 2], len(taken))

    @_pm.boundary
    def profile(self, *args, seconds=0.5, **kwargs):
        """Where the time of a call with these arguments goes: a table of groups, measured for so long and at least five
        times, beside what was predicted."""
        return measured.profile(self, _options(self._given), args, kwargs, seconds)

    @_pm.boundary
    def roofline(self, *args, seconds=0.5, **kwargs):
        """The same groups as points below what the machine can do; machine= of the pipeline is a file of pm-machine."""
        return measured.roofline(self, _options(self._given), args, kwargs, seconds)


@functools.cache
def _result(names):
    """The type of several outputs."""
    made = collections.namedtuple("result", names, rename=True)
    made.__reduce__ = lambda self: (_unpickle_result, (names, tuple(self)))
    return made


def _unpickle_result(names, arrays):
    return _result(names)(*arrays)


def _unpickle(kind, text, filename, options):
    return kind(text, filename, **options)


@_pm.boundary
def compile(outputs, *, name=None, const=None, range=None, **options):
    """The stages of pm.constructs, one or a list, as a function; options are Pipeline's. What has no name is named
    after the variables of the caller."""
    place, text = constructs.program(outputs, name=name, const=const, range=range, depth=1)
    return Pipeline(text, f"{place}.pmir", **options)


def load(file, **options):
    """The program of a file, .py (PolyMage's language), .cpp (Halide's), .imcl or .pmir, as a function; options are Pipeline's."""
    with open(file, "rb") as opened:
        return Pipeline(opened.read(), file, **options)


def build_info():
    """What a bug report needs: versions, targets, threads."""
    import platform

    return {
        "version": _pm.version,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "targets": {name: target["is_there"] for name, target in targets().items()},
        "default target": default_target(),
        "processors": len(os.sched_getaffinity(0)),
    }
