"""Random PolyMage programs through the frontend and the passes.

  random_polymage.py [--seeds 0..19] [--c] [--keep DIR]
A program has point-wise stages, stencils, cases by parity and by values, reductions, stages that read themselves and
time stencils, of random types. All indices are inside by construction. The reference interpreter's outputs are
compared with those of the loops that random options give, and with the program's definition in Python and numpy
(tests/lib/naive), which has nothing of the frontend; --c also runs the C.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
import pipeline_text
from naive import evaluate, language
from naive import program as definition

INTEGERS = "UChar Char Short UShort Int Int UInt Long ULong".split()
FLOATS = ["Float", "Float", "Double"]
DTYPES = dict(UChar="u1", Char="i1", Short="i2", UShort="u2", Int="i4", UInt="u4", Long="i8", ULong="u8", Float="f4", Double="f8")
PRELUDE = """R, C = Parameter(Int, "R"), Parameter(Int, "C")
x, y, v = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "v")
rows, cols, bins = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 15)
"""
PLANE, TABLE = ("R", "C"), ("16",)
DOMAINS = {PLANE: "([x, y], [rows, cols])", TABLE: "([v], [bins])"}
VARIABLES = {PLANE: ["x", "y"], TABLE: ["v"]}


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.inputs, self.stages = [PRELUDE], {}, []
        for i in range(self.rng.randint(1, 2)):
            kind = self.rng.choice(INTEGERS + FLOATS)
            self.inputs[f"img{i}"] = kind
            self.lines.append(f'img{i} = Image({kind}, "img{i}", [R, C])')
            self.stages.append((f"img{i}", PLANE, kind))
        for i in range(random.Random(f"tables of {seed}").choice([0, 1, 2])):
            self.table(f"t{i}")
        makers = [self.point_wise, self.point_wise, self.by_cases, self.stencil, self.bordered, self.reduction, self.recurrence, self.time]
        for i in range(self.rng.randint(2, 6)):
            self.rng.choice(makers)(f"s{i}")
        self.text = "\n".join(self.lines) + "\n"

    def pick(self, *items):
        return self.rng.choice(items)

    # --- expressions over the variables of a domain ---

    def affine(self, names):
        """An integer expression of the variables."""
        name = self.rng.choice(names)
        return self.pick(name, f"{name} + {self.rng.randint(-3, 3)}", f"2 * {name} - 1", f"{name} / {self.pick(2, 3)}", f"C - {name}")

    def index(self, names, extent, depth):
        choice = self.rng.random()
        if choice < 0.15 and depth < 2:
            value = self.integer(names, depth + 1)
            return f"({value}) % 16" if extent == "16" else f"Min(Max({value}, 0), {extent} - 1)"
        if extent == "16":
            return f"({self.affine(names)}) % 16"
        own = {"R": "x", "C": "y"}[extent]
        if own in names and choice < 0.6:
            return own
        if choice < 0.7:
            return f"Select(Condition({self.affine(names)}, '<', {extent} / 2), 0, {extent} - 1)"
        return f"Max(Min({self.affine(names)}, {extent} - 1), 0)"

    def read(self, names, depth):
        name, dims, kind = self.rng.choice(self.stages)
        return f"{name}({', '.join(self.index(names, e, depth) for e in dims)})", kind

    def integer(self, names, depth=0):
        """An expression of an integer type; a float is limited first, so that it fits."""
        text, kind = self.expression(names, depth)
        return f"Cast({self.rng.choice(INTEGERS)}, Min(Max({text}, 0), 99))" if kind in FLOATS else text

    def expression(self, names, depth=0):
        """Text and a type, which only says float or integer."""
        choice = self.rng.random()
        if depth > 3 or choice < 0.3:
            return self.read(names, depth)
        if choice < 0.4:
            return self.pick((self.affine(names), "Int"), (str(self.rng.randint(-9, 99)), "Int"), ("0.5", "Float"), ("RandomFloat()", "Float"))
        (a, kind_a), (b, kind_b) = (self.expression(names, depth + 1) for _ in range(2))
        kind = kind_a if kind_a in FLOATS else kind_b
        if choice < 0.7:
            return f"({a} {self.rng.choice('+-*')} {b})", kind
        if choice < 0.8:
            return f"{self.pick('Min', 'Max')}({a}, {b})", kind
        if choice < 0.9:
            return f"Select({self.condition(names, depth + 1)}, {a}, {b})", kind
        divided = f"{self.integer(names, depth + 1)} {self.pick('/', '%', '//')} {self.rng.randint(1, 7)}"
        return self.pick((f"Abs({a})", kind_a), (f"-{a}", kind_a), (f"({divided})", "Int"))

    def condition(self, names, depth=0):
        if self.rng.random() < 0.3 and depth < 3:
            return f"({self.condition(names, depth + 1)} {self.pick('&', '|')} {self.condition(names, depth + 1)})"
        left, kind = self.expression(names, depth + 2)
        return f"Condition({left}, '{self.pick('<', '<=', '>', '>=', '==', '!=')}', {self.rng.randint(0, 60)})"

    def fitted(self, text, kind, target):
        """Limited, so that no float becomes infinite, nor an integer that it does not fit."""
        if kind not in FLOATS:
            return text
        return f"Min(Max({text}, -999), 999)" if target in FLOATS else f"Min(Max({text}, 0), 99)"

    def value(self, names, target):
        return self.fitted(*self.expression(names), target)

    # --- stages ---

    def table(self, name):
        kind = self.rng.choice(INTEGERS + FLOATS)
        numbers = [self.pick(-1.5, 0.1, 0, 3) if kind in FLOATS else self.pick(0, 1, 2, 7, 100) for _ in range(16)]
        values = self.pick(f"[n * n % 100 for n in {numbers}]", numbers) if kind not in FLOATS else numbers
        self.lines.append(f"{name} = Table({kind}, {values})")
        self.stages.append((name, TABLE, kind))

    def declare(self, name, dims, how="Function(%s, %s, '%s')", kind=None):
        kind = kind or self.rng.choice(INTEGERS + FLOATS)
        self.lines.append(f"{name} = " + how % (DOMAINS[dims], kind, name))
        return kind

    def define(self, name, text):
        self.lines.append(f"{name}.defn = {text}")

    def done(self, name, dims, kind):
        self.stages.append((name, dims, kind))

    def point_wise(self, name):
        dims = self.pick(PLANE, PLANE, TABLE)
        kind = self.declare(name, dims)
        self.define(name, self.value(VARIABLES[dims], kind))
        self.done(name, dims, kind)

    def by_cases(self, name):
        kind = self.declare(name, PLANE)
        names = VARIABLES[PLANE]
        tests = self.pick(
            ["Condition(x % 2, '==', 0)", "Condition(x % 2, '==', 1)"],
            ["(x >= 1) & (x <= R - 2) & (y >= 1)", "(x < 1) & (y >= 2)"],
            ["(x / 3 % 2 == 0) | (y < 2)"],
            [f"(x + y <= R) & {self.condition(names)}", "(x + y > R) & (y != 1)"],
        )
        if self.rng.random() < 0.3:
            self.lines.append(f"{name}.default = {self.rng.randint(0, 9)}")
        self.define(name, "[" + ",\n  ".join(f"Case({t}, {self.value(names, kind)})" for t in tests) + "]")
        self.done(name, PLANE, kind)

    def kernel(self):
        return [[self.rng.randint(-1, 2) for _ in range(3)] for _ in range(3)]

    def of_plane(self):
        return self.rng.choice([s for s in self.stages if s[1] == PLANE])

    def stencil(self, name):
        source, _, _ = self.of_plane()
        kind = self.declare(name, PLANE)
        text = f"Stencil({source}(x, y), {self.pick('1', '0.25', '2')}, {self.kernel()})"
        inside = "(x >= 1) & (x <= R - 2) & (y >= 1) & (y <= C - 2)"
        self.define(name, f"Case({inside}, {self.fitted(text, 'Float', kind)})")
        self.done(name, PLANE, kind)

    def tap(self, source, shifts, mode):
        """The source near (x, y), by one way of writing what is outside."""
        indices, outside = [], []
        for at, shift, extent in zip("xy", shifts, "RC"):
            near = f"({at} + {shift})"
            clamped = f"Min(Max({near}, 0), {extent} - 1)"
            mirrored = f"Min(Max({near}, 0 - {near}), 2 * {extent} - 2 - {near})"
            indices.append({"mirror": f"Min(Max({mirrored}, 0), {extent} - 1)", "repeat": f"({near} + {extent}) % {extent}"}.get(mode, clamped))
            outside.append(f"(Condition({near}, '<', 0) | Condition({near}, '>=', {extent}))")
        value = f"{source}({', '.join(indices)})"
        return f"Select({self.pick(outside[0], outside[1], ' | '.join(outside))}, {self.rng.randint(0, 9)}, {value})" if mode == "zero" else value

    def bordered(self, name):
        source, _, _ = self.of_plane()
        kind = self.declare(name, PLANE)
        mode = self.pick("clamp", "clamp", "mirror", "repeat", "zero")
        far = self.pick(1, 2, 3)
        taps = [self.tap(source, [self.rng.randint(-far, far), self.rng.randint(-far, far)], mode) for _ in range(self.rng.randint(2, 5))]
        self.define(name, self.fitted(" + ".join(taps), "Float", kind))
        self.done(name, PLANE, kind)

    def time(self, name):
        source, _, source_kind = self.of_plane()
        kind = source_kind
        if kind in FLOATS:
            text = f"Min(Max(Stencil({source}, [x, y], {self.kernel()}) * 0.125, -999), 999)"
        else:
            text = f"Stencil({source}, [x, y], {self.kernel()}) + {source}(x, y)"
        self.declare(name, PLANE, f"TStencil(%s, %s, '%s', {self.rng.randint(1, 3)})", kind)
        self.define(name, text if self.rng.random() < 0.6 else f"Case(x + y >= 3, {text})")
        self.done(name, PLANE, kind)

    def reduction(self, name):
        kind = self.rng.choice(INTEGERS + FLOATS)
        dims = self.pick(TABLE, TABLE, PLANE)
        self.declare(name, dims, f"Reduction(%s, {DOMAINS[PLANE]}, %s, '%s')", kind)
        names, updates = VARIABLES[PLANE], []
        if self.rng.random() < 0.2:
            updates.append(f"Case({VARIABLES[dims][0]} > 2, {self.value(VARIABLES[dims], kind)})")
        operations = []
        for _ in range(self.rng.randint(1, 2)):
            operation = self.pick("Sum", "Min", "Max", "Op.Sum", "Op.Min") if kind in FLOATS else self.pick("Sum", "Prod", "Min", "Max", "And", "Or")
            target = ", ".join(self.index(names, e, 0) for e in dims)
            update = f"Reduce({name}({target}), {self.value(names, kind)}, {operation})"
            updates.append(update if self.rng.random() < 0.7 else f"Case({self.condition(names)}, {update})")
            operations.append(operation.removeprefix("Op."))
        if len(set(operations)) > 1 or self.rng.random() < 0.5:
            self.lines.append(f"{name}.default = {self.rng.randint(0, 9)}")
        self.define(name, "[" + ",\n  ".join(updates) + "]")
        self.done(name, dims, kind)

    def recurrence(self, name):
        kind = self.declare(name, PLANE)
        names = VARIABLES[PLANE]
        earlier = self.pick("x - 1, y", "x - 1, Min(y + 1, C - 1)", "x - 1, C - 1 - y")
        first, second = ("x >= 1", "x < 1")
        if self.rng.random() < 0.3:
            earlier, first, second = "x, y - 1", "y >= 1", "y < 1"
        if self.rng.random() < 0.2:
            earlier, first, second = self.pick("x + 1, y", "x + 1, C - 1 - y"), "x < R - 1", "x >= R - 1"
        added, added_kind = self.expression(names)
        text = f"{name}({earlier}) {self.pick('+', '-')} {added}"
        text = self.fitted(text, kind if kind in FLOATS else added_kind, kind)
        self.define(name, f"[Case({first}, {text}),\n  Case({second}, {self.value(names, kind)})]")
        self.done(name, PLANE, kind)


def random_array(rng, kind, shape):
    dtype = np.dtype(DTYPES[kind])
    if dtype.kind == "f":
        return (rng.integers(-512, 512, shape) / 256).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(max(limits.min, -99), min(limits.max, 199), shape).astype(dtype)


def passes(rng):
    tile = rng.choice(["3x5", "4x4", "8x64", "1x7"])
    group = f"strategy={rng.choice(['none', 'all', 'greedy'])}"
    partials = f"partials={rng.choice([2, 3, 16])}"
    return pipeline_text.with_options(
        pipeline_text.default_pipeline(), rfactor=partials, group=group, tile=f"sizes={tile}", storage="stack-limit=65536"
    )


def failure(command):
    """None, or the command and what it said."""
    result = subprocess.run(command, capture_output=True, text=True)
    return None if result.returncode == 0 else " ".join(command) + "\n" + result.stderr[:2000]


def difference(source, text, folder, sizes, inputs):
    """None, or where the interpreter's outputs are not those of the program's definition."""
    try:
        made = definition.run(source)
        return differing(made, text, folder, sizes, inputs)
    except language.Unsupported:
        return None
    except evaluate.Wrong as wrong:
        return f"no value by definition: {wrong}"


def differing(made, text, folder, sizes, inputs):
    images = {image: inputs[image.name] for image in made.images}
    evaluation = evaluate.Evaluation({p: sizes[p.name] for p in made.parameters}, images)
    outputs = made.outputs()
    options = [f"--param={name}={value}" for name, value in sizes.items()]
    options += [f"--in={name}={folder}/{name}.npy" for name in inputs]
    options += [f"--out={stage.name}={folder}/{stage.name}.out.npy" for stage in outputs]
    wrong = failure(["pm-interp", text, *options])
    for stage in [] if wrong else outputs:
        got, expected = np.load(f"{folder}/{stage.name}.out.npy"), evaluation.box_of(stage).array
        if got.shape != expected.shape or got.tobytes() != expected.tobytes():
            return f"{stage.name} is by definition\n{expected}\nand has\n{got}"
    return wrong


def check(seed, folder, with_c):
    """None, or what is wrong with a seed's program."""
    program, rng = Program(seed), random.Random(-seed)
    source, text = f"{folder}/program.py", f"{folder}/program.pmir"
    with open(source, "w", encoding="utf-8") as file:
        file.write(program.text)
    wrong = failure(["pm-translate", source, "-o", text])
    for rows, cols in [] if wrong else [(7, 9), (rng.choice([3, 5, 17]), rng.choice([4, 13, 33]))]:
        arguments, inputs = [], {}
        for name, kind in program.inputs.items():
            inputs[name] = random_array(np.random.default_rng(seed), kind, (rows, cols))
            np.save(f"{folder}/{name}.npy", inputs[name])
            arguments += ["--in", f"{name}={folder}/{name}.npy"]
        sizes = ["--param", f"R={rows}", "--param", f"C={cols}"]
        wrong = wrong or difference(source, text, folder, {"R": rows, "C": cols}, inputs)
        wrong = wrong or failure(["pm-interp", text, *sizes, *arguments, f"--pass-pipeline={passes(rng)}"])
        if with_c:
            wrong = wrong or failure(["pm-run", source, *arguments, "--check", "--fp", "strict", "--tile", "4x8", "--cflags", "-O1 -fopenmp"])
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0..19")
    parser.add_argument("--c", action="store_true")
    parser.add_argument("--keep")
    a = parser.parse_args()
    first, last = (int(n) for n in a.seeds.split(".."))
    failures = 0
    for seed in range(first, last + 1):
        with tempfile.TemporaryDirectory() as folder:
            wrong = check(seed, folder, a.c)
            if wrong:
                failures += 1
                print(f"seed {seed}: {wrong}")
            if wrong and a.keep:
                shutil.copytree(folder, os.path.join(a.keep, str(seed)), dirs_exist_ok=True)
    print(f"{last + 1 - first} seeds, {failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
