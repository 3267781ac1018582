"""Where the time of calls goes: groups of stages as pm-run measures them, beside what the compiler predicts."""
import html
import json
import math
import os
import re
import tempfile
from typing import NamedTuple

from pm import notebook


class Group(NamedTuple):
    """Stages that are computed together, in a call."""

    group: str  # the last stage
    stages: int
    seconds: float
    predicted: float  # seconds
    share: float  # of the call
    bytes: float  # that it moves between arrays and itself, a written one twice
    operations: float  # sums, products, quotients, calls …, each point of a stage once


# --- measuring ---


def _save(folder, pipeline, args, kwargs):
    """The arguments of a call as those of pm-run."""
    import numpy

    inputs = [p.name for p in pipeline.inputs]
    arrays = dict(zip(inputs, args)) | {name: kwargs[name] for name in inputs if name in kwargs}
    made = []
    for name, array in arrays.items():
        array = numpy.asarray(array) if hasattr(array, "__array__") or not hasattr(array, "__dlpack__") else numpy.from_dlpack(array)
        numpy.save(os.path.join(folder, name), array)
        made.append(f"--in={name}={os.path.join(folder, name)}.npy")
    scalars = [p.name for p in pipeline.parameters if p.kind == "scalar" and p.name in kwargs]
    return made + [f"--param={name}={kwargs[name]}" for name in scalars]


# Of what the extension takes, how the tools name it; what notebook.run_tool gives them is not here.
_OPTIONS = {"target": "target", "threads": "threads", "parallel": "parallel", "compiler": "cc", "flags": "cflags", "cpu": "cpu",
            "features": "features", "passes": "pass-pipeline"}


def measure(pipeline, options, args, kwargs, seconds):
    """What pm-run --profile says of a call, which is compiled for its sizes unless estimates say others. `options` are those
    that the extension takes."""
    if "out" in kwargs:
        raise TypeError("out= is not measured: sizes that no shape gives are given by name")
    pipeline(*args, **kwargs)  # its errors are those of calls
    if kwargs.get("threads") is not None:
        options = options | {"threads": kwargs["threads"]}
    with tempfile.TemporaryDirectory(prefix="pm-") as folder:
        return json.loads(notebook.run_tool(
            pipeline, "pm-run", *(f"--{name}={options[given]}" for given, name in _OPTIONS.items() if options.get(given)),
            *_save(folder, pipeline, args, kwargs), f"--bench={seconds}s", "--profile", output=".json", as_option="--bench-json"))


_JUDGED = re.compile(r"groups are judged for (.*?), \d+ cores?, ")


def _compiled_for(pipeline):
    """The sizes of the groups that the pipeline itself has."""
    found = [match for match in (_JUDGED.match(r.text) for r in pipeline.remarks if r.stage == "group") if match]
    return dict(re.findall(r"(\w+) = (-?\d+)", found[-1][1])) if found else {}


def _note(pipeline, run):
    """What to do where the pipeline was compiled for other sizes; else nothing."""
    own = _compiled_for(pipeline)
    other = {name: value for name, value in run["params"].items() if name in own and own[name] != str(value)}
    if not other or pipeline._given.get("estimates"):
        return ""
    return (f"compiled for these sizes; the function itself is for {', '.join(f'{n} = {own[n]}' for n in other)}, "
            f"unless it has estimates={other}")


# --- profiles ---


def _ms(seconds):
    return f"{1e3 * seconds:.3f}"


def _amount(number, unit=""):
    """`40 GB`, `2.78 G operations`"""
    power = min(4, int(math.log10(number) / 3 + 1e-9)) if number >= 1 else 0
    return f"{number / 1000**power:.3g} {['', 'k', 'M', 'G', 'T'][power]}{unit if unit[:1] == 'B' else ' ' + unit}".replace("  ", " ").strip()


class Profile(list):
    """The groups of a call, each a row with names: pandas.DataFrame(profile) has the same columns."""

    _TITLES = ("group", "stages", "ms", "predicted", "share", "moved", "operations")

    def __init__(self, run, note=""):
        groups = run["groups"]
        self.seconds = sum(g["s"] for g in groups) + run["rest_s"]  # the whole call
        self.rest = run["rest_s"]  # what belongs to no group: arguments, whole arrays
        self.threads = run["threads"]
        self.note = note
        super().__init__(
            Group(g["group"], g["stages"], g["s"], g["predicted_s"], g["s"] / self.seconds, g["bytes"], g["operations"])
            for g in groups)

    def to_dict(self):
        """Columns by name."""
        return {name: [getattr(row, name) for row in self] for name in Group._fields}

    def _texts(self):
        rows = [(g.group, str(g.stages), _ms(g.seconds), _ms(g.predicted), f"{100 * g.share:.0f} %", _amount(g.bytes, "B"),
                 _amount(g.operations)) for g in self]
        return rows + [("the rest", "", _ms(self.rest), "", f"{100 * self.rest / self.seconds:.0f} %", "", "")]

    def _summary(self):
        return f"{_ms(self.seconds)} ms on {self.threads} thread{'s' if self.threads != 1 else ''}" + (f"; {self.note}" if self.note else "")

    def __repr__(self):
        rows = [self._TITLES, *self._texts()]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join([row[0].ljust(widths[0]), *(t.rjust(w) for t, w in zip(row[1:], widths[1:]))]) for row in rows]
        return "\n".join([*(line.rstrip() for line in lines), self._summary()])

    def _repr_html_(self):
        head = "".join(f"<th>{title}</th>" for title in self._TITLES)
        shares = [g.share for g in self] + [self.rest / self.seconds]
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(text)}</td>" if i != 4 else _bar(share, text) for i, text in enumerate(row)) + "</tr>"
            for row, share in zip(self._texts(), shares))
        return (f"<div><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
                f"<small>{html.escape(self._summary())}</small></div>")


def _bar(share, text):
    return (f'<td style="background:linear-gradient(to right,#e8824a66 {100 * share:.1f}%,transparent {100 * share:.1f}%)">'
            f"{text}</td>")


def profile(pipeline, options, args, kwargs, seconds):
    run = measure(pipeline, options, args, kwargs, seconds)
    return Profile(run, _note(pipeline, run))


# --- rooflines ---


class Point(NamedTuple):
    """A group in a roofline."""

    group: str
    intensity: float  # operations a byte
    rate: float  # operations a second
    bound: float  # operations a second that arithmetic allows, and memory, or the last cache where the bytes fit in it


class Roofline(list):
    """The groups of a call as points below what the machine can do: Williams, Waterman, Patterson, Roofline, CACM 52(4), 2009.

    Roofs are of a machine file, as pm-machine writes it, else of a usual server: operations on vectors of 32-bit numbers,
    and bytes from memory and from the last cache, of as many cores as the call has threads. What takes under a hundredth of
    the call is no point: its time is not known well enough.
    """

    def __init__(self, run, machine=None):
        rates = run["machine"]
        cores = min(run["threads"], rates["cores"])
        self.machine = machine  # the file; None: a usual server
        self.compute = 1e6 * rates["vector_mops"] * cores * rates["vector_bytes"] / 4  # operations a second
        self.memory = 1e6 * min(rates["shared_mbytes"], cores * rates["dram_mbytes"])  # bytes a second
        self.cache = 1e6 * rates["l3_mbytes"] * cores
        least = 0.01 * (sum(g["s"] for g in run["groups"]) + run["rest_s"])
        super().__init__(
            Point(g["group"], g["operations"] / g["bytes"], g["operations"] / g["s"],
                  min(self.compute, (self.cache if g["bytes"] <= rates["l3_bytes"] else self.memory) * g["operations"] / g["bytes"]))
            for g in run["groups"] if min(g["bytes"], g["operations"]) > 0 and g["s"] > least)

    def to_dict(self):
        """Columns by name."""
        return {name: [getattr(row, name) for row in self] for name in Point._fields}

    def __repr__(self):
        lines = [f"{p.group}: {p.intensity:.3g} operations a byte, {_amount(p.rate, 'operations/s')}, {100 * p.rate / p.bound:.0f} % of the roof"
                 for p in self]
        return "\n".join([*lines, self._summary()])

    def _summary(self):
        of = "of a usual server; pm-machine measures yours" if self.machine is None else f"of {self.machine}"
        return (f"roofs: {_amount(self.compute, 'operations/s')}, {_amount(self.memory, 'B/s')} from memory, "
                f"{_amount(self.cache, 'B/s')} from the last cache, {of}")

    def plot(self, axes=None):
        """Draws into axes of matplotlib, new ones if none are given, and returns them."""
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.subplots()[1]
        low, high = _range(self)[0]
        for name, rate in (("memory", self.memory), ("last cache", self.cache)):
            axes.plot([low, self.compute / rate, high], [low * rate, self.compute, self.compute], label=name)
        for point in self:
            axes.plot(point.intensity, point.rate, "o")
            axes.annotate(point.group, (point.intensity, point.rate), textcoords="offset points", xytext=(6, -4))
        axes.set(xscale="log", yscale="log", xlabel="operations a byte", ylabel="operations a second")
        axes.legend()
        return axes

    def _repr_svg_(self):
        return _drawn(self)

    _repr_html_ = _repr_svg_  # nbconvert takes elements out of image/svg+xml


def _range(roofline):
    """Decades around the points and the corners of the roofs, along both axes."""
    x = [p.intensity for p in roofline] + [roofline.compute / roofline.memory, roofline.compute / roofline.cache]
    y = [p.rate for p in roofline] + [roofline.compute]
    return tuple((10 ** math.floor(math.log10(min(of))), 10 ** math.ceil(math.log10(max(of) * 1.05))) for of in (x, y))


_WIDTH, _HEIGHT, _LEFT, _BELOW = 560, 320, 64, 44  # of the drawing, and of what is beside the axes


def _scales(roofline):
    (x0, x1), (y0, y1) = _range(roofline)
    def across(value):
        return _LEFT + (_WIDTH - _LEFT - 12) * math.log10(value / x0) / math.log10(x1 / x0)
    def up(value):
        return _HEIGHT - _BELOW - (_HEIGHT - _BELOW - 12) * math.log10(value / y0) / math.log10(y1 / y0)
    return across, up


def _decades(low, high):
    return [low * 10**i for i in range(round(math.log10(high / low)) + 1)]


def _text(x, y, text, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{html.escape(text)}</text>'


def _grid(roofline, across, up):
    (x0, x1), (y0, y1) = _range(roofline)
    lines = []
    for value in _decades(x0, x1):
        x = across(value)
        lines.append(f'<line x1="{x:.1f}" y1="12" x2="{x:.1f}" y2="{_HEIGHT - _BELOW}" stroke="#8884"/>')
        lines.append(_text(x, _HEIGHT - _BELOW + 16, f"{value:g}", 'text-anchor="middle"'))
    for value in _decades(y0, y1):
        y = up(value)
        lines.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - 12}" y2="{y:.1f}" stroke="#8884"/>')
        lines.append(_text(_LEFT - 6, y + 4, _amount(value), 'text-anchor="end"'))
    lines.append(_text((_LEFT + _WIDTH) / 2, _HEIGHT - 8, "operations a byte", 'text-anchor="middle"'))
    lines.append(_text(0, 0, "operations a second", f'text-anchor="middle" transform="translate(14 {(_HEIGHT - _BELOW) / 2}) rotate(-90)"'))
    return lines


def _roof(roofline, rate, name, across, up, dashes, beside):
    """The line of a memory up to that of arithmetic, from where it comes into the drawing."""
    (x0, x1), (y0, _) = _range(roofline)
    first = max(x0, y0 / rate)
    points = [(first, first * rate), (roofline.compute / rate, roofline.compute), (x1, roofline.compute)]
    path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in points)
    middle = math.sqrt(points[0][0] * points[1][0])
    slope = math.degrees(math.atan2(up(points[1][1]) - up(points[0][1]), across(points[1][0]) - across(first)))
    place = f'text-anchor="middle" transform="translate({across(middle):.1f} {up(middle * rate) + beside:.1f}) rotate({slope:.1f})"'
    return [f'<polyline points="{path}" fill="none" stroke="#4a7fb5" stroke-width="2" stroke-dasharray="{dashes}"/>', _text(0, 0, name, place)]


def _drawn(roofline):
    across, up = _scales(roofline)
    parts = _grid(roofline, across, up)
    parts += _roof(roofline, roofline.memory, "memory", across, up, "", 15)
    parts += _roof(roofline, roofline.cache, "last cache", across, up, "5 4", -6)
    for point in roofline:
        x, y = across(point.intensity), up(point.rate)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#e8824a"><title>{html.escape(point.group)}: {point.intensity:.3g} '
                     f"operations a byte, {_amount(point.rate, 'operations/s')}</title></circle>")
        end = 'text-anchor="end"' if x > _WIDTH * 0.75 else ""
        parts.append(_text(x - 9 if end else x + 9, y + 4, point.group, end))
    parts.append(f"<title>{html.escape(roofline._summary())}</title>")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
            f'font-family="sans-serif" font-size="12" fill="currentColor">{"".join(parts)}</svg>')


def roofline(pipeline, options, args, kwargs, seconds):
    return Roofline(measure(pipeline, options, args, kwargs, seconds), pipeline._given.get("machine"))
