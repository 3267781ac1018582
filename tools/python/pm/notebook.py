"""What notebooks show of pipelines and pictures. Nothing here needs a kernel: the HTML is whole in the cell."""
import base64
import contextlib
import html
import io
import itertools
import os
import re
import subprocess
import tempfile
from typing import Any

from pm import errors

_TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")
MOST_SVG = 20_000  # characters in a cell
MOST_PAGE = 300_000
_cells = itertools.count(1)


# --- what the tools make ---


def _arguments(given):
    """Options of pm.Pipeline as those of the tools."""
    arguments = [f"--{name}={given[name]}" for name in ("fp", "machine", "vector", "cpu", "features", "function", "schedule") if given.get(name)]
    arguments += [f"--const={n}={','.join(map(str, v)) if isinstance(v, (list, tuple)) else v}"
                  for n, v in (given.get("const") or {}).items()]
    arguments += [f"--range={n}={v if isinstance(v, str) else f'{v[0]}:{v[1]}'}" for n, v in (given.get("range") or {}).items()]
    arguments += [f"--estimate={n}={v}" for n, v in (given.get("estimates") or {}).items()]
    arguments += [f"--set={setting}" for setting in given.get("settings") or ()]
    if given.get("live_out"):
        names = given["live_out"]
        arguments.append(f"--live-out={names if isinstance(names, str) else ','.join(names)}")
    return arguments


def run_tool(pipeline, tool, *arguments, output, as_option="-o"):
    """The file that a tool makes of the pipeline's program, `output` being its end, and `as_option` how it is named."""
    with tempfile.TemporaryDirectory(prefix="pm-") as folder:
        program = _as_file(pipeline, folder)
        made = os.path.join(folder, "made" + output)
        command = [os.path.join(_TOOLS, tool), program, *_arguments(pipeline._given), *arguments, f"{as_option}={made}" if as_option.startswith("--") else f"{as_option}{made}"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            raise errors.Error(run.stderr.strip())
        with open(made, encoding="utf-8") as file:
            return file.read()


def _as_file(pipeline, folder):
    """The program's own file, beside which are those that it includes, or one in the folder, if that has another text."""
    text = pipeline._text.encode() if isinstance(pipeline._text, str) else pipeline._text
    with contextlib.suppress(OSError), open(pipeline._filename, "rb") as file:
        if file.read() == text:
            return pipeline._filename
    program = os.path.join(folder, "program" + os.path.splitext(pipeline._filename)[1])
    with open(program, "wb") as file:
        file.write(text)
    return program


class Drawing(str):
    """An SVG, which a notebook draws."""

    def __repr__(self):
        return f"<a drawing, {len(self) / 1000:.1f} kB of SVG>"

    def _repr_svg_(self):
        return str(self)

    _repr_html_ = _repr_svg_  # nbconvert takes elements out of image/svg+xml


def drawing(pipeline):
    """The graph of stages. Names in it are its own, so that a page may have several."""
    text = run_tool(pipeline, "pm-translate", "--to=svg", output=".svg")
    text = text[text.index("<svg"):]
    own = f"pm{next(_cells)}-"
    text = re.sub(r'\bid="([^"]*)"', lambda m: f'id="{own}{m[1]}"', text)
    return Drawing(re.sub(r'(href="#|url\(#)', lambda m: m[1] + own, text))


class Page(str):
    """The page of a pipeline: stages, groups, code and remarks, side by side."""

    def __repr__(self) -> str:
        return f"<a page, {len(self) // 1000} kB of HTML>"

    def save(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)

    def _repr_html_(self):
        if len(self) > MOST_PAGE:
            return f"<p>The page has {len(self) // 1000} kB: <code>page.save('pipeline.html')</code> writes it.</p>"
        return (f'<iframe sandbox="allow-scripts" style="width:100%;height:40em;border:1px solid #8888" '
                f'srcdoc="{html.escape(self)}"></iframe>')


def page(pipeline):
    return Page(run_tool(pipeline, "pm-translate", "--to=html", output=".html"))


# --- a pipeline in a cell ---

_GROUP = re.compile(r"(\d+) stages? (?:is|are) one group.*?, the last is @(\w+); the prediction is ([\d.e+-]+ ms)")


def groups(pipeline):
    """[(last stage, number of stages, predicted time, the remark)]"""
    found = []
    for remark in pipeline.remarks:
        match = _GROUP.search(remark.text) if remark.stage == "group" else None
        if match:
            found.append((match[2], int(match[1]), match[3], remark.text))
    return found


def bundle(pipeline, include=None, exclude=None):
    signature = f"{pipeline.name}{pipeline.signature}"
    rows = groups(pipeline)
    plain = "\n".join([signature, *(f"  {name}: {n} stage{'s' if n > 1 else ''}, {time} predicted" for name, n, time, _ in rows)])
    table = "".join(f"<tr title='{html.escape(text, quote=True)}'><td>{html.escape(name)}</td><td>{n}</td><td>{time}</td></tr>"
                    for name, n, time, text in rows[:10])
    more = f"<p>and {len(rows) - 10} more groups</p>" if len(rows) > 10 else ""
    try:
        svg = drawing(pipeline)
    except errors.Error:
        svg = ""  # without Graphviz
    if len(svg) > MOST_SVG:
        svg = f"<p><code>{html.escape(pipeline.name)}.svg</code> draws the stages ({len(svg) // 1000} kB)</p>"
    text = (f"<div><code>{html.escape(signature)}</code><table><thead><tr><th>group</th><th>stages</th><th>predicted</th></tr>"
            f"</thead><tbody>{table}</tbody></table>{more}{svg}</div>")
    return {"text/plain": plain, "text/html": text}


# --- pictures ---


def _laid_out(picture):
    """Rows, columns and, of more than one, channels."""
    import numpy

    shape = picture.shape
    if len(shape) == 3 and shape[0] in (1, 3, 4) and shape[2] not in (1, 3, 4):
        picture = numpy.moveaxis(picture, 0, -1)  # planes
    if picture.ndim == 3 and picture.shape[2] == 1:
        picture = picture[..., 0]
    if picture.ndim == 2 or (picture.ndim == 3 and picture.shape[2] in (3, 4)):
        return picture
    which = "p[{}]" if len(shape) == 3 and shape[0] < shape[2] else "p[..., {}]"
    advice = "show one of them, " + which.format(0) if len(shape) == 3 else "it is of rows, columns and channels"
    if len(shape) == 3 and min(shape[0], shape[2]) > 3:
        advice += ", or three, " + which.format("[0, 1, 2]")
    raise errors.ShapeError(f"a picture p has 1, 3 or 4 channels; this is {shape}: {advice}")


def _others(values, finite):
    """What is said of values that are on no scale."""
    import numpy

    colours = {"inf": ("white", numpy.isposinf), "-inf": ("black", numpy.isneginf), "NaN": ("black", numpy.isnan)}
    return "" if finite.all() else "".join(f", {name} is {colour}" for name, (colour, has) in colours.items() if has(values).any())


def _scale(picture, finite):
    """The values that are black and white: of those that are numbers the least and the greatest, else 0 and 1."""
    numbers = picture[finite]
    low, high = (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 1.0)
    return (0.0, 1.0) if picture.dtype.kind == "f" and 0 <= low and high <= 1 else (low, high)


def _pixels(picture):
    """Bytes of a gray or colour picture, and what was done to its values."""
    import numpy

    picture = _laid_out(numpy.asarray(picture))
    if picture.dtype.kind not in "fiub":
        raise errors.DTypeError(f"a picture is of numbers; this is {picture.dtype}" + (": show abs(p)" if picture.dtype.kind == "c" else ""))
    if picture.dtype == numpy.uint8:
        return picture, ""
    values = picture.astype("float64")
    finite = numpy.isfinite(values)
    low, high = _scale(values if picture.dtype.kind == "f" else picture, finite)
    scaled = (numpy.nan_to_num(values, nan=low, posinf=high, neginf=low) - low) / ((high - low) or 1)
    return (scaled * 255 + 0.5).astype("uint8"), f"{low:g} is black, {high:g} is white" + _others(values, finite)


def _png(pixels):
    try:
        from PIL import Image
    except ImportError:
        raise errors.Error("pictures in notebooks need Pillow: pip install pillow") from None
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


class Comparison:
    """One or two pictures; of two, a slider says how much of each is seen."""

    def __init__(self, before, after=None):
        self._pictures = [_pixels(p) for p in (before, after) if p is not None]

    def __repr__(self):
        return " and ".join(f"a picture of {p.shape[0]} x {p.shape[1]}" for p, _ in self._pictures)

    def _repr_html_(self):
        images = [f'<img style="display:block;max-width:100%" src="{_png(p)}">' for p, _ in self._pictures]
        notes = " / ".join(dict.fromkeys(note for _, note in self._pictures if note))
        caption = f"<small>{html.escape(notes)}</small>" if notes else ""
        if len(images) == 1:
            return f"<div>{images[0]}{caption}</div>"
        name = f"pm{next(_cells)}"
        return (f'<div><div style="position:relative;display:inline-block">{images[0]}'
                f'<div id="{name}" style="position:absolute;top:0;left:0;clip-path:inset(0 0 0 50%)">{images[1]}</div></div>'
                f'<br><input type="range" value="50" style="width:20em" aria-label="how much of the first picture is seen" '
                f"oninput=\"document.getElementById('{name}').style.clipPath='inset(0 0 0 '+this.value+'%)'\">{caption}</div>")


def show(before: Any, after: Any = None) -> Comparison:
    """A picture, or two to compare, in a notebook. Values other than u8 are scaled, and the scale is told."""
    return Comparison(before, after)
