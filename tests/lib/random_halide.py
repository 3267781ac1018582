"""Random programs of Halide's language.

  random_halide.py [--seeds 0..19] [--halide PYTHON] [--names] [--limit SECONDS] [--timeout 600] [--keep DIR] [--option=OPTION]…
A program has inputs, boundary conditions, stencils, parities, pyramids, computed indices, updates, reductions, tuples and
directives. It is compiled by pm-run and called at several sizes, and its outputs are compared with the interpreter's.
With --halide they are compared with Halide's, too: PYTHON has the package halide<22, and gets the same program in the
words of its module. Numbers are chosen so that nothing overflows and all floats are exact, and every bit must agree.
With --names the program in these words is run by pm.halide, too, where PYTHONPATH has it.
A program that is refused is counted, each message with a seed, and so is one that needs more seconds of the processor
than --timeout. --keep gets the programs that are wrong. --limit begins
no seed later. Options go to pm-run.
"""
import argparse
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import namedtuple

import numpy as np

sys.dont_write_bytecode = True

CPP = dict(u8="uint8_t", i8="int8_t", u16="uint16_t", i16="int16_t", u32="uint32_t", i32="int32_t", f32="float")
PYTHON = dict(u8="UInt(8)", i8="Int(8)", u16="UInt(16)", i16="Int(16)", u32="UInt(32)", i32="Int(32)", f32="Float(32)")
DTYPES = dict(u8="u1", i8="i1", u16="u2", i16="i2", u32="u4", i32="i4", f32="f4")
RANGES = {t: (-(2 ** (n - 1)), 2 ** (n - 1) - 1) if t[0] == "i" else (0, 2**n - 1) for t in DTYPES for n in [int(t[1:])]}
INPUT_TYPES = "u8 u8 u16 i32 f32".split()
FUNC_TYPES = "u8 i8 u16 i16 u32 i32 i32 i32 f32 f32".split()
INTEGERS = FUNC_TYPES[:8]
MODES = "repeat_edge mirror_image mirror_interior repeat_image constant_exterior".split()
TIMEOUT = 100  # of Halide


class E:
    """An expression: its two texts, its type, its bounds, and of floats the bits behind the point."""

    def __init__(self, cpp, py, kind, low, high, bits=0):
        self.cpp, self.py, self.kind, self.low, self.high, self.bits = cpp, py, kind, low, high, bits
        if kind != "f32" and kind != "bool" and not RANGES[kind][0] <= low <= high <= RANGES[kind][1]:
            self.low, self.high = RANGES[kind]

    @property
    def size(self):
        return max(abs(self.low), abs(self.high))


Range = namedtuple("Range", "name low high")  # a variable of an RDom: as both texts name it


class Func:
    def __init__(self, name, rank, ranges, raw=False, extents=None):
        self.name, self.rank, self.ranges = name, rank, ranges  # of each element: (kind, low, high, bits)
        self.raw, self.extents = raw, extents  # reads inputs where they are asked; texts of the extents of an input
        self.scale, self.readers, self.updates, self.plain = 1, set(), 0, True


class Context:
    """What a definition may name: pure variables, those of RDoms; the Func itself; coordinates as values."""

    def __init__(self, func, names, ranges=(), coordinates=True):
        self.func, self.names, self.ranges, self.coordinates = func, names, list(ranges), coordinates


def literal(value, kind):
    return E(f"{float(value)}f" if kind == "f32" else str(value), f"hl.{kind}({value})", kind, value, value, 1 if kind == "f32" else 0)


def both(template, kind, low, high, *parts, bits=0, py=None):
    return E(template.format(*(p.cpp for p in parts)), (py or template).format(*(p.py for p in parts)), kind, low, high, bits)


def promoted(a, b):
    if "f32" in (a, b):
        return "f32"
    return ("i" if "i" in a + b else "u") + str(max(int(a[1:]), int(b[1:])))


def cast(e, kind):
    if e.kind == kind:
        return e
    if e.kind == "f32":
        low, high = max(RANGES[kind][0], -1000), min(RANGES[kind][1], 1000)
        if e.low < low or e.high > high:
            e = both(f"clamp({{0}}, {low}.0f, {high}.0f)", "f32", low, high, e, py=f"hl.clamp({{0}}, hl.f32({low}), hl.f32({high}))")
        return both(f"cast<{CPP[kind]}>({{0}})", kind, math.trunc(e.low), math.trunc(e.high), e, py=f"hl.cast(hl.{PYTHON[kind]}, {{0}})")
    e = limited(e, 2**15) if kind == "f32" else e
    if kind[0] == "u" and e.kind[0] == "i" and e.low < 0 and "cast<int" in e.cpp:  # of a float: Halide casts that at once
        e = both("max({0}, 0)", e.kind, 0, max(e.high, 0), e, py=f"hl.max({{0}}, hl.{e.kind}(0))")
    return both(f"cast<{CPP[kind]}>({{0}})", kind, e.low, e.high, e, py=f"hl.cast(hl.{PYTHON[kind]}, {{0}})")


def limited(e, size, bits=4):
    """Of at most that size, and few bits behind the point."""
    if e.kind == "f32":
        if e.bits > bits:
            e = both("floor({0})", "f32", math.floor(e.low), math.floor(e.high), e, py="hl.floor({0})")
        if e.size > size:
            e = both(f"clamp({{0}}, -{size}.0f, {size}.0f)", "f32", max(e.low, -size), min(e.high, size), e, bits=e.bits, py=f"hl.clamp({{0}}, hl.f32(-{size}), hl.f32({size}))")
        return e
    if e.size <= size:
        return e
    n = min(size, 101)
    return both(f"({{0}} % {n})", e.kind, 0, n - 1, e, py=f"({{0}} % hl.{e.kind}({n}))")


def arithmetic(op, a, b):
    kind = promoted(a.kind, b.kind)
    if kind == "f32":
        a, b = cast(a, kind) if op != "+" else a, cast(b, kind) if op == "*" else b
        a, b = ((limited(v, 100) if op == "*" else limited(v, 2**12, 8)) for v in (a, b))
        bits = a.bits + b.bits if op == "*" else max(a.bits, b.bits)
    else:
        bits = 0
        if kind == "i32":
            a, b = (limited(v, 30000 if op == "*" else 2**29) for v in (a, b))
    corners = [{"+": p + q, "-": p - q, "*": p * q}[op] for p in (a.low, a.high) for q in (b.low, b.high)]
    wraps = kind != "f32" and (kind[0] == "u") and (a.low < 0 or b.low < 0)
    low, high = RANGES[kind] if wraps and kind != "f32" else (min(corners), max(corners))
    return both(f"({{0}} {op} {{1}})", kind, low, high, a, b, bits=bits)


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.cpp, self.py, self.counts = [], [], {}
        self.inputs, self.params, self.funcs, self.outputs = {}, {}, [], {}
        self.raw = self.rng.random() < 0.2
        self.odd = self.pick(0.1, 0.25, 0.5, 1)  # how many indices are not near
        self.declare_inputs()
        makers = [self.pure] * 6 + [self.down, self.up, self.pyramid, self.bounded, self.updated, self.updated, self.updated, self.table, self.tuple, self.reduced]
        for _ in range(self.pick(1, 1, 1, 2, 2, 2, 3, 5)):
            self.rng.choice(makers)()
        self.make_outputs()
        if self.rng.random() < 0.5:
            self.schedule()
        self.cpp_text = "\n".join(self.head + self.cpp) + "\n"
        self.py_text = "\n".join(self.py) + "\n"

    def pick(self, *items):
        return self.rng.choice(items)

    def line(self, cpp, py=None):
        self.cpp.append(cpp + ";")
        self.py.append(py or cpp)

    def name(self, prefix):
        self.counts[prefix] = self.counts.get(prefix, -1) + 1
        return f"{prefix}{self.counts[prefix]}"

    # --- inputs ---

    def declare_inputs(self):
        self.head = ['Var x("x"), y("y"), z("z");', "Var xo, xi, yo, yi;"]
        self.py += [f'{v} = hl.Var("{v}")' for v in "x y z".split()]
        for _ in range(self.pick(1, 1, 1, 2, 3)):
            name, kind, rank = self.name("in"), self.rng.choice(INPUT_TYPES), self.pick(1, 2, 2, 2, 2, 2, 3)
            self.head.append(f'Input<Buffer<{CPP[kind]}, {rank}>> {name}{{"{name}"}};')
            self.py.append(f'{name} = hl.ImageParam(hl.{PYTHON[kind]}, {rank}, "{name}")')
            self.inputs[name] = (kind, rank)
            low, high, bits = {"u8": (0, 255, 0), "u16": (0, 999, 0), "i32": (-500, 500, 0), "f32": (-64, 64, 2)}[kind]
            extents = [self.pick(f"{name}.dim({d}).extent()", f"{name}.{['width', 'height', 'channels'][d]}()") for d in range(rank)]
            source = Func(name, rank, [(kind, low, high, bits)], raw=True, extents=extents)
            if self.raw and self.rng.random() < 0.7:
                self.funcs.append(source)
            for _ in range(self.pick(1, 1, 1, 2)):
                self.border(source)
        for _ in range(self.pick(0, 0, 0, 1, 2)):
            kind = self.pick("i32", "f32")
            name = self.name("p")
            self.head.append(f'Input<{CPP[kind]}> {name}{{"{name}"}};')
            self.py.append(f'{name} = hl.Param(hl.{PYTHON[kind]}, "{name}")')
            self.params[name] = kind

    def border(self, source):
        """A Func that reads an input at all points; boxes of constants make one of a Func."""
        name = self.name("b")
        kind, low, high, bits = source.ranges[0]
        mode = self.rng.choice(MODES + ["clamped"] * (source.extents is not None))
        made = Func(name, source.rank, source.ranges)
        if mode == "clamped":
            names = "xyz"[: source.rank]
            indices = [f"clamp({v}, 0, {e} - 1)" for v, e in zip(names, source.extents)]
            in_py = [f"hl.clamp({v}, 0, {e} - 1)" for v, e in zip(names, source.extents)]
            self.head_func(name)
            self.line(f"{name}({', '.join(names)}) = {source.name}({', '.join(indices)})", f"{name}[{', '.join(names)}] = {source.name}[{', '.join(in_py)}]")
        else:
            cpp = py = source.name
            if mode == "constant_exterior":
                value = self.pick(0, 1, 7)
                cpp, py = f"{cpp}, cast<{CPP[kind]}>({value})", f"{py}, hl.{kind}({value})"
                made.ranges = [(kind, min(low, value), max(high, value), bits)]
            if source.extents is None or self.raw and self.rng.random() < 0.1:
                box = [(0 if self.raw else self.rng.randint(-2, 2), self.rng.randint(1, 4 if self.raw else 7)) for _ in range(source.rank)]
                cpp += ", {" + ", ".join(f"{{{m}, {e}}}" for m, e in box) + "}"
                py += f", {box}"
            if source.extents and self.rng.random() < 0.1 and "{" not in cpp:
                cpp += ", {" + ", ".join(f"{{0, {e}}}" for e in source.extents) + "}"
                py += ", [" + ", ".join(f"(0, {e})" for e in source.extents) + "]"
            self.line(f"Func {name} = BoundaryConditions::{mode}({cpp})", f"{name} = hl.BoundaryConditions.{mode}({py})")
        made.scale = source.scale
        made.plain = mode == "clamped"
        source.readers.add(name)
        self.funcs.append(made)

    def head_func(self, name):
        self.line(f'Func {name}("{name}")', f'{name} = hl.Func("{name}")')

    # --- expressions ---

    def variable(self, context):
        """A variable of the definition and whether it is of an RDom."""
        choices = [(v, None) for v in context.names] + [(r.name, r) for r in context.ranges] * 2
        return self.rng.choice(choices) if choices else ("0", Range("0", 0, 0))

    def shifted(self, context, v, r, source):
        raw = source.raw
        k = self.rng.randint(0, 2) if raw else self.rng.randint(-3, 3)
        if r is None and context.ranges and self.rng.random() < 0.4 and not (raw and any(q.low < 0 for q in context.ranges)):
            v = f"{v} + {self.rng.choice(context.ranges).name}"
        elif not raw and self.params and self.rng.random() < 0.1:
            name = self.rng.choice(list(self.params))
            v = f"{v} + {name}" if self.params[name] == "i32" else v
        return f"{v} + {k}" if k > 0 else f"{v} - {-k}" if k else v

    def index(self, context, source, d, depth):
        """An index of dimension d of a source, in both texts."""
        own = "xyz"[d]
        v, r = self.variable(context)
        if own in context.names and self.rng.random() < 1 - self.odd / 2:
            v, r = own, None
        choice, near = self.rng.random(), self.shifted(context, v, r, source)
        if choice < 0.5 or self.rng.random() > self.odd:
            return near, near
        if choice < 0.67:
            k = self.pick(2, 2, 3, 4)
            text = f"({near})/{k}"
            return text, text.replace("/", "//")
        low = 0 if source.raw else self.rng.randint(-2, 1)
        high = low + self.rng.randint(0, 3 if source.raw else 7)
        if choice < 0.75:
            return f"clamp({near}, {low}, {high})", f"hl.clamp({near}, {low}, {high})"
        if choice < 0.84 and depth < 1:
            return self.computed(context, low, high, depth)
        if choice < 0.88:
            k = self.pick(2, 3, 4)
            return f"({near}) % {k}", f"({near}) % {k}"
        if source.raw:
            return str(low), str(low)
        other, _ = self.variable(context)
        if choice < 0.91:
            k = self.pick(2, 3, 4)
            text = f"({self.pick('3*', '2*', '')}{v} {self.pick('+', '-')} {other} + {self.rng.randint(-2, 2)})/{k}".replace("+ -", "- ")
            return text, text.replace("/", "//")
        if choice < 0.925:
            text = f"{v} {self.pick('+', '-')} {other}"
            return text, text
        if choice < 0.945 and source.scale * 2 <= 8:
            context.func.scale = max(context.func.scale, source.scale * 2)
            text = f"2*{v} + {self.rng.randint(0, 2)}"
            return text, text
        if choice < 0.96:
            text = f"{self.rng.randint(0, 5)} - {v}"
            return text, text
        if choice < 0.98:
            f, k = self.pick("min", "max"), self.rng.randint(-1, 6)
            return f"{f}({near}, {k})", f"hl.{f}({near}, {k})"
        return str(self.rng.randint(-2, 4)), None

    def computed(self, context, low, high, depth):
        value = self.expression(context, depth + 2)
        way = self.rng.random()
        if way < 0.6:
            e = cast(value, "i32")
            e = self.divided(e) if self.rng.random() < 0.3 else e
            e = both(f"clamp({{0}}, {low}, {high})", "i32", low, high, e, py=f"hl.clamp({{0}}, {low}, {high})")
        elif way < 0.8 and value.kind != "f32":
            n = max(high - max(low, 0) + 1, 1)
            e = both(f"cast<int>({{0}} % {n})", "i32", 0, n - 1, value, py=f"hl.i32({{0}} % hl.{value.kind}({n}))")
        else:
            e = cast(limited(value, 10), "i32") if value.kind == "f32" else both("clamp(cast<int>({0}), 0, 3)", "i32", 0, 3, limited(value, 100), py="hl.clamp(hl.i32({0}), 0, 3)")
            if e.low < low or e.high > high:
                e = both(f"max(min({{0}}, {high}), {low})", "i32", low, high, e, py=f"hl.max(hl.min({{0}}, {high}), {low})")
        return e.cpp, e.py

    def read(self, context, depth=0, source=None):
        source = source or self.rng.choice(self.funcs)
        return self.read_at(context, source, [self.index(context, source, d, depth) for d in range(source.rank)])

    def read_at(self, context, source, indices, element=None):
        element = self.rng.randrange(len(source.ranges)) if element is None else element
        indices = [(c, c if p is None else p) for c, p in indices]
        kind, low, high, bits = source.ranges[element]
        suffix = f"[{element}]" if len(source.ranges) > 1 else ""
        source.readers.add(context.func.name)
        context.func.scale = max(context.func.scale, source.scale)
        context.func.raw |= source.raw
        cpp, py = (", ".join(texts) for texts in zip(*indices))
        text = f"{source.name}[{py}]{suffix}"
        return E(f"{source.name}({cpp}){suffix}", text if source.extents else f"hl.Expr({text})", kind, low, high, bits)

    def affine(self, context):
        v, _ = self.variable(context)
        text = self.pick(v, f"({v} + {self.rng.randint(1, 4)})", f"({self.rng.randint(1, 9)} - {v})", f"2*{v}")
        return E(f"({text})", f"hl.i32({text})", "i32", -(2**18), 2**18)

    def atom(self, context, depth):
        choice = self.rng.random()
        if choice < 0.75 or not context.coordinates:
            return self.read(context, depth)
        if choice < 0.87:
            return self.affine(context)
        if choice < 0.93 and self.params:
            name = self.rng.choice(list(self.params))
            return E(name, name, self.params[name], -4, 4, 1 if self.params[name] == "f32" else 0)
        kind = self.rng.choice(FUNC_TYPES)
        value = self.pick(0, 1, 2, 5, 100)
        return both("cast<%s>({0})" % CPP[kind], kind, value, value, E(str(value), str(value), "i32", value, value), py=f"hl.{kind}({{0}})")

    def expression(self, context, depth=0):
        choice = self.rng.random()
        if depth > 2 or choice < 0.3:
            return self.atom(context, depth)
        a = self.expression(context, depth + 1)
        if choice < 0.32:
            return self.unary(a)
        if choice < 0.42:
            return self.divided(a)
        if choice < 0.48:
            kind = self.rng.choice(FUNC_TYPES)
            if a.kind != "f32" and kind != "f32" and self.rng.random() < 0.4:
                low, high = RANGES[kind]
                return both(f"saturating_cast<{CPP[kind]}>({{0}})", kind, min(max(a.low, low), high), min(max(a.high, low), high), a, py=f"hl.saturating_cast(hl.{PYTHON[kind]}, {{0}})")
            return cast(a, kind)
        if choice < 0.56:
            return self.with_literal(a)
        b = self.expression(context, depth + 1)
        if choice < 0.64:
            kind = self.pick(a.kind, b.kind)
            a, b = cast(a, kind), cast(b, kind)
            c = self.condition(context, depth + 2)
            return both("select({0}, {1}, {2})", kind, min(a.low, b.low), max(a.high, b.high), c, a, b, bits=max(a.bits, b.bits), py="hl.select({0}, {1}, {2})")
        if choice < 0.72:
            kind, f = promoted(a.kind, b.kind), self.pick("min", "max")
            a, b = cast(a, kind), cast(b, kind)
            low, high = ((min if f == "min" else max)(p, q) for p, q in ((a.low, b.low), (a.high, b.high)))
            return both(f"{f}({{0}}, {{1}})", kind, low, high, a, b, bits=max(a.bits, b.bits), py=f"hl.{f}({{0}}, {{1}})")
        if choice < 0.78 and "f32" not in (a.kind, b.kind):
            kind = promoted(a.kind, b.kind)
            a, b = (limited(cast(v, kind), 2**20) for v in (a, b))
            n = 2 ** (max(a.size, b.size).bit_length())
            low, high = (-n, n) if kind == "i32" else RANGES[kind]
            return both(f"({{0}} {self.pick('&', '|', '^')} {{1}})", kind, low, high, a, b)
        if choice < 0.8 and a.kind == b.kind:
            kind = a.kind if a.kind == "f32" else "u" + a.kind[1:]
            if kind in ("f32", "u32"):
                a, b = (limited(v, 2**12) for v in (a, b))
            return both("absd({0}, {1})", kind, 0, a.size + b.size, a, b, bits=max(a.bits, b.bits), py="hl.absd({0}, {1})")
        return arithmetic(self.pick("+", "+", "-", "*"), a, b)

    def unary(self, a):
        if self.rng.random() < 0.6 and (a.kind == "f32" or a.kind[0] == "i"):
            return both("abs({0})", a.kind if a.kind == "f32" else "u" + a.kind[1:], 0, a.size, a, bits=a.bits, py="hl.abs({0})")
        if a.kind == "f32":
            f = self.pick("floor", "ceil", "round")
            return both(f"{f}({{0}})", "f32", math.floor(a.low), math.ceil(a.high), a, py=f"hl.{f}({{0}})")
        a = limited(a, 2**30) if a.kind == "i32" else a
        low, high = RANGES[a.kind] if a.kind != "i32" else (-a.size - 1, a.size + 1)
        return both(self.pick("-{0}", "~{0}"), a.kind, low, high, E(f"({a.cpp})", f"({a.py})", a.kind, a.low, a.high))

    def divided(self, a):
        if a.kind == "f32":
            a = limited(a, 2**12, 4)
            return self.pick(both("({0} / 2.0f)", "f32", a.low, a.high, a, bits=a.bits + 1, py="({0} / hl.f32(2))"), both("({0} * 0.25f)", "f32", a.low, a.high, a, bits=a.bits + 2, py="({0} * hl.f32(0.25))"))
        n = self.pick(2, 3, 4, 7, 16)
        if self.rng.random() < 0.5:
            return both(f"({{0}} / {n})", a.kind, a.low // n, a.high // n, a, py=f"({{0}} // hl.{a.kind}({n}))")
        if self.rng.random() < 0.6:
            return both(f"({{0}} % {n})", a.kind, 0, n - 1, a, py=f"({{0}} % hl.{a.kind}({n}))")
        n = self.pick(1, 2, 5)
        return both(f"({{0}} >> {n})", a.kind, a.low >> n, a.high >> n, a, py=f"({{0}} >> hl.{a.kind}({n}))")

    def with_literal(self, a):
        op, n = self.pick("+", "-", "*"), self.pick(1, 2, 3, 10, 100)
        b = literal(n, a.kind)
        if self.rng.random() < 0.2 and op != "*":
            return arithmetic(op, b, a)
        return arithmetic(op, a, b)

    def condition(self, context, depth=0):
        choice = self.rng.random()
        if choice < 0.2 and depth < 3:
            op = self.pick("&&", "||")
            parts = [self.condition(context, depth + 1) for _ in range(2)]
            return both(f"({{0}} {op} {{1}})", "bool", 0, 1, *parts, py=f"({{0}} {op[0]} {{1}})")
        relation = self.pick("<", "<=", ">", ">=", "==", "!=")
        if choice < 0.5 and context.coordinates:
            v, _ = self.variable(context)
            other, _ = self.variable(context)
            text = self.pick(f"{v} % 2", f"{v}", f"{v} + {other}", f"{v} - {other}", f"{v} % 3")
            return self.compared(text, relation)
        a = self.expression(context, depth + 1)
        if self.rng.random() < 0.5:
            b = literal(self.pick(0, 1, 3, 20, 100), a.kind)
        else:
            b = self.expression(context, depth + 2)
            kind = promoted(a.kind, b.kind)
            a, b = cast(a, kind), cast(b, kind)
        return both(f"({{0}} {relation} {{1}})", "bool", 0, 1, a, b)

    def compared(self, text, relation):
        k = self.rng.randint(0, 5)
        return E(f"({text} {relation} {k})", f"(hl.i32({text}) {relation} hl.i32({k}))", "bool", 0, 1)

    # --- Funcs ---

    def define(self, func, names, values, update=False):
        """A definition; ranges of the Func have room for it."""
        if not func.ranges:
            func.ranges = [(v.kind, v.low, v.high, v.bits) for v in values]
        else:
            func.ranges = [(k, min(l, v.low), max(h, v.high), max(b, v.bits)) for (k, l, h, b), v in zip(func.ranges, values)]
        cpp, py = values[0].cpp, values[0].py
        if len(values) > 1:
            cpp = ("Tuple(" if self.rng.random() < 0.5 else "{") + ", ".join(v.cpp for v in values)
            cpp += ")" if cpp[0] == "T" else "}"
            py = "hl.Tuple([" + ", ".join(v.py for v in values) + "])"
        indices = [(n, n) if isinstance(n, str) else n for n in names]
        self.line(f"{func.name}({', '.join(c for c, _ in indices)}) = {cpp}", f"{func.name}[{', '.join(p for _, p in indices)}] = {py}")

    def new(self, rank=None, prefix="f"):
        func = Func(self.name(prefix), rank or self.pick(1, 2, 2, 2, 2, 2, 2, 3), [])
        self.head_func(func.name)
        return func, list("xyz"[: func.rank])

    def ready(self, func):
        self.funcs.append(func)

    def kind_for(self, e):
        return e.kind if self.rng.random() < 0.5 else self.rng.choice(FUNC_TYPES)

    def value(self, context, kind=None, depth=0):
        e = self.expression(context, depth)
        return self.stored(cast(e, kind or self.kind_for(e)))

    def stored(self, e):
        """What a Func may keep: of limited size."""
        return limited(e, 2**12 if e.kind == "f32" else 2**20) if e.kind in ("f32", "i32") else e

    def pure(self):
        func, names = self.new()
        if self.rng.random() < 0.3:
            self.define(func, names, [self.stencil(Context(func, names))])
        else:
            self.define(func, names, [self.value(Context(func, names))])
        self.ready(func)

    def stencil(self, context):
        source = self.rng.choice([f for f in self.funcs if len(f.ranges) == 1])
        total = None
        for _ in range(self.rng.randint(2, 5)):
            indices = []
            for d in range(source.rank):
                v = "xyz"[d] if "xyz"[d] in context.names else context.names[-1]
                text = self.shifted(context, v, None, source)
                indices.append((text, text))
            tap = self.read_at(context, source, indices)
            if self.rng.random() < 0.4:
                tap = arithmetic("*", tap, literal(self.pick(2, 3, 4), tap.kind))
            total = tap if total is None else arithmetic(self.pick("+", "+", "-"), total, tap)
        return self.stored(self.divided(total) if self.rng.random() < 0.4 else total)

    def down(self, source=None):
        candidates = [f for f in self.funcs if f.scale * 2 <= 8]
        if not candidates:
            return self.pure()
        source = source or self.rng.choice(candidates)
        func, names = self.new(source.rank)
        context = Context(func, names)
        halved = [d for d in range(func.rank) if self.rng.random() < 0.8] or [0]
        taps = []
        for _ in range(self.rng.randint(2, 4)):
            indices = []
            for d, v in enumerate(names):
                k = self.rng.randint(0 if source.raw else -1, 2)
                indices.append((f"2*{v} + {k}".replace("+ -", "- ") if d in halved else v, None))
            taps.append(self.read_at(context, source, indices, 0))
        total = taps[0]
        for tap in taps[1:]:
            total = arithmetic("+", total, tap)
        func.scale = max(func.scale, source.scale * 2)
        self.define(func, names, [self.stored(self.divided(total))])
        self.ready(func)
        return func

    def up(self, source=None):
        source = source or self.rng.choice(self.funcs)
        func, names = self.new(source.rank)
        context = Context(func, names)
        way = self.rng.random()
        taps = []
        for shift in (0, 1):
            indices = []
            for d, v in enumerate(names):
                text = f"{v}/2" + (f" + {shift}" if way < 0.3 else "") if way < 0.6 else f"({v} + {shift})/2"
                indices.append((text, text.replace("/", "//")))
            taps.append(self.read_at(context, source, indices, 0))
        total = arithmetic("+", taps[0], taps[1])
        if way > 0.8:
            total = both(f"select({names[0]} % 2 == 0, {{0}}, {{1}})", taps[0].kind, taps[0].low, taps[0].high, *taps, bits=taps[0].bits, py=f"hl.select({names[0]} % 2 == 0, {{0}}, {{1}})")
        self.define(func, names, [self.stored(total)])
        self.ready(func)
        return func

    def pyramid(self):
        """Down and up again, with what was skipped."""
        levels = [self.rng.choice([f for f in self.funcs if len(f.ranges) == 1])]
        while len(levels) < self.pick(2, 3, 3) and levels[-1].scale * 2 <= 8:
            levels.append(self.down(levels[-1]))
        if len(levels) < 2:
            return
        last = levels.pop()
        while levels:
            level = levels.pop()
            raised = self.up(last)
            func, names = self.new(level.rank)
            context = Context(func, names)
            here = [(v, None) for v in names]
            total = arithmetic(self.pick("+", "-"), self.read_at(context, level, here, 0), self.read_at(context, raised, here, 0))
            self.define(func, names, [self.stored(total)])
            self.ready(func)
            last = func

    def bounded(self):
        """A boundary condition of a Func, whose bounds are constants."""
        candidates = [f for f in self.funcs if len(f.ranges) == 1 and f.extents is None]
        self.border(self.rng.choice(candidates)) if candidates else self.pure()

    def rdom(self, count=None):
        name = self.name("r")
        count = count or self.pick(1, 1, 2)
        box = [(self.rng.randint(0 if self.raw else -1, 2), self.rng.randint(1, 4)) for _ in range(count)]
        numbers = [str(n) for pair in box for n in pair]
        self.line(f'RDom {name}({", ".join(numbers)}, "{name}")', f'{name} = hl.RDom({box}, "{name}")')
        return name, [Range(f"{name}.{d}", low, low + n - 1) for d, (low, n) in zip("xyz", box)], math.prod(n for _, n in box)

    def where(self, name, context):
        if self.rng.random() < 0.25:
            c = self.condition(context, 2) if self.rng.random() < 0.4 else self.compared(" + ".join(r.name for r in context.ranges), self.pick("<", "!=", ">="))
            self.line(f"{name}.where({c.cpp})", f"{name}.where({c.py})")

    def reduced(self):
        """An inline reduction."""
        func, names = self.new()
        name, ranges, count = self.rdom()
        context = Context(func, names, ranges, coordinates=False)
        self.where(name, Context(func, [], ranges))
        way = self.pick("sum", "minimum", "maximum", "argmin", "argmax", "sum")
        e = self.expression(context, 1)
        while name not in e.cpp:
            e = self.expression(context, 1)
        e = limited(e, 2**10 if e.kind == "f32" else 2**16) if e.kind in ("f32", "i32") else e
        if way == "sum":
            low, high = (min(0, e.low * count), max(0, e.high * count)) if e.kind in ("f32", "i32") else RANGES[e.kind]
            made = both("sum({0})", e.kind, low, high, e, bits=e.bits, py="hl.sum({0})")
        elif way in ("minimum", "maximum"):
            # with nothing to reduce it is the type's end, which floats have as an infinity
            if e.kind in ("f32", "i32"):
                e = cast(e, "i16") if e.kind == "i32" else cast(limited(e, 100), "i8")
            made = both(f"{way}({{0}})", e.kind, *RANGES[e.kind], e, py=f"hl.{way}({{0}})")
        else:
            e = cast(e, "i16") if e.kind == "i32" else e  # a - 10 < INT_MAX is a < INT_MAX + 10 for Halide
            i = self.rng.randrange(len(ranges))
            made = both(f"{way}({{0}})[{i}]", "i32", min(0, ranges[i].low), max(0, ranges[i].high), e, py=f"hl.{way}({{0}})[{i}]")
        self.define(func, names, [self.stored(made)])
        self.ready(func)

    def tuple(self):
        func, names = self.new()
        context = Context(func, names)
        values = [self.value(context, depth=2) for _ in range(self.pick(2, 2, 3))]
        self.define(func, names, values)
        if self.rng.random() < 0.4:
            name, ranges, _ = self.rdom(1)
            at = [ranges[0].name, *names[1:]]
            inner = Context(func, names[1:], ranges)
            made = []
            for i, (kind, low, high, bits) in enumerate(func.ranges):
                if i and self.rng.random() < 0.2:
                    made.append(E(f"undef<{CPP[kind]}>()", f"hl.undef(hl.{PYTHON[kind]})", kind, low, high, bits))
                    continue
                own = self.read_at(inner, func, [(t, None) for t in at], i)
                other = self.value(inner, kind, 2)
                made.append(self.stored(cast(arithmetic(self.pick("+", "-"), limited(own, 1000), limited(other, 1000)), kind)))
            self.define(func, at, made)
            func.updates += 1
        self.ready(func)

    def table(self):
        """A histogram or a table: values at computed indices."""
        func, names = self.new(1)
        kind = self.pick("i32", "u16", "u8", "f32")
        self.define(func, names, [both(f"cast<{CPP[kind]}>({{0}})", kind, 0, 3, E("0", "0", "i32", 0, 3), py=f"hl.{kind}({{0}})")])
        name, ranges, count = self.rdom(2)
        context = Context(func, [], ranges)
        self.where(name, context)
        low = 0 if self.raw else self.rng.randint(-2, 1)
        at = self.computed(context, low, low + self.rng.randint(0, 9), 0)
        own = self.read_at(context, func, [at], 0)
        added = limited(self.value(context, kind, 2), 50) if self.rng.random() < 0.4 else both(f"cast<{CPP[kind]}>({{0}})", kind, 1, 1, E("1", "1", "i32", 1, 1), py=f"hl.{kind}({{0}})")
        self.define(func, [at], [self.grown(own, added, count)])
        func.updates += 1
        self.ready(func)

    def grown(self, own, added, count):
        """own + added, as often as count; the type is that of both."""
        total = arithmetic("+", E(own.cpp, own.py, own.kind, -1000, 1000, own.bits), added) if own.kind in ("i32", "f32") else both("({0} + {1})", own.kind, *RANGES[own.kind], own, added)
        if own.kind in ("i32", "f32"):
            total.low, total.high, total.bits = min(own.low, own.low + count * added.low), max(own.high, own.high + count * added.high), max(own.bits, added.bits)
        return total

    def updated(self):
        func, names = self.new()
        kind = self.rng.choice(FUNC_TYPES)
        self.define(func, names, [limited(self.value(Context(func, names), kind, 1), 1000)])
        for _ in range(self.pick(1, 1, 2, 3)):
            self.pick(self.at_constant, self.over_range, self.over_range, self.over_values, self.scan, self.scatter)(func, names, kind)
            func.updates += 1
        self.ready(func)

    def own_value(self, context, func, at):
        return self.read_at(context, func, [t if isinstance(t, tuple) else (t, None) for t in at], 0)

    def at_constant(self, func, names, kind):
        """f(x, 2) = …"""
        d = self.rng.randrange(len(names))
        at = list(names)
        at[d] = str(self.rng.randint(0 if self.raw else -1, 3))
        context = Context(func, [n for i, n in enumerate(names) if i != d])
        own = self.own_value(context, func, at)
        value = self.value(context, kind, 2)
        value = limited(value, 1000)
        if self.rng.random() < 0.5:
            value = self.grown(own, value, 1)
        self.define(func, at, [limited(value, 2000)])

    def over_range(self, func, names, kind):
        """f(r.x, y) = …, with undef, min or sums."""
        name, ranges, count = self.rdom(1)
        d = self.rng.randrange(len(names))
        at = list(names)
        at[d] = ranges[0].name
        context = Context(func, [n for i, n in enumerate(names) if i != d], ranges)
        self.where(name, Context(func, context.names, ranges))
        own = self.own_value(context, func, at)
        value = limited(self.value(context, kind, 2), 1000)
        way = self.rng.random()
        if way < 0.3:
            value = self.grown(own, value, 1)
        elif way < 0.5:
            c = self.condition(context, 2)
            value = both(f"select({{0}}, {{1}}, undef<{CPP[kind]}>())", kind, value.low, value.high, c, value, bits=value.bits, py=f"hl.select({{0}}, {{1}}, hl.undef(hl.{PYTHON[kind]}))")
        elif way < 0.7:
            f = self.pick("min", "max")
            value = both(f"{f}({{0}}, {{1}})", kind, min(own.low, value.low), max(own.high, value.high), own, value, bits=max(own.bits, value.bits), py=f"hl.{f}({{0}}, {{1}})")
        self.define(func, at, [limited(value, 2000) if way < 0.3 or way >= 0.5 else value])

    def over_values(self, func, names, kind):
        """f(x, y) = f(x, y) + … of an RDom."""
        name, ranges, count = self.rdom()
        context = Context(func, names, ranges, coordinates=self.rng.random() < 0.5)
        self.where(name, Context(func, names, ranges))
        own = self.own_value(context, func, names)
        self.define(func, names, [self.grown(own, limited(self.value(context, kind, 2), 100), count)])

    def scan(self, func, names, kind):
        name, ranges, count = self.rdom(1)
        d = self.rng.randrange(len(names))
        at, before = list(names), list(names)
        r = ranges[0].name
        at[d], before[d] = self.pick((r, f"{r} - 1"), (r, f"{r} - 1"), (f"5 - {r}", f"6 - {r}"), (r, f"{r} + 1")) if not self.raw else (f"{r} + 1", r)
        context = Context(func, [n for i, n in enumerate(names) if i != d], ranges)
        own = self.own_value(context, func, before)
        value = limited(self.value(context, kind, 2), 100)
        self.define(func, at, [limited(self.grown(own, value, count), 500)])

    def scatter(self, func, names, kind):
        name, ranges, count = self.rdom(self.pick(1, 2))
        d = self.rng.randrange(len(names))
        context = Context(func, [n for i, n in enumerate(names) if i != d], ranges)
        low = 0 if self.raw else self.rng.randint(-2, 1)
        at = list(names)
        at[d] = self.computed(context, low, low + self.rng.randint(0, 5), 0)
        value = limited(self.value(context, kind, 2), 100)
        if self.rng.random() < 0.6:
            value = self.grown(self.own_value(context, func, at), value, count)
        self.define(func, at, [value])

    # --- outputs and schedules ---

    def make_outputs(self):
        for _ in range(self.pick(*[1] * 12, 2, 2, 3)):
            name, rank = self.name("out"), self.pick(1, 2, 2, 2, 2, 2, 3)
            func, names = Func(name, rank, []), list("xyz"[:rank])
            self.py.append(f'{name} = hl.Func("{name}")')
            context = Context(func, names)
            unread = [f for f in self.funcs if not f.readers and f.extents is None] or self.funcs[-2:]
            total = None
            for source in unread[-4:]:
                e = self.read(context, 1, source)
                total = e if total is None else arithmetic(self.pick("+", "-", "*"), total, e)
            if self.rng.random() < 0.5:
                total = arithmetic("+", total, self.expression(context, 1))
            value = self.stored(cast(total, self.kind_for(total)))
            self.define(func, names, [value])
            self.head.append(f'Output<Buffer<{CPP[value.kind]}, {rank}>> {name}{{"{name}"}};')
            self.outputs[name] = (value.kind, rank)

    def schedule(self):
        plain = [f for f in self.funcs if f.plain and f.extents is None]
        for func in plain:
            if self.rng.random() < 0.4:
                self.cpp.append(f"{func.name}.compute_root();")
                func.plain = False
                if not func.updates and self.rng.random() < 0.4:
                    v = "xyz"[func.rank - 1]
                    self.cpp.append(f"{func.name}.{self.pick(f'parallel({v})', 'vectorize(x, 4)', 'unroll(x, 2)')};")
        out, (_, rank) = self.rng.choice(list(self.outputs.items()))
        if rank == 1:
            self.cpp.append(self.pick(f"{out}.split(x, xo, xi, 4)", f"{out}.split(x, xo, xi, 3).parallel(xo)", f"{out}.split(x, xo, xi, 8).vectorize(xi)") + ";")
            loops = ["xo"]
        else:
            self.cpp.append(self.pick(f"{out}.tile(x, y, xo, yo, xi, yi, 4, 4)", f"{out}.tile(x, y, xo, yo, xi, yi, 8, 3).parallel(yo)", f"{out}.tile(x, y, xo, yo, xi, yi, 5, 2).vectorize(xi)") + ";")
            loops = ["xo", "xo", "yo", "yi"] if rank == 2 else ["xo", "xo", "yo"]
        for func in plain:
            if func.plain and func.readers <= {out, func.name} and self.rng.random() < 0.5:
                self.cpp.append(f"{func.name}.compute_at({out}, {self.rng.choice(loops)});")

    # --- calls ---

    def calls(self, seed):
        """Arrays, parameters and the extents of the outputs: with inputs that are read only inside, pm-run finds them."""
        rng, numbers = random.Random(f"calls of {seed}"), np.random.default_rng(seed)
        for _ in range(2):
            arrays = {}
            for name, (kind, rank) in self.inputs.items():
                some = [20, 23, 33] if self.raw else [1, 2, 3, 4, 5, 7, 12, 17]
                shape = [rng.choice(some if d < 2 else some[:4]) for d in range(rank)][::-1]
                low, high = {"u8": (0, 256), "u16": (0, 1000), "i32": (-500, 501), "f32": (-256, 257)}[kind]
                values = numbers.integers(low, high, shape)
                if rng.random() < 0.3:
                    values = np.clip(values, 0, 3)
                arrays[name] = (values / 4 if kind == "f32" else values).astype(DTYPES[kind])
            params = {n: rng.randint(-3, 3) if kind == "i32" else rng.choice([-1.5, 0, 0.5, 2]) for n, kind in self.params.items()}
            extents = {}
            for name, (_, rank) in self.outputs.items():
                extents[name] = [rng.choice([1, 2, 3, 5, 8, 13, 18][: 7 if rank < 3 else 4]) for _ in range(rank)]
            yield arrays, params, None if self.raw else extents


# --- Halide: a process with its module, which forks for each program ---

def serve():
    """Requests are lines of JSON: the program, its calls as files. A line comes back: nothing, or what was said."""
    import halide as hl

    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            said = ""
            try:
                answer(hl, request)
            except BaseException as error:  # what Halide raises is said
                said = f"{type(error).__name__}: {error}"
            with open(request["said"], "w", encoding="utf-8") as file:
                file.write(said)
            os._exit(0)
        ended, status = time.time() + TIMEOUT, 0
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            if time.time() > ended:
                os.kill(child, 9)
            time.sleep(0.01)
        print(status, flush=True)


def answer(hl, request):
    # Otherwise no float is infinite to LLVM, and what argmax compares with first is.
    target = hl.get_jit_target_from_environment().with_feature(hl.TargetFeature.StrictFloat)
    names = {"hl": hl}
    exec(request["program"], names)
    for func in request["roots"]:
        names[func].compute_root()
    pipeline = hl.Pipeline([names[name] for name in request["outputs"]])
    for call in request["calls"]:
        inputs = {name: np.load(path) for name, path in call["in"].items()}  # a Buffer does not keep them
        for name, array in inputs.items():
            names[name].set(hl.Buffer(array))
        for name, value in call["param"].items():
            names[name].set(value)
        arrays = {name: np.load(path) for name, path in call["out"].items()}
        results = {name: np.full_like(a, 77) for name, a in arrays.items()}
        pipeline.realize([hl.Buffer(a) for a in results.values()], target)
        for name, path in call["out"].items():
            np.save(path.replace(".npy", ".halide.npy"), results[name])


class Halide:
    def __init__(self, python):
        self.process = subprocess.Popen([python, os.path.abspath(__file__), "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        status = int(self.process.stdout.readline())
        if not os.path.exists(request["said"]):
            return f"Halide ended with status {status}"
        with open(request["said"], encoding="utf-8") as file:
            return file.read()


# --- one seed ---

def group_of(message):
    """A message without places, names and numbers."""
    first = next((l for l in message.splitlines() if "error:" in l), message.strip().split("\n")[0] if message.strip() else "")
    first = re.sub(r"^.*?error: ", "", first)
    first = re.sub(r"\b(in|b|f|r|out|p)\d+\b", r"\1", first)
    return re.sub(r"-?\d+", "N", first)[:200]


class Outcome:
    """compared, refused, sizes (no output fits), wrong, halide (what Halide does not take)"""

    def __init__(self, what, said=""):
        self.what, self.said = what, said


def arguments(folder, program, number, call):
    arrays, params, extents = call
    words, files = [], {"in": {}, "out": {}, "param": params}
    for name, array in arrays.items():
        files["in"][name] = f"{folder}/{name}.{number}.npy"
        np.save(files["in"][name], array)
        words += ["--in", f"{name}={files['in'][name]}"]
    words += [w for name, value in params.items() for w in ("--param", f"{name}={value}")]
    for name, (_, rank) in program.outputs.items():
        files["out"][name] = f"{folder}/{name}.{number}.npy"
        words += ["--out", f"{name}={files['out'][name]}"]
        for d in range(rank):
            if extents:
                words += ["--param", f"{name}_extent_{d}={extents[name][d]}"]
            words += [f"--estimate={name}_extent_{d}=30"]
    for name, (_, rank) in program.inputs.items():
        words += [f"--estimate={name}_extent_{d}=30" for d in range(rank)]
    return words, files


def compared(calls, whose):
    """Where the results differ from what `answer` has left."""
    for number, files in enumerate(calls):
        for name, path in files["out"].items():
            got, want = np.load(path), np.load(path.replace(".npy", ".halide.npy"))
            if got.dtype != want.dtype or got.tobytes() != want.tobytes() and not (got == want).all():
                return Outcome("wrong", f"call {number}, {name} is\n{got}\nby {whose}\n{want}")
    return Outcome("compared")


def by_names(seed, request):
    import pm.halide

    try:
        answer(pm.halide, {**request, "roots": request["roots"] if seed % 2 else []})
    except Exception as error:  # pm-run has computed it
        return Outcome("wrong", f"by pm.halide {type(error).__name__}: {error}")
    return compared(request["calls"], "pm.halide")


def check(seed, folder, halide, names, options, timeout):
    program = Program(seed)
    rng = random.Random(f"options of {seed}")
    source = f"{folder}/program.cpp"
    with open(source, "w", encoding="utf-8") as file:
        file.write(program.cpp_text)
    with open(f"{folder}/program.py", "w", encoding="utf-8") as file:
        file.write(program.py_text)
    os.makedirs(f"{folder}/cache")
    environment = dict(os.environ, PM_CACHE_DIR=f"{folder}/cache")
    fixed = ["--check", "--fp=strict", "--threads=2", *options, *rng.choice([[], ["--tile=3x5"], ["--tile=4x4"], ["--tile=8x64"]])]
    calls, sizes = [], ""
    for number, call in enumerate(program.calls(seed)):
        words, files = arguments(folder, program, number, call)
        command = ["pm-run", source, *fixed, *words]
        with open(f"{folder}/command.{number}", "w", encoding="utf-8") as file:
            file.write(" ".join(command) + "\n")
        limits = (resource.RLIMIT_CPU, (timeout, timeout + 1))
        run = subprocess.run(command, capture_output=True, text=True, env=environment, preexec_fn=lambda: resource.setrlimit(*limits))
        if run.returncode == -signal.SIGXCPU:
            return Outcome("slow", f"error: takes longer than {timeout} s of the processor")
        if run.returncode == 0:
            calls.append(files)
        elif run.returncode == 1 and not program.raw and "should have" in run.stderr:
            return Outcome("refused", run.stderr)
        elif run.returncode == 1 and re.search(r"program\.cpp:\d+:\d+: error", run.stderr):
            return Outcome("refused", run.stderr)
        elif run.returncode == 1 and program.raw and re.search("should have|too small|smaller|but this machine has", run.stderr) and "differ" not in run.stdout + run.stderr:
            sizes = run.stderr
        else:
            return Outcome("wrong", f"exit status {run.returncode}\n{run.stdout[-1500:]}{run.stderr[:1500]}")
    if not calls:
        return Outcome("sizes", sizes)
    roots = [f.name for f in program.funcs if f.extents is None]
    request = {"program": program.py_text, "outputs": list(program.outputs), "calls": calls, "said": f"{folder}/said", "roots": roots}
    outcome = by_names(seed, request) if names else Outcome("compared")
    if not halide or outcome.what == "wrong":
        return outcome
    said = halide.ask(request)
    if said:
        return Outcome("halide", said)
    return compared(calls, "Halide")


def seeds(text):
    for part in text.split(","):
        first, _, last = part.partition("..")
        yield from range(int(first), int(last or first) + 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0..19")
    parser.add_argument("--halide")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--limit", type=float)
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--serve", action="store_true")
    a = parser.parse_args()
    if a.serve:
        return serve()
    halide = Halide(a.halide) if a.halide else None
    counts, groups, began = dict.fromkeys("compared refused slow sizes halide wrong".split(), 0), {}, time.time()
    programs = 0
    for seed in seeds(a.seeds):
        if a.limit and time.time() - began > a.limit:
            break
        programs += 1
        with tempfile.TemporaryDirectory() as folder:
            outcome = check(seed, folder, halide, a.names, a.option, a.timeout)
            counts[outcome.what] += 1
            if outcome.what == "wrong":
                print(f"seed {seed}: {outcome.said}", flush=True)
            elif outcome.what != "compared":
                groups.setdefault((outcome.what, group_of(outcome.said)), []).append(seed)
            if a.keep and outcome.what in ("wrong", "refused", "slow", "halide"):
                shutil.copytree(folder, os.path.join(a.keep, outcome.what, str(seed)), dirs_exist_ok=True, ignore=shutil.ignore_patterns("cache"))
    for (what, message), those in sorted(groups.items(), key=lambda item: -len(item[1])):
        print(f"{what} {len(those)}, as seed {those[0]}: {message}")
    also = f", {counts['halide']} not by Halide" if halide else ""
    print(f"{programs} programs, {counts['compared']} compared, {counts['refused']} refused, {counts['slow']} slow, {counts['sizes']} without sizes{also}, {counts['wrong']} wrong")
    return counts["wrong"] > 0


if __name__ == "__main__":
    sys.exit(main())
