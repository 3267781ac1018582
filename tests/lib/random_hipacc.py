"""Random programs of HIPAcc.

  random_hipacc.py [--seeds 0..19] [--tools DIR] [--target llvm] [--sizes 13x9,20x17] [--timeout 60] [--keep DIR] [--parameters]
                   [--option=OPTION]…
A program has up to three kernels over up to three accessors each, with random borders, regions and interpolations, masks,
domains with holes, locals of all types, nested conditions, early returns, loops with break and continue, casts, vectors,
reductions and bins. pm-run computes its outputs at each size. g++ compiles the same text with the library of
tests/lib/hipacc_oracle, a batch of programs at a time, and every bit must agree. Numbers are chosen so that nothing is
undefined in C++: divisors are not 0, shifts are short, floats are of a range before they become integers; signed
integers wrap. Messages of programs that are refused are counted. With --loops there are loops whose end the pixels
decide, too. --keep gets the programs that are wrong. With --parameters the sizes are those of the call.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 50
DTYPES = dict(char="i1", uchar="u1", short="i2", ushort="u2", int="i4", uint="u4", float="f4")
RANKS = dict(char=1, uchar=1, short=2, ushort=2, int=4, uint=5, long=6, float=8, double=9)
PIXELS = list(DTYPES)
LOCALS = "char uchar short ushort int int int uint long float float double".split()
RULES = "CLAMP MIRROR REPEAT CONSTANT".split()


def usual(a, b="int"):
    """C's usual arithmetic conversions."""
    return max("int", a, b, key=RANKS.get)


def is_float(kind):
    return kind in ("float", "double")


class Kernel:
    """The class of a kernel, and what it may read where its text is made."""

    def __init__(self, program, name):
        self.p, self.rng, self.name = program, program.rng, name
        self.accessors, self.masks, self.domains, self.scalars = {}, {}, {}, {}
        self.windows, self.variables, self.n, self.depth = [], [], 0, 0
        self.in_loop, self.nested, self.has_reduce = 0, 0, False

    def pick(self, *items):
        return self.rng.choice(items)

    def fresh(self, prefix):
        self.n += 1
        return f"{prefix}{self.n}"

    # --- expressions: a text and its type ---

    def leaf(self, integer=False):
        rng = self.rng
        choices = ["read"] * 4 + ["local"] * 4 + ["number", "number", "position", "scalar", "window", "window"]
        kind = rng.choice(choices)
        if kind == "read" or kind == "window" and self.windows:
            return self.window_leaf() if kind == "window" else self.read()
        locals_ = [v for v in self.variables if not (integer and is_float(v[1]))]
        if kind == "local" and locals_:
            return rng.choice(locals_)[:2]
        if kind == "position":
            return self.pick("x()", "y()"), "int"
        if kind == "scalar" and self.scalars:
            return rng.choice(list(self.scalars.items()))
        if integer or rng.random() < 0.6:
            return self.pick(*((str(n), "int") for n in (0, 1, 2, 3, 7, 100, 255, 1000, 70000)), ("3u", "uint"), ("-5", "int"), ("'a'", "char"))
        return self.pick(("0.5f", "float"), ("2.0f", "float"), ("1.25", "double"), ("-3.0f", "float"))

    def window_leaf(self):
        name = self.rng.choice(self.windows)
        if name in self.masks:
            return self.pick((f"{name}()", self.masks[name][0]), (f"{name}.x()", "int"), (f"{name}.y()", "int"))
        same = [m for m, (_, size) in self.masks.items() if size == self.domains[name]]
        options = [(f"{name}.x()", "int"), (f"{name}.y()", "int")] + [(f"{m}({name})", self.masks[m][0]) for m in same] * 2
        return self.rng.choice(options)

    def read(self):
        name = self.rng.choice([a for a, (kind, _) in self.accessors.items() if not kind.endswith("4")] or list(self.accessors))
        kind, reach = self.accessors[name]
        lane = "." + self.pick(*"xyzw") if kind.endswith("4") else ""
        kind = kind.rstrip("4")
        how = self.rng.random()
        if self.windows and how < 0.6:
            fits = [w for w in self.windows if self.size_of(w) <= reach]
            if fits:
                return f"{name}({self.rng.choice(fits)}){lane}", kind
        if how < 0.8:
            return f"{name}(){lane}", kind
        if how < 0.92 or self.depth > 4:
            return f"{name}({self.rng.randint(-reach, reach)}, {self.rng.randint(-reach, reach)}){lane}", kind
        if how < 0.96:
            return f"{name}({self.integer(1)} % {reach + 1}, {self.integer(1)} % {reach + 1}){lane}".replace("% ", "% (int)"), kind
        return f"{name}.pixel_at({self.integer(1)} % 20, y() - 1){lane}".replace("% ", "% (int)"), kind

    def size_of(self, window):
        w, h = self.masks[window][1] if window in self.masks else self.domains[window]
        return max(w, h) // 2

    def integer(self, depth):
        """An int, in parentheses."""
        text, kind = self.expression(depth, integer=True)
        return f"(int)({self.bounded(text, kind)})"

    def bounded(self, text, kind, low=-1000, high=1000):
        """Of a range, where it is a float."""
        if not is_float(kind):
            return text
        suffix = ".0f" if kind == "float" else ".0"
        return f"min(max(({kind})({text}), {low}{suffix}), {high}{suffix})"

    def cast(self, text, kind, to):
        low = 0 if to[0] == "u" else -100
        return f"({to})({text if is_float(to) else self.bounded(text, kind, low, 120)})"

    def expression(self, depth, integer=False):
        self.depth += 1
        result = self.expression_inside(depth, integer)
        self.depth -= 1
        return result

    def expression_inside(self, depth, integer):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            text, kind = self.leaf(integer)
            return (f"({self.cast(text, kind, 'int')})", "int") if integer and is_float(kind) else (text, kind)
        which = rng.random()
        if which < 0.45:
            return self.arithmetic(depth, integer)
        if which < 0.55:
            (a, s), (b, t) = self.expression(depth - 1, True), self.expression(depth - 1, True)
            return f"({a} {self.pick('&', '|', '^')} {b})", usual(s, t)
        if which < 0.62:
            a, s = self.expression(depth - 1, True)
            return f"({a} {self.pick('<<', '>>')} {rng.randint(0, 7)})", usual(s)
        if which < 0.70:
            to = rng.choice([t for t in LOCALS if not (integer and is_float(t))])
            return "(" + self.cast(*self.expression(depth - 1, integer), to) + ")", to
        if which < 0.80:
            (a, s), (b, t) = self.expression(depth - 1, integer), self.expression(depth - 1, integer)
            kind = self.pick("int", "uchar", "short", "uint") if integer or not (is_float(s) or is_float(t)) else "float"
            return f"{self.pick('min', 'max')}({self.cast(a, s, kind)}, {self.cast(b, t, kind)})", kind
        if which < 0.88:
            (a, s), (b, t) = self.expression(depth - 1, integer), self.expression(depth - 1, integer)
            return f"({self.condition(depth - 1)} ? {a} : {b})", s if s == t else usual(s, t)
        if which < 0.92:
            a, s = self.expression(depth - 1, integer)
            return f"({self.pick('-', '+')}{a})".replace("--", "- -").replace("++", "+ +"), usual(s)
        if which < 0.95:
            a, s = self.expression(depth - 1, True)
            return f"{self.pick('abs(', '(~')}(int){a})", "int"
        if which < 0.97 and not integer:
            return f"(float)({self.condition(depth - 1)})", "float"
        helpers = [h for h in self.p.helpers if not (integer and is_float(h[2]))]
        if helpers and which < 0.99:
            name, takes, gives = rng.choice(helpers)
            return f"{name}({', '.join(self.cast(*self.expression(depth - 1), t) for t in takes)})", gives
        return self.leaf(integer) if not integer else ("7", "int")

    def arithmetic(self, depth, integer):
        (a, s), (b, t) = self.expression(depth - 1, integer), self.expression(depth - 1, integer)
        kind, op = usual(s, t), self.rng.choice("++--**/%")
        if op == "*" and is_float(kind):
            a, b = f"(float)({self.bounded(a, s)})", f"(float)({self.bounded(b, t)})"
            kind = "float"
        if op in "/%":
            b = f"((int)({self.bounded(b, t)}) % 5 + 6)"
            divisor, t = self.pick(("3", "int"), ("7", "int"), (b, "int"), ("2.0f", "float") if op == "/" and not integer else ("16u", "uint"))
            if op == "%" and is_float(s):
                a, s = f"(int)({self.bounded(a, s)})", "int"
            return f"({a} {op} {divisor})", usual(s, t)
        return f"({a} {op} {b})", kind

    def condition(self, depth):
        which = self.rng.random()
        if which < 0.15:
            return f"({self.condition(depth - 1)} {self.pick('&&', '||')} {self.condition(depth - 1)})" if depth > 0 else "x() > 2"
        if which < 0.25:
            return f"!{self.condition(depth - 1)}" if depth > 0 else "!(y() % 2)"
        if which < 0.35:
            return f"({self.pick('x()', 'y()')} {self.pick('<', '>', '==', '>=')} {self.rng.randint(0, 8)})"
        (a, _), (b, _) = self.expression(depth - 1), self.expression(depth - 1)
        return f"({a} {self.pick('<', '<=', '>', '>=', '==', '!=')} {b})"

    # --- statements ---

    def block(self, indent, count, depth, returns=None):
        """Lines; `returns` is the type of an early return of a lambda, or "" of the kernel."""
        mark, lines = len(self.variables), []
        for _ in range(count):
            lines += self.statement(depth, returns)
        del self.variables[mark:]
        return ["    " * indent + line for line in lines]

    def declare(self, lines):
        kind, name = self.rng.choice(LOCALS), self.fresh("v")
        lines.append(f"{kind} {name} = {self.cast(*self.expression(3), kind)};")
        self.variables.append((name, kind, True))

    def statement(self, depth, returns):
        lines, which = [], self.rng.random()
        if self.p.seed >= 10000 and self.rng.random() < 0.2:
            return self.rare(lines, depth, returns)
        if self.p.loops and depth == 3 and self.in_loop == 0 and not self.windows and self.rng.random() < 0.25:
            return self.pixel_loop()
        changeable = [v for v in self.variables if v[2]]
        if which < 0.25 or not changeable:
            self.declare(lines)
        elif which < 0.5:
            self.assign(lines, *self.rng.choice(changeable)[:2])
        elif which < 0.68 and depth > 0:
            lines.append(f"if ({self.condition(2)}) {{")
            lines += self.block(1, self.rng.randint(1, 2), depth - 1, returns)
            if self.rng.random() < 0.5:
                lines += ["} else {", *self.block(1, self.rng.randint(1, 2), depth - 1, returns)]
            lines.append("}")
        elif which < 0.76 and depth > 0 and self.in_loop < 1:
            self.loop(lines, depth, returns)
        elif which < 0.88 and depth > 0 and (self.masks or self.domains) and self.nested < 2:
            self.window(lines, depth)
        elif which < 0.92 and self.in_loop == 1:
            lines.append(f"if ({self.condition(2)}) {self.pick('break', 'continue')};")
        elif which < 0.95 and returns is not None and depth < 2:
            lines.append(f"if ({self.condition(2)}) return" + (f" {self.cast(*self.expression(2), returns)};" if returns else ";"))
        elif which < 0.97 and returns == "" and self.p.scalar_output(self):
            lines.append(f"output() = {self.cast(*self.expression(3), self.out)};")
        else:
            self.table(lines)
        return lines

    def rare(self, lines, depth, returns):
        """What changes variables in other ways than assignments, and a switch; of seeds from 10000 on."""
        changeable = [v for v in self.variables if v[2]]
        integers = [v for v in changeable if not is_float(v[1])]
        alike = [(a, b) for a, _, _ in changeable for b, _, _ in changeable if a != b and dict((v[0], v[1]) for v in changeable)[a] == dict((v[0], v[1]) for v in changeable)[b]]
        which = self.rng.random()
        if which < 0.3 and alike:
            a, b = self.rng.choice(alike)
            lines.append(f"if ({self.condition(2)}) std::swap({a}, {b});")
        elif which < 0.6 and integers:
            name, op = self.rng.choice(integers)[0], self.pick("&&", "||")
            body = self.block(1, 1, depth - 1, returns) if depth > 0 else []
            lines += [f"if ({self.condition(2)} {op} {name}{self.pick('++', '--')} < {self.rng.randint(0, 9)}) {{", *body, "}"]
        elif depth > 0:
            lines.append(f"switch ({self.rng.randint(0, 3)}) {{")
            for i in range(3):
                lines.append(f"case {i}:")
                for _ in range(self.rng.randint(1, 3)):
                    lines += ["    {", *self.block(2, 1, depth - 1, returns), "    }"]
                    if self.rng.random() < 0.4:
                        lines.append(f"    if ({self.condition(2)}) break;")
                if self.rng.random() < 0.5:
                    lines.append("    break;")
            lines.append("}")
        else:
            self.declare(lines)
        return lines

    def assign(self, lines, name, kind):
        text, of = self.expression(3)
        op = self.pick("=", "=", "+=", "-=", "*=", "|=", "^=", "++")
        if is_float(kind) or is_float(of):
            op = self.pick("=", "+=") if is_float(kind) else "="
        if op == "++":
            lines.append(f"{name}++;")
        else:
            text = f"({self.bounded(text, of)})" if op == "+=" and is_float(kind) else self.cast(text, of, kind) if op == "=" else text
            lines.append(f"{name} {op} {text};")

    def loop(self, lines, depth, returns):
        name, count = self.fresh("i"), self.rng.randint(1, 4)
        start = self.pick(0, 0, -1)
        lines.append(self.pick(f"for (int {name} = {start}; {name} < {start + count}; ++{name}) {{", f"for (int {name} = {start + count - 1}; {name} >= {start}; {name}--) {{"))
        self.variables.append((name, "int", False))
        self.in_loop += 1
        lines += self.block(1, self.rng.randint(1, 3), depth - 1, returns)
        self.in_loop -= 1
        self.variables.pop()
        lines.append("}")

    def pixel_loop(self):
        """A loop that ends by what the pixel has, after a known number of rounds at the latest."""
        name = self.fresh("n")
        most = self.pick(self.rng.randint(1, 6), "WIDTH / 4", "HEIGHT")
        lines = [f"int {name} = 0;", f"while ({self.condition(2)} && {name} < {most}) {{"]
        self.variables.append((name, "int", False))
        self.in_loop = 2
        lines += self.block(1, self.rng.randint(1, 3), 1)
        if self.p.scalar_output(self) and self.rng.random() < 0.4:
            lines.append(f"    output() {self.pick('=', '+=') if self.out in ('int', 'uint') else '='} {self.cast(*self.expression(2), self.out)};")
        self.in_loop = 0
        return [*lines, f"    {name}++;", "}"]

    def window(self, lines, depth):
        names = [w for w in [*self.masks, *self.domains] if w not in self.windows and not (w in self.masks and any(v in self.masks for v in self.windows))]
        small = [w for w in names if not self.windows or self.size_of(w) < 2]
        if not small:
            return self.declare(lines)
        name = self.rng.choice(small)
        how = "convolve" if name in self.masks else self.pick("reduce", "reduce", "iterate") if not self.has_reduce else "iterate"
        outer_loop, self.in_loop = self.in_loop, 2
        self.windows.append(name)
        self.nested += 1
        if how == "iterate":
            lines += [f"iterate({name}, [&]() -> void {{", *self.block(1, self.rng.randint(1, 3), 1, ""), "});"]
            made = None
        else:
            kind = self.rng.choice(LOCALS)
            mode = self.pick("SUM", "SUM", "MIN", "MAX", *([] if is_float(kind) else ["PROD"]))
            made = self.fresh("w"), kind
            body = self.block(1, self.rng.randint(0, 2), 1, kind)
            lines += [f"{kind} {made[0]} = {how}({name}, Reduce::{mode}, [&]() -> {kind} {{", *body, f"    return {self.cast(*self.expression(3), kind)};", "});"]
        self.windows.pop()
        self.nested -= 1
        self.in_loop = outer_loop
        if made:
            self.variables.append((*made, True))

    def table(self, lines):
        name, kind, n = self.fresh("t"), self.pick("int", "uchar", "float", "short"), self.rng.randint(2, 4)
        i, k = self.fresh("i"), self.rng.randint(0, n - 1)
        lines += [f"{kind} {name}[{n}];", f"for (int {i} = 0; {i} < {n}; {i}++) {name}[{i}] = {self.cast(*self.expression(2), kind)};"]
        if self.rng.random() < 0.5:
            lines.append(f"if ({name}[{k}] > {name}[{n - 1 - k}]) {{ {kind} t = {name}[{k}]; {name}[{k}] = {name}[{n - 1 - k}]; {name}[{n - 1 - k}] = t; }}")
        self.variables.append((f"{name}[{k}]", kind, True))

    def text(self, out, reducer):
        """Of the class; `reducer` is its type B and the lines of its methods."""
        self.out = out
        params = [f"Accessor<{k}> &{a}" for a, (k, _) in self.accessors.items()]
        params += [f"Mask<{k}> &{m}" for m, (k, _) in self.masks.items()] + [f"Domain &{d}" for d in self.domains] + [f"{k} {s}" for s, k in self.scalars.items()]
        names = [*self.accessors, *self.masks, *self.domains, *self.scalars]
        body = self.vector_body(out) if out.endswith("4") else self.scalar_body(out)
        base, methods = reducer or ("", [])
        lines = [f"class {self.name} : public Kernel<{out}{base}> {{", *(f"    {p};" for p in params), "", "  public:",
                 f"    {self.name}(IterationSpace<{out}> &iter{''.join(', ' + p for p in params)}) : Kernel(iter){''.join(f', {n}({n})' for n in names)} {{}}",
                 *("    " + line for line in methods), "    void kernel() {", *("        " + line for line in body), "    }", "};"]
        return lines

    def scalar_body(self, out):
        lines = []
        self.declare(lines)
        for _ in range(self.rng.randint(2, 5)):
            lines += self.statement(3, "")
        op = self.pick("=", "=", "=", "+=") if not is_float(out) else "="
        kind = "float" if is_float(out) else "int"
        parts = [self.expression(3), self.read(), *(v[:2] for v in self.variables)]
        terms = [f"({kind})({self.bounded(*part)})" for part in parts]
        return [*lines, f"output() {op} ({out})({' + '.join(terms)});"]

    # --- vectors ---

    def vector(self, lane, depth):
        """A vector with such lanes."""
        rng, which = self.rng, self.rng.random()
        reads = [a for a, (kind, _) in self.accessors.items() if kind.endswith("4")]
        if depth <= 0:
            if reads and which < 0.7:
                a = rng.choice(reads)
                text = f"{a}({rng.randint(-1, 1)}, {rng.randint(-1, 1)})" if rng.random() < 0.5 else f"{a}()"
                return self.converted(text, self.accessors[a][0][:-1], lane)
            return f"make_{lane}4({self.cast(*self.expression(1), lane)})"
        if which < 0.4:
            op = self.pick("+", "-", "*") if is_float(lane) else self.pick("+", "-", "*", "&", "|", "^")
            b = self.vector(lane, depth - 1) if rng.random() < 0.6 else self.cast(*self.expression(1), lane)
            a = self.vector(lane, depth - 1)
            a, b = (f"min(max({v}, -100.0f), 100.0f)" if is_float(lane) else v for v in (a, b))
            return f"({a} {op} {b})"
        if which < 0.5:
            return f"({self.vector(lane, depth - 1)} / {self.pick('3', '7')})"
        if which < 0.65:
            b = self.vector(lane, depth - 1) if rng.random() < 0.5 else self.cast(*self.expression(1), lane)
            return f"{self.pick('min', 'max')}({self.vector(lane, depth - 1)}, {b})"
        if which < 0.8:
            other = self.pick("uchar", "short", "int", "float")
            return self.converted(self.vector(other, depth - 1), other, lane)
        if which < 0.9:
            return f"make_{lane}4({', '.join(self.cast(*self.expression(1), lane) for _ in range(4))})"
        return self.vector(lane, 0)

    def converted(self, text, lane, to):
        if lane == to:
            return text
        if is_float(lane) and not is_float(to):
            text = f"min(max({text}, {0 if to[0] == 'u' else -100}.0f), 120.0f)"
        return f"convert_{to}4({text})"

    def vector_body(self, out):
        lane, lines = out[:-1], []
        for _ in range(self.rng.randint(1, 3)):
            kind, name = self.pick("uchar", "int", "float", lane), self.fresh("v")
            lines.append(f"{kind}4 {name} = {self.vector(kind, 3)};")
            self.variables.append((f"{name}.{self.pick(*'xyzw')}", kind, True))
            if self.rng.random() < 0.5:
                self.assign(lines, *self.variables[-1][:2])
            if self.rng.random() < 0.5:
                lines += [f"if ({self.condition(2)}) {{", f"    {name} {self.pick('=', '+=')} {self.vector(kind, 1) if not is_float(kind) else 'make_float4(0.5f)'};", "}"]
        if self.domains and self.rng.random() < 0.7:
            kind, d = self.pick("int", "float", "uchar"), self.rng.choice(list(self.domains))
            self.windows.append(d)
            lines.append(f"{kind}4 sum = reduce({d}, Reduce::{self.pick('SUM', 'MIN', 'MAX')}, [&]() -> {kind}4 {{ return {self.vector(kind, 1)}; }});")
            self.windows.pop()
            lines.append(f"output() = {self.converted('sum', kind, lane)};")
            if self.rng.random() < 0.5:
                return lines
        return [*lines, f"output() = {self.vector(lane, 3)};"]


class Program:
    def __init__(self, seed, loops=False):
        self.rng, self.loops, self.seed = random.Random(seed), loops, seed
        self.classes, self.host, self.inputs, self.outputs, self.images, self.helpers = [], [], {}, {}, {}, []
        self.n = 0
        if self.pick(0, 1):
            self.helper()
        for _ in range(self.pick(1, 1, 2, 3)):
            self.input()
        for _ in range(self.pick(1, 1, 2, 3)):
            self.kernel()
        last = [image for image in self.images if image not in self.inputs]
        for image in {last[-1], *(i for i in last if self.rng.random() < 0.3)}:
            kind = self.images[image]
            self.host.append(f'save_data(WIDTH, HEIGHT, 1, {image}.data(), "{image}");')
            self.outputs[image] = (kind, ("HEIGHT", "WIDTH"))
        self.body = "\n".join([*self.classes, "int main() {", *("    " + line for line in self.host), "    return 0;", "}", ""])

    def pick(self, *items):
        return self.rng.choice(items)

    def name(self, prefix):
        self.n += 1
        return f"{prefix}{self.n}"

    def scalar_output(self, kernel):
        return not kernel.out.endswith("4")

    def helper(self):
        name, a, b, gives = self.name("helper"), *(self.pick("int", "uchar", "float", "short") for _ in range(3))
        condition = self.pick("a < b", "a > 3", "b == 2")
        value = "min(max((float)(a + b), 0.0f), 100.0f)"
        self.classes += [f"{gives} {name}({a} a, {b} b) {{", f"    if ({condition}) return ({gives}){value};", f"    return ({gives}){self.pick('7', 'min(max((float)a, 0.0f), 50.0f)')};", "}"]
        self.helpers.append((name, [a, b], gives))

    def input(self):
        name, kind = self.name("in"), self.pick(*PIXELS, "uchar4", "float4")
        self.host += [f'{kind} *{name}_pixels = load_data<{kind}>(WIDTH, HEIGHT, 1, "{name}");', f"Image<{kind}> {name}(WIDTH, HEIGHT, {name}_pixels);"]
        self.inputs[name] = self.images[name] = kind

    def region(self):
        """Arguments of a region, or none."""
        if self.rng.random() < 0.65:
            return ""
        left, top, w, h = self.pick(0, 1, 3), self.pick(0, 2), self.rng.randint(0, 2), self.rng.randint(0, 1)
        return f", WIDTH - {left + w}, HEIGHT - {top + h}, {left}, {top}"

    def kernel(self):
        k = Kernel(self, self.name("Kernel"))
        made = []
        out = self.pick(*PIXELS, "uchar4", "int4") if any(t.endswith("4") for t in self.images.values()) else self.pick(*PIXELS)
        for _ in range(self.pick(1, 1, 2, 3)):
            made.append(self.accessor(k))
        for _ in range(self.pick(0, 1, 1, 2)):
            made.append(self.mask(k))
        for _ in range(self.pick(0, 1, 1, 2)):
            made.append(self.domain(k))
        values = []
        for _ in range(self.pick(0, 0, 1, 2)):
            kind = self.pick("int", "float", "uchar", "short")
            k.scalars[f"s{self.n}"] = kind
            self.n += 1
            values.append(self.pick("3", "17", "2.5f") if is_float(kind) else self.pick("3", "17", "100"))
        reducer = self.reducer(k, out) if not out.endswith("4") and self.rng.random() < 0.25 else None
        lines = k.text(out, reducer and reducer[:2])
        self.classes += lines
        old = [i for i, kind in self.images.items() if kind == out and i not in self.inputs]
        image = self.rng.choice(old) if old and self.rng.random() < 0.3 else self.name("image")
        if image not in self.images:
            self.host.append(f"Image<{out}> {image}(WIDTH, HEIGHT);")
        space, run = self.name("space"), self.name("run")
        self.host += [f"IterationSpace<{out}> {space}({image}{self.region()});", f"{k.name} {run}({', '.join([space, *made, *values])});"]
        self.host.append(f"{run}.execute();" if self.rng.random() < 0.85 else f"for (int i = 0; i < 2; ++i) {run}.execute();")
        self.images[image] = out
        if reducer:
            self.reduced(run, reducer, out)
        if self.rng.random() < 0.1 and not out.endswith("4"):
            copy = self.name("image")
            self.host += [f"Image<{out}> {copy}(WIDTH, HEIGHT);", f"{copy} = {image};"]
            self.images[copy] = out

    def accessor(self, k):
        rng = self.rng
        image, name, bound = rng.choice(list(self.images)), self.name("acc"), self.name("bound")
        kind, reach, base = self.images[image], 2, image
        if rng.random() < 0.8:
            rule = rng.choice(RULES)
            reach = {"CLAMP": 9, "MIRROR": 4, "REPEAT": 30, "CONSTANT": 9}[rule]
            value = ""
            if rule == "CONSTANT":
                value = f", make_{kind}({self.pick(0, 7, 100)})" if kind.endswith("4") else f", {self.pick(0, 7, 100)}"
            self.host.append(f"BoundaryCondition<{kind}> {bound}({image}, 5, Boundary::{rule}{value});")
            base = bound
        region = self.region()
        mode = self.pick(", Interpolate::NN", ", Interpolate::LF") if region and kind in ("uchar", "short", "char") and rng.random() < 0.4 else ""
        self.host.append(f"Accessor<{kind}> {name}({base}{region}{mode});")
        k.accessors[f"a{self.n}"] = (kind, min(reach, 2) if mode else reach)
        return name

    def mask(self, k):
        w, h, kind = self.pick(1, 3, 3, 5), self.pick(1, 3, 3, 2), self.pick("int", "float", "char", "short")
        rows = ", ".join("{" + ", ".join(str(self.pick(0, 1, -2, 3)) for _ in range(w)) + "}" for _ in range(h))
        name = self.name("mask")
        self.host += [f"const {kind} {name}_of[{h}][{w}] = {{{rows}}};", f"Mask<{kind}> {name}({name}_of);"]
        k.masks[f"m{self.n}"] = (kind, (w, h))
        return name

    def domain(self, k):
        name = self.name("dom")
        if k.masks and self.rng.random() < 0.5:
            sizes = [size for _, size in k.masks.values()]
            w, h = self.rng.choice(sizes)
        else:
            w, h = self.pick(1, 3, 4, 5), self.pick(1, 3, 2)
        if self.rng.random() < 0.4:
            rows = [[self.pick(0, 1, 1) for _ in range(w)] for _ in range(h)]
            rows[h // 2][w // 2] = 1
            self.host += [f"const uchar {name}_of[{h}][{w}] = {{{', '.join('{' + ', '.join(map(str, row)) + '}' for row in rows)}}};", f"Domain {name}({name}_of);"]
        else:
            self.host.append(f"Domain {name}({w}, {h});")
            if w * h > 1 and self.rng.random() < 0.5:
                self.host.append(f"{name}({-(w // 2)}, {-(h // 2)}) = 0;")
        k.domains[f"d{self.n}"] = (w, h)
        return name

    def reducer(self, k, out):
        """What follows the kernel's type, its methods, its B and bins; their class has no reduce of windows."""
        k.has_reduce = True
        kind = out if self.rng.random() < 0.5 else self.pick("int", "uint", "uchar")
        bins = self.pick(0, 5, 16)
        kind = "float" if is_float(out) else kind if bins else out
        bodies = ["left + right", "min(left, right)", "left > right ? left : right", "left < right ? left : right"]
        if not is_float(kind):
            bodies += ["left * 3 + right", "left ^ (right << 1)", "(left & 15) * right - left", "left > 100 ? right : left + right"]
        body = self.rng.choice(bodies if not is_float(kind) else bodies[1:])
        methods = [f"{kind} reduce({kind} left, {kind} right) const {{ return {body}; }}"]
        if bins:
            index = self.pick("(uint)pixel", "x + y", "(uint)(pixel * 3)", "x * y % num_bins()") if not is_float(out) else "x + y"
            guard = self.pick("", "if (pixel > 3) ", "if (x % 3 == 1) ")
            methods.append(f"void binning(uint x, uint y, {out} pixel) {{ {guard}bin({index}) = {self.pick('1', f'({kind})pixel')}; }}")
        return (f", {kind}" if kind != out or self.pick(0, 1) else ""), methods, kind, bins

    def reduced(self, run, reducer, out):
        _, _, kind, bins = reducer
        name = self.name("value")
        if bins:
            self.host += [f"{kind} *{name} = {run}.binned_data({bins});", f"BINS({name}, {bins})"]
            self.outputs[name] = (kind, (str(bins),))
        else:
            self.host += [f"{kind} {name} = {run}.reduced_data();", f"RESULT({name})"]
            self.outputs[name] = (kind, ())

    def text(self):
        return '#include "hipacc.hpp"\n#define WIDTH 13\n#define HEIGHT 9\n#define RESULT(name)\n#define BINS(name, n)\nusing namespace hipacc;\n' + self.body


# --- running ---


def compile_oracle(programs, folder, compiler):
    lines = ['#include "hipacc.hpp"', "#define WIDTH hipacc::oracle_width", "#define HEIGHT hipacc::oracle_height", "#define main run",
             "namespace hipacc { std::string oracle_folder; int oracle_width, oracle_height; Position oracle_position; }"]
    for seed, program in programs.items():
        lines += [f"namespace p{seed} {{ using namespace hipacc;", program.body, "}"]
    lines += ["#undef main", "int main(int, char **a) {", "    hipacc::oracle_width = atoi(a[2]), hipacc::oracle_height = atoi(a[3]), hipacc::oracle_folder = a[4];"]
    lines += [f"    if (atoi(a[1]) == {seed}) return p{seed}::run();" for seed in programs] + ["    return 3;", "}"]
    source, binary = os.path.join(folder, "oracle.cpp"), os.path.join(folder, "oracle")
    with open(source, "w") as file:
        file.write("\n".join(lines))
    subprocess.run([compiler, "-std=c++17", "-O0", "-w", "-fwrapv", "-ffp-contract=off", "-I", os.path.join(HERE, "hipacc_oracle"), source, "-o", binary], check=True)
    return binary


def draw(rng, kind, height, width):
    shape = (height, width, 4) if kind.endswith("4") else (height, width)
    dtype = np.dtype(DTYPES[kind.rstrip("4")])
    if dtype.kind == "f":
        return (rng.integers(-256, 257, shape) / 4).astype(dtype)
    info = np.iinfo(dtype)
    wide = rng.integers(max(info.min, -(2**31)), min(info.max, 2**31 - 1), shape, endpoint=True)
    return np.where(rng.random(shape) < 0.5, wide, rng.integers(0, 10, shape)).astype(dtype)


def same(got, want):
    return got.dtype == want.dtype and got.size == want.size and np.array_equal(got.reshape(want.shape), want, equal_nan=got.dtype.kind == "f")


def sizes_as(options, width, height):
    if options.parameters:
        return ["--size", "WIDTH", "--size", "HEIGHT", "--param", f"WIDTH={width}", "--param", f"HEIGHT={height}"]
    return ["--const", f"WIDTH={width}", "--const", f"HEIGHT={height}"]


def compare(seed, program, size, oracle, folder, options):
    """None, or what is wrong; a tuple: nobody waits for it."""
    width, height = size
    rng = np.random.default_rng(seed)
    source = os.path.join(folder, f"{seed}.cpp")
    command = [options.pm_run, "--from=hipacc", source, "--fp=strict", f"--target={options.target}", *sizes_as(options, width, height), *options.option]
    for name, kind in program.inputs.items():
        array = draw(rng, kind, height, width)
        array.tofile(os.path.join(folder, f"{name}.in"))
        np.save(os.path.join(folder, f"{name}.npy"), array)
        if f"@{name} " in options.inputs[seed] + " ":
            command += ["--in", f"{name}={folder}/{name}.npy"]
    for name in program.outputs:
        command += ["--out", f"{name}={folder}/{name}.out.npy"]
    ran = subprocess.run([oracle, str(seed), str(width), str(height), folder], capture_output=True, text=True, timeout=60)
    if ran.returncode:
        return f"the oracle ends with {ran.returncode}"
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return ("slow",)
    if ran.returncode:
        return f"exit status {ran.returncode}: {ran.stderr[:400]}"
    for name, (kind, shape) in program.outputs.items():
        extents = [{"HEIGHT": height, "WIDTH": width}.get(e) or int(e) for e in shape] + [4] * kind.endswith("4")
        want = np.fromfile(os.path.join(folder, f"{name}.out"), DTYPES[kind.rstrip("4")]).reshape(extents)
        got = np.load(os.path.join(folder, f"{name}.out.npy"))
        if not same(got, want):
            if got.size != want.size or got.dtype != want.dtype:
                return f"{name}: {got.dtype} {got.shape}, should be {want.dtype} {want.shape}"
            at = np.argwhere(got.reshape(want.shape) != want)
            where = tuple(int(i) for i in at[0]) if len(at) else ()
            return f"{name}: {len(at)} of {want.size} differ, at {where}: {got.reshape(want.shape)[where]}, should be {want[where]}"
    return None


def translate(seed, program, folder, options):
    """The inputs that the program needs, as text; or a diagnostic's (text,)."""
    source = os.path.join(folder, f"{seed}.cpp")
    with open(source, "w") as file:
        file.write(program.text())
    try:
        ran = subprocess.run([options.pm_translate, "--from=hipacc", "--to=pmir", source], capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return (f"slow: more than {options.timeout:g} s",)
    if ran.returncode == 1:
        return (ran.stderr,)
    if ran.returncode:
        return (f"internal: exit status {ran.returncode}: {ran.stderr[:300]}",)
    return " ".join(line.strip().replace(":", " ") for line in ran.stdout.splitlines() if "stage.input" in line)


def seeds_of(text):
    for part in text.split(","):
        first, _, last = part.partition("..")
        yield from range(int(first), int(last or first) + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0..19")
    parser.add_argument("--tools")
    parser.add_argument("--target", default="llvm")
    parser.add_argument("--sizes", default="13x9,20x17")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--loops", action="store_true")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--keep")
    parser.add_argument("--parameters", action="store_true")
    parser.add_argument("--option", action="append", default=[])
    options = parser.parse_args()
    options.pm_run, options.pm_translate = (os.path.join(options.tools or "", tool) for tool in ("pm-run", "pm-translate"))
    sizes = [tuple(map(int, size.split("x"))) for size in options.sizes.split(",")]
    seeds = list(seeds_of(options.seeds))
    wrong = compared = refused = slow = 0
    options.inputs = {}
    for first in range(0, len(seeds), BATCH):
        programs = {seed: Program(seed, options.loops) for seed in seeds[first:first + BATCH]}
        with tempfile.TemporaryDirectory() as folder:
            oracle = compile_oracle(programs, folder, options.compiler)
            for seed, program in programs.items():
                inputs = translate(seed, program, folder, options)
                if isinstance(inputs, tuple):
                    message = inputs[0]
                    refused += 1
                else:
                    options.inputs[seed] = inputs
                    message = next(filter(None, (compare(seed, program, size, oracle, folder, options) for size in sizes)), None)
                    slow += isinstance(message, tuple)
                    compared += not isinstance(message, tuple)
                    wrong += isinstance(message, str)
                if message:
                    print(f"{'refused' if isinstance(inputs, tuple) else 'slow' if isinstance(message, tuple) else 'FAIL'}: seed {seed}: {message}", flush=True)
                    if options.keep:
                        os.makedirs(options.keep, exist_ok=True)
                        with open(os.path.join(options.keep, f"{seed}.cpp"), "w") as file:
                            file.write(program.text())
    print(f"{len(seeds)} programs, {compared} compared, {refused} refused, {slow} slow, {wrong} wrong")
    sys.exit(1 if wrong or not compared else 0)


if __name__ == "__main__":
    main()
