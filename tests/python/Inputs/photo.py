"""photo.py NOTEBOOK: its cells run in this process, and show what the stored ones show: sorts of outputs, pictures, and text but for
numbers, which are times."""
import ast
import base64
import contextlib
import io
import json
import os
import re
import sys

import numpy
import PIL.Image

import pm

path = sys.argv[1]
MOST_BYTES = 1_000_000
PICTURE = re.compile(r"data:image/png;base64,([\w+/=]+)")
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]\d+)?")


def run(source, names):
    """What a cell prints, and what its last expression is."""
    tree, value = ast.parse(source), None
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        if last:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    return printed.getvalue(), value


def shown(value):
    if value is None:
        return {}
    if hasattr(value, "_repr_mimebundle_"):
        return value._repr_mimebundle_()
    made = {"text/plain": repr(value)}
    for kind, name in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
        if hasattr(value, name):
            made[kind] = getattr(value, name)()
    return made


def without_numbers(text):
    """Tables are as wide as their numbers."""
    return re.sub(r"\s+", " ", NUMBER.sub("#", text)).strip()


def pictures(text):
    return [numpy.asarray(PIL.Image.open(io.BytesIO(base64.b64decode(data)))).astype("i2") for data in PICTURE.findall(text)]


def compare(number, cell, names):
    printed, value = run("".join(cell["source"]), names)
    now = shown(value)
    streams = "".join("".join(o["text"]) for o in cell["outputs"] if o["output_type"] == "stream" and o["name"] == "stdout")
    stored = {k: "".join(v) for o in cell["outputs"] if o["output_type"] == "execute_result" for k, v in o["data"].items()}
    assert set(stored) == set(now), (number, set(stored), set(now))
    if "profile" not in names:  # what is a point, and whose remarks are shown, depends on times
        assert without_numbers(printed) == without_numbers(streams), (number, printed, streams)
        if not isinstance(value, pm.Pipeline):  # whose groups depend on the machine
            assert without_numbers(now.get("text/plain", "")) == without_numbers(stored.get("text/plain", "")), (number, now, stored)
    before, after = pictures(stored.get("text/html", "")), pictures(now.get("text/html", ""))
    assert len(before) == len(after), number
    for a, b in zip(before, after):
        # Few elements of integers that floats become depend on rounding.
        assert a.shape == b.shape and (abs(a - b) > 2).mean() < 0.001, (number, a.shape, b.shape)
    return len(before)


assert os.path.getsize(path) < MOST_BYTES
with open(path, encoding="utf-8") as file:
    cells = json.load(file)["cells"]
os.chdir(os.path.dirname(path))
names = {"__name__": "__main__"}
code = [cell for cell in cells if cell["cell_type"] == "code"]
assert all(cell["outputs"] for cell in code), "tools/refresh-notebook stores what cells show"
n_pictures = sum(compare(i, cell, names) for i, cell in enumerate(code))
assert n_pictures == 5, n_pictures
assert abs(names["sharpen"](names["large"]) - names["by_scipy"](names["large"])).max() < 1e-6
light = [numpy.tensordot([0.299, 0.587, 0.114], of, 1).mean() for of in (names["dark"], names["spread"](names["dark"]))]
assert light[0] < 0.3 and 0.45 < light[1] < 0.55, light  # equal numbers of all levels
assert "slowest" in names
