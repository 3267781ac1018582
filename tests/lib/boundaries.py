"""Boundary modes against numpy and the interpreter: reads at every distance, and chains of stages in small tiles.

  boundaries.py FAMILY [--strategies all,greedy] [--tile 4x5] [--interpret SIZES]
Families: `computed` (indices from the elements of an image, in cases, updates and tuples), `distances` (1-D: each mode over an image and over a stage that does not start at 0, far beyond both ends),
`chains` (1-D: three stages, every mode after every other), `planes` (2-D: two and three stages, modes mixed),
`near` (a context in which no index leaves by a period, so that none is divided).
A program is compiled once a strategy and called on all extents 1..7 and some larger ones, by 1 and 2 threads; every
bit must be numpy's. With --interpret the stages and the loops are interpreted at some sizes, too.
"""
import argparse
import ctypes
import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np

TYPES = {"f32": np.float32, "u8": np.uint8, "i32": np.int32}
MODES = ["clamp", "repeat", "mirror", "mirror101", "constant"]
CONSTANTS = {"f32": "1.5", "u8": "200", "i32": "-7"}
FAR = 20


# --- numpy ---


def padded(array, axis, width, mode, constant):
    """`width` elements more at both ends; np.pad's own wrap is wrong beyond one period before numpy 1.25."""
    if mode == "none":
        return array
    if mode == "repeat":
        return np.take(array, np.arange(-width, array.shape[axis] + width), axis=axis, mode="wrap")
    widths = [(width, width) if d == axis else (0, 0) for d in range(array.ndim)]
    options = {"constant_values": constant} if mode == "constant" else {}
    return np.pad(array, widths, {"clamp": "edge", "mirror": "symmetric", "mirror101": "reflect"}.get(mode, mode), **options)


def shifted(array, offsets, modes, constant, width):
    """The array read at each of its points plus the offsets. Later dimensions first: an earlier one decides."""
    for axis in reversed(range(array.ndim)):
        array = padded(array, axis, width, modes[axis], constant)
    start = [width * (mode != "none") + offset for mode, offset in zip(modes, offsets)]
    shape = [n - 2 * width * (mode != "none") for n, mode in zip(array.shape, modes)]
    return array[tuple(slice(s, s + n) for s, n in zip(start, shape))]


def taken(array, indices, mode, constant):
    """array[indices], whatever the indices are: a period laid out once, then repeated."""
    n = len(array)
    clipped = np.take(array, indices, mode="clip")
    if mode == "clamp":
        return clipped
    if mode == "constant":
        return np.where((indices >= 0) & (indices < n), clipped, constant)
    period = np.concatenate([array, {"mirror": array[::-1], "mirror101": array[-2:0:-1]}.get(mode, array[:0])])
    return period[indices % len(period)]


# --- programs: text and reference side by side ---


class Program:
    """A pipeline over one input; `stages` are (name, text, function of the values so far), in order."""

    def __init__(self, scalar, rank, least):
        self.scalar, self.rank, self.least = scalar, rank, least
        self.stages, self.outputs, self.extremes = [], [], False
        self.params = ["R", "C"][:rank]

    def domain(self, low="0", high="{}", names="xy"):
        inside = " and ".join(f"{low} <= {v} < {high.format(p)}" for v, p in zip(names, self.params))
        return f'#isl.set<"[{", ".join(self.params)}] -> {{ [{", ".join(names[:self.rank])}] : {inside} }}">'

    def constant(self):
        return TYPES[self.scalar](float(CONSTANTS[self.scalar]))

    def mode_text(self, modes):
        words = [f"constant({CONSTANTS[self.scalar]})" if m == "constant" else m for m in modes]
        return words[0] if len(set(words)) == 1 else f"[{', '.join(words)}]"

    def add(self, name, domain, body, value, output, types=None):
        variables = ", ".join(f"%{v}" for v in "xy"[: self.rank])
        lines = [f"  stage.func @{name} : {types or self.scalar} on {domain} {{", f"    stage.case({variables}) on {domain} {{"]
        lines += [f"      {line}" for line in body] + ["    }", "  }"]
        self.stages.append((name, "\n".join(lines), value))
        if output:
            self.outputs.append(name)

    def add_update(self, name, source, mode, value):
        """name[0] = 5 + the sum of the source from 9 points before its start on."""
        params = ", ".join(self.params)
        lines = [f'  stage.func @{name} : i32 on #isl.set<"{{ [v] : v = 0 }}"> default 5 {{']
        lines += [f'    stage.update(%x) on #isl.set<"[{params}] -> {{ [x] : -9 <= x < R }}"> {{']
        lines += [f"      %v = stage.read @{source}[%x] boundary {mode} : i32", "      stage.combine sum, %v into [0] : i32", "    }", "  }"]
        self.stages.append((name, "\n".join(lines), value))
        self.outputs.append(name)

    def read_far(self, name, source, low, mode, distance):
        """name[x] = source[x] from `distance` before its domain, which begins at `low`, to as far behind."""
        domain = self.domain(str(low - distance), f"{{}} + {low + distance}")
        body = [f"%v = stage.read @{source}[%x] boundary {self.mode_text([mode])} : {self.scalar}", f"stage.yield %v : {self.scalar}"]
        self.add(name, domain, body, lambda values: padded(values[source], 0, distance, mode, self.constant()), True)

    def combine(self, name, source, taps, modes, output=True):
        """name[p] = the sum over the taps of source[p + tap], each beyond the borders by the modes."""
        suffix = "f" if self.scalar == "f32" else "i"
        body, total = [], None
        for i, tap in enumerate(taps):
            indices = ", ".join(f"%{v} + {t}" for v, t in zip("xy", tap))
            body.append(f"%t{i} = stage.read @{source}[{indices}] boundary {self.mode_text(modes)} : {self.scalar}")
            if total:
                body.append(f"%s{i} = arith.add{suffix} {total}, %t{i} : {self.scalar}")
            total = f"%s{i}" if total else f"%t{i}"

        def value(values):
            width = max(abs(t) for tap in taps for t in tap)
            parts = [shifted(values[source], tap, modes, self.constant(), width) for tap in taps]
            result = parts[0]
            for part in parts[1:]:
                result = result + part
            return result

        self.add(name, self.domain(), body + [f"stage.yield {total} : {self.scalar}"], value, output)

    def text(self):
        context = " and ".join(f"{p} >= {self.least}" for p in self.params)
        lines = [f'stage.pipeline @p context #isl.set<"[{", ".join(self.params)}] -> {{ : {context} }}"> fp "strict" {{']
        lines += [f"  %{p} = stage.param @{p} : i32" for p in self.params]
        lines.append(f"  stage.input @img : {self.scalar} on {self.domain(names='ij')}")
        lines += [text for _, text, _ in self.stages] + [f"  stage.output @{name}" for name in self.outputs]
        return "\n".join(lines) + "\n}\n"

    def expected(self, image):
        values = {"img": image}
        for name, _, value in self.stages:
            values[name] = value(values)
        return [values[name] for name in self.outputs]

    def image(self, shape):
        numbers = np.random.default_rng(sum(shape)).integers(-100, 100, shape)
        if self.extremes:
            numbers.flat[:2] = [2**31 - 1, -(2**31)][: numbers.size]
        return (numbers / 7).astype(np.float32) if self.scalar == "f32" else numbers.astype(TYPES[self.scalar])


def computed():
    """Indices as far as an i32 goes; reads of a tuple and in an update too."""
    program = Program("i32", 1, 1)
    program.extremes, whole = True, program.domain()
    pair = ["%v = stage.read @img[%x] : i32", "%w = arith.cast %v : (i32) -> f32", "stage.yield %v, %w : i32, f32"]
    program.add("pair", whole, pair, lambda values: values["img"], False, "(i32, f32)")
    for mode in MODES:
        text = program.mode_text([mode])
        read = ["%i = stage.read @img[%x] : i32", f"%v = stage.read @img[%i * 3 + %x] boundary {text} : i32", "stage.yield %v : i32"]
        at = lambda values: values["img"].astype(np.int64) * 3 + np.arange(len(values["img"]))
        program.add(f"far_{mode}", whole, read, lambda values, m=mode: taken(values["img"], at(values), m, program.constant()), True)
        if mode == "constant":
            continue
        read = ["%i = stage.read @img[%x] : i32", f"%v, %w = stage.read @pair[%i - 2] boundary {text} : i32, f32"]
        near = lambda values, m=mode: taken(values["img"], values["img"].astype(np.int64) - 2, m, 0)
        program.add(f"of_pair_{mode}", whole, read + ["stage.yield %v : i32"], near, True)
        program.add_update(f"sum_{mode}", "img", text, lambda values, m=mode: np.int32(5) + np.sum(padded(values["img"], 0, 9, m, 0)[:-9], dtype=np.int32) * np.ones(1, np.int32))
    return program


def distances(scalar):
    program = Program(scalar, 1, 1)
    low = 3
    body = [f"%v = stage.read @img[%x - {low}] : {scalar}", f"stage.yield %v : {scalar}"]
    program.add("moved", program.domain(str(low), f"{{}} + {low}"), body, lambda values: values["img"], False)
    for mode in MODES:
        program.read_far(f"img_{mode}", "img", 0, mode, FAR)
        program.read_far(f"moved_{mode}", "moved", low, mode, FAR)
    return program


def chains(scalar, least=1):
    program = Program(scalar, 1, least)
    for i, first in enumerate(MODES):
        for k, second in enumerate(MODES):
            third = MODES[(i + k) % len(MODES)]
            names = [f"{stage}_{first}_{second}" for stage in "abc"]
            program.combine(names[0], "img", [(-5,), (0,), (2,)], [first], False)
            program.combine(names[1], names[0], [(-1,), (3,)], [second], False)
            program.combine(names[2], names[1], [(-2,), (0,), (1,)], [third])
    return program


def planes(scalar, least=1):
    program = Program(scalar, 2, least)
    for i, mode in enumerate(MODES):
        others = [MODES[(i + 1) % len(MODES)], MODES[(i + 3) % len(MODES)]]
        program.combine(f"a_{mode}", "img", [(-3, 0), (0, -2), (2, 4)], [mode, others[0]], False)
        program.combine(f"b_{mode}", f"a_{mode}", [(-1, 1), (0, 0), (2, -1)], [mode, mode], i % 2 == 0)
        if i % 2:
            program.combine(f"c_{mode}", f"b_{mode}", [(1, -3), (-1, 0)], [others[1], mode])
    return program


FAMILIES = {
    "computed": lambda: [(computed(), [(n,) for n in (*range(1, 8), 50)])],
    "distances": lambda: [(distances(scalar), [(n,) for n in (*range(1, 8), 13)]) for scalar in TYPES],
    "chains": lambda: [(chains(scalar), [(n,) for n in (*range(1, 8), 11, 30)]) for scalar in ("f32", "u8")],
    "near": lambda: [
        (chains("f32", 6), [(n,) for n in (6, 7, 8, 30)]),
        (planes("i32", 5), [(5, 5), (5, 9), (6, 31), (17, 8)]),
    ],
    "planes": lambda: [(planes("f32"), [*itertools.product((1, 2, 3, 7), (1, 2, 4, 5)), (13, 22)])],
}


# --- running ---


def compile_program(path, folder, strategy, tile):
    library = os.path.join(folder, f"{os.path.basename(path)}-{strategy}.so")
    subprocess.run(["pmc", path, "-o", library, "--strategy", strategy, "--tile", tile, "--cflags=-Og -fopenmp"], check=True)
    return ctypes.CDLL(library)["p"]


def call(function, program, image, wanted):
    outputs = [np.full(a.shape, 77, a.dtype) for a in wanted]
    arguments = [ctypes.c_int32(n) for n in image.shape]
    arguments += [a.ctypes.data_as(ctypes.c_void_p) for a in [image, *outputs]]
    if function(*arguments) != 0:
        return ["the call failed"]
    return [f"@{name} differs" for name, w, o in zip(program.outputs, wanted, outputs) if w.tobytes() != o.tobytes()]


def interpret(path, program, image, wanted, passes, folder):
    """The outputs by the interpreter of stages must be numpy's; pm-interp itself compares what the passes make."""
    files = {name: os.path.join(folder, f"{name}.npy") for name in ["img", *program.outputs]}
    np.save(files["img"], image)
    command = ["pm-interp", path, f"--in=img={files['img']}"] + [f"--param={p}={n}" for p, n in zip(program.params, image.shape)]
    command += [f"--out={name}={files[name]}" for name in program.outputs] + ([f"--pass-pipeline={passes}"] if passes else [])
    subprocess.run(command, check=True)
    for name, values in zip(program.outputs, wanted):
        if np.load(files[name]).tobytes() != values.tobytes():
            yield f"@{name} differs, interpreted"


def check(program, sizes, arguments, folder, runtime):
    path = os.path.join(folder, f"{program.scalar}-{program.rank}.pmir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program.text())
    total, problems = 0, []
    images = {shape: program.image(shape) for shape in sizes}
    wanted = {shape: program.expected(image) for shape, image in images.items()}
    for shape in sizes if arguments.interpret else []:
        total += 1
        passes = "stage.pipeline(check-bounds,expand-boundaries)"
        found = interpret(path, program, images[shape], wanted[shape], passes, folder)
        problems += [f"{shape}: {p}" for p in found]
    for strategy in [s for s in arguments.strategies.split(",") if s]:
        function = compile_program(path, folder, strategy, arguments.tile)
        for shape, threads in itertools.product(sizes, (1, 2)):
            runtime.omp_set_num_threads(threads)
            total += 1
            found = call(function, program, images[shape], wanted[shape])
            problems += [f"{shape} {strategy} {threads} threads: {p}" for p in found]
    return total, problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("family", choices=sorted(FAMILIES))
    parser.add_argument("--strategies", default="all,greedy")
    parser.add_argument("--tile", default="4x5")
    parser.add_argument("--interpret", action="store_true")
    arguments = parser.parse_args()
    runtime = ctypes.CDLL("libgomp.so.1")
    total, problems = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for program, sizes in FAMILIES[arguments.family]():
            calls, found = check(program, sizes, arguments, folder, runtime)
            total, problems = total + calls, problems + found
    print("\n".join(problems[:40]))
    print(f"{total} calls, {len(problems)} differences")
    sys.exit(1 if problems else 0)


main()
