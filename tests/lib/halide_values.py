"""A program of Halide's language against the values in its comments: see tests/halide/README.md.

  halide_values.py FILE [OPTION…]    options go to pm-run
"""
import math
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

import npy

WIDTH = 120
EPSILON = 1e-5
TYPES = {"bool": "?", "u8": "u1", "i8": "i1", "u16": "u2", "i16": "i2", "u32": "u4", "i32": "i4", "u64": "u8",
         "i64": "i8", "f32": "f4", "f64": "f8"}
HEAD = re.compile(r"// (in|param|extents|expect): (\S+) =\s*(.*)$")
ARRAY = re.compile(r"(?:(\d+(?:x\d+)*) )?(\w+):\s*(.*)$")


@dataclass
class Array:
    kind: str
    extents: list  # x first
    words: list  # x fastest


@dataclass
class Test:
    inputs: dict = field(default_factory=dict)
    params: dict = field(default_factory=dict)
    extents: dict = field(default_factory=dict)
    expect: dict = field(default_factory=dict)


def goes_on(line):
    """Whether a line has more values of the array before."""
    return re.match(r"//( +(/+|-?[\d.][-+.e\d]*|-?inf|-?nan))+$", line) is not None


def parse_array(text):
    extents, kind, numbers = ARRAY.match(text).groups()
    words = [word for word in numbers.split() if not word.startswith("/")]
    array = Array(kind, [int(e) for e in extents.split("x")] if extents else [], words)
    count = 1
    for extent in array.extents:
        count *= extent
    if kind not in TYPES or len(words) != count:
        raise ValueError(f"{count} values of {', '.join(TYPES)}: {text}")
    return array


def read_test(text):
    heads = []
    for line in text.split("\n"):
        head = HEAD.match(line)
        if head:
            heads.append(list(head.groups()))
        elif heads and goes_on(line):
            heads[-1][2] += " " + line[2:].strip()
        elif heads and not line.startswith("//"):
            break
    test = Test()
    for what, name, rest in heads:
        if what == "param":
            test.params[name] = rest
        elif what == "extents":
            test.extents[name] = [int(e) for e in rest.split()]
        else:
            (test.inputs if what == "in" else test.expect)[name] = parse_array(rest)
    return test


def format_array(what, name, array):
    """The lines of an array: `/` ends a row, `//` a plane, `///` a volume."""
    line, lines, steps = f"// {what}: {name} = {'x'.join(map(str, array.extents))}", [], []
    for extent in array.extents[:-1]:
        steps.append(extent * (steps[-1] if steps else 1))
    words = [(" " if array.extents else "") + array.kind + ":"]
    if not array.extents:
        line += array.kind + ":"
        words = []
    for i, word in enumerate(array.words):
        ended = sum(i % step == 0 for step in steps) if i else 0
        words += ([" " + "/" * ended] if ended else []) + [" " + word]
    for word in words:
        if len(line) + len(word) > WIDTH:
            lines.append(line)
            line = "//  "
        line += word
    return lines + [line]


def elements(array):
    """(kind, shape, values) as of npy.load: row by row, x last."""
    kind = TYPES[array.kind]
    values = [npy.converted(kind, float(w) if kind[0] == "f" else int(w)) for w in array.words]
    return kind, tuple(array.extents[::-1]), values


def is_close(got, want):
    if math.isnan(want) or math.isinf(want) or math.isnan(got) or math.isinf(got):
        return got == want or math.isnan(got) and math.isnan(want)
    return abs(got - want) <= EPSILON * abs(want)


def is_same(got, want):
    if got[1] != want[1]:
        return False
    if want[0] == "?":
        return got[0][0] in "?u" and [v != 0 for v in got[2]] == want[2]
    if got[0] != want[0]:
        return False
    return all(map(is_close, got[2], want[2])) if want[0][0] == "f" else got[2] == want[2]


def main():
    path, *options = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        test = read_test(file.read())
    if not test.expect:
        sys.exit(f"{path}: no `// expect:`")
    with tempfile.TemporaryDirectory() as folder:
        words = ["pm-run", path, "--check", *options]
        for name, array in test.inputs.items():
            npy.save(os.path.join(folder, f"{name}.in.npy"), *elements(array))
            words += ["--in", f"{name}={folder}/{name}.in.npy"]
        words += [word for name, value in test.params.items() for word in ("--param", f"{name}={value}")]
        for name, extents in test.extents.items():
            for d, extent in enumerate(extents):
                words += ["--param", f"{name}_extent_{d}={extent}"]
        for name in test.expect:  # element k of a tuple is NAME_k of ours
            words += ["--out", f"{name.replace('.', '_')}={folder}/{name}.npy"]
        run = subprocess.run(words, check=False, stdout=subprocess.DEVNULL)
        if run.returncode:
            sys.exit(run.returncode)
        failed = 0
        for name, array in test.expect.items():
            got, want = npy.load(os.path.join(folder, f"{name}.npy")), elements(array)
            if not is_same(got, want):
                failed += 1
                print(f"{path}: {name} is\n{got}\nshould be\n{want}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
