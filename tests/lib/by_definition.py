"""by_definition.py PROGRAM [OPTION…]: compares what a PolyMage program computes with its definition (tests/lib/naive).

Python runs the program, numpy computes its stages one by one; pm-run compiles it and calls it for the same random
inputs. Integers must be equal, floats within 1e-5 of the greatest value of the output; under --fp=strict every bit is
compared. Prints one line, and exits with 1 if values differ, with 2 if they cannot be compared.

  --function NAME  --const NAME=VALUE  --live-out=A,B  --range IMAGE=LOW:HIGH      as for pmc
  --param NAME=VALUE    of a parameter; others are odd sizes, or 0.3
  --draw IMAGE=LOW:HIGH the inputs are from there; others from --range, or 0..1, or numbers of 16 bits
  --cflags FLAGS        of the C compiler, in place of those that users get
  --naive FILE.cpp      compares with what this C++ computes, which PolyMage emitted for the program, in its place
"""
import argparse
import contextlib
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import threading

import numpy as np

sys.dont_write_bytecode = True
from naive import evaluate, language, program

SIZES = [37, 53, 11, 19, 7, 5]
NEAR = 1e-5


class NotCompared(Exception):
    pass


def command_output(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.splitlines() or [f"exit status {done.returncode}"]
        raise NotCompared(next((line for line in lines if " error: " in line), lines[-1]))
    return done.stdout


def by_name(pairs):
    return dict(pair.split("=", 1) for pair in pairs)


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--function")
    parser.add_argument("--live-out", default="")
    parser.add_argument("--cflags")
    parser.add_argument("--naive")
    for name in ("const", "range", "param", "draw"):
        parser.add_argument(f"--{name}", action="append", default=[])
    return parser.parse_args()


def compiler_options(a):
    options = [f"--const={c}" for c in a.const] + [f"--range={r}" for r in a.range]
    options += [f"--function={a.function}"] if a.function else []
    return options + ([f"--live-out={a.live_out}"] if a.live_out else [])


def names_of(text, op):
    return re.findall(rf"stage\.{op} @(\w+)", text)


def named(kind, names, objects):
    """The objects by their names in the pipeline."""
    if len(names) != len(objects):
        raise NotCompared(f"the compiler sees {len(names)} {kind}, Python {len(objects)}")
    return dict(zip(names, objects))


def parameter_values(a, parameters):
    constants = {name.split(".")[-1]: value for name, value in by_name(a.const).items()}
    given, sizes = constants | by_name(a.param), iter(SIZES)
    values = {}
    for name, parameter in parameters.items():
        real = parameter.type.dtype.kind == "f"
        values[name] = (float if real else int)(given[name]) if name in given else 0.3 if real else next(sizes)
    return values


def draw(rng, dtype, shape, limits):
    if dtype.kind == "f":
        low, high = map(float, limits.split(":")) if limits else (0, 1)
        return rng.uniform(low, high, shape).astype(dtype)
    info = np.iinfo(dtype)
    low, high = map(int, limits.split(":")) if limits else (max(-(2**15), info.min), min(2**16 - 1, info.max))
    return rng.integers(low, high, shape, endpoint=True).astype(dtype)


def difference(got, expected):
    """(elements that differ in a bit, the greatest difference, of the greatest value for floats)"""
    if got.shape != expected.shape or got.dtype != expected.dtype:
        raise NotCompared(f"the output is {got.dtype}{got.shape}, by definition {expected.dtype}{expected.shape}")
    bits = f"u{expected.dtype.itemsize}"
    same = (got.view(bits) == expected.view(bits)) | ((got != got) & (expected != expected))
    if same.all():
        return 0, 0.0
    a, b = got[~same].astype(float), expected[~same].astype(float)
    finite = expected[np.isfinite(expected)].astype(float)
    greatest = max(np.abs(finite).max(initial=0), 1e-30) if expected.dtype.kind == "f" else 1.0
    return int((~same).sum()), float(np.nan_to_num(np.abs(a - b), nan=np.inf).max() / greatest)


class Comparison:
    def __init__(self, a, folder):
        self.a, self.folder = a, folder
        self.path = os.path.abspath(a.program)
        self.options = compiler_options(a)
        text = command_output(["pm-translate", self.path, "--to=pmir", *self.options])
        with contextlib.redirect_stdout(sys.stderr):
            made = program.run(self.path, a.function, a.const)
        self.parameters = named("parameters", names_of(text, "param"), made.parameters)
        self.images = named("images", names_of(text, "input"), made.images)
        self.stages = named("outputs", names_of(text, "output"), made.outputs(a.live_out.split(",") if a.live_out else []))
        self.values = parameter_values(a, self.parameters)

    def draw_inputs(self):
        """By name; files for pm-run."""
        sizes = evaluate.Evaluation({p: self.values[name] for name, p in self.parameters.items()}, {})
        limits, rng = by_name(self.a.range) | by_name(self.a.draw), np.random.default_rng(1)
        self.arrays = {n: draw(rng, i.type.dtype, sizes.shape(i.intervals), limits.get(n)) for n, i in self.images.items()}
        self.shapes = {name: sizes.shape(stage.intervals) for name, stage in self.stages.items()}
        for name, array in self.arrays.items():
            np.save(f"{self.folder}/{name}.npy", array)

    def by_definition(self):
        values = {p: self.values[name] for name, p in self.parameters.items()}
        evaluation = evaluate.Evaluation(values, {i: self.arrays[name] for name, i in self.images.items()})
        return {name: np.ascontiguousarray(evaluation.box_of(stage).array) for name, stage in self.stages.items()}

    def by_published_code(self):
        """What the C++ of PolyMage computes. Its arguments are in the order of their names; it leaves points without a
        case as they are."""
        library = f"{self.folder}/naive.so"
        command_output(["g++", "-w", "-O1", "-ffp-contract=off", "-shared", "-fPIC", self.a.naive, "-o", library])
        with open(self.a.naive, encoding="utf-8") as file:
            name, arguments = re.search(r'extern "C" void\s+(\w+)\((.*?)\)', file.read(), re.DOTALL).groups()
        results = {n: np.zeros(shape, self.stages[n].type.dtype) for n, shape in self.shapes.items()}
        arrays = {**self.arrays, **results}
        scalars = {"int": ctypes.c_int, "float": ctypes.c_float}
        passed = []
        for kind, pointer, argument in re.findall(r"(\w+)\s*(\*?)\s*(\w+)", arguments):
            argument = argument.removesuffix("_void_arg")
            if argument not in (arrays if pointer else self.values):
                raise NotCompared(f"the C++ has an argument {argument}")
            passed.append(ctypes.c_void_p(arrays[argument].ctypes.data) if pointer else scalars[kind](self.values[argument]))
        getattr(ctypes.CDLL(library), name)(*passed)
        return results

    def compiled(self, more):
        ins = [f"--in={name}={self.folder}/{name}.npy" for name in self.images]
        outs = [f"--out={name}={self.folder}/{name}.out.npy" for name in self.stages]
        params = [f"--param={name}={value}" for name, value in self.values.items()]
        command_output(["pm-run", self.path, *self.options, *ins, *outs, *params, *more])
        return {name: np.load(f"{self.folder}/{name}.out.npy") for name in self.stages}

    def compare(self, expected, more):
        """(elements that differ, the greatest difference, whether all is near enough, elements)"""
        got = self.compiled(more)
        rows = [(*difference(got[name], expected[name]), expected[name].dtype.kind == "f") for name in expected]
        near = all(worst <= NEAR if real else not count for count, worst, real in rows)
        elements = sum(e.size for e in expected.values())
        return sum(row[0] for row in rows), max((row[1] for row in rows), default=0), near, elements

    def result(self):
        self.draw_inputs()
        expected = self.by_published_code() if self.a.naive else self.by_definition()
        flags = [f"--cflags={self.a.cflags}"] if self.a.cflags else []
        strict = ["--fp=strict", *(flags or ["--cflags=-O1 -fopenmp"])]
        count, worst, near, elements = self.compare(expected, flags)
        if not elements:
            raise NotCompared("the outputs have no elements")
        strict_count, strict_worst, strict_near, _ = self.compare(expected, strict)
        equal = near and strict_near
        text = ["values equal" if equal else "values equal under --fp=strict" if strict_near else "values differ"]
        text.append(said(count, worst, elements))
        if (count, worst) != (strict_count, strict_worst):
            text.append(f"{said(strict_count, strict_worst, elements)} under --fp=strict")
        return equal, ", ".join(text)


def said(count, worst, elements):
    return f"{count} of {elements} differ by {worst:.1e} at most" if count else f"every bit of {elements}"


def compare(a):
    """(exit status, line)"""
    with tempfile.TemporaryDirectory() as folder:
        try:
            comparison = Comparison(a, folder)
            equal, text = comparison.result()
            sizes = " ".join(f"{name}={value}" for name, value in comparison.values.items())
            return 0 if equal else 1, f"{text} ({sizes})" if sizes else text
        except (NotCompared, language.Unsupported, SyntaxError) as error:
            return 2, f"not compared: {error}"
        except evaluate.Wrong as error:
            return 1, f"without a value by definition: {error}"


def main():
    """In a thread with a large stack: expressions are deep."""
    a, results = parse_arguments(), []
    threading.stack_size(1 << 29)
    thread = threading.Thread(target=lambda: results.append(compare(a)))
    thread.start()
    thread.join()
    if not results:
        sys.exit(3)
    print(results[0][1])
    sys.exit(results[0][0])


if __name__ == "__main__":
    main()
