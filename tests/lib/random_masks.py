"""Random sums of one expression at several points, for the pass factor-stencils.

  random_masks.py [--seeds 0..19] [--target c] [--keep DIR]

Each seed is a chain of stages, which are sums over masks: of rank 1, boxes, these with other weights here and there, masks
with empty rows, and any; of reads, products, conversions to wider types and of reads two apart. Every cut is made, whether it pays or
not. What pm-run computes is the interpreter's, bit by bit: floats are whole numbers that are exact in any order. Prints how
many programs there were, and how many had partial sums.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

NUMPY = {"u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16", "u32": "uint32", "i32": "int32", "u64": "uint64", "i64": "int64",
         "f32": "float32", "f64": "float64"}
WIDER = {"u8": ["i16", "u16", "i32"], "i8": ["i16", "i32"], "u16": ["i32", "u32", "i64"], "i16": ["i32", "i64"], "i32": ["i64"], "u32": ["u64"]}


def mask_of(rng, n):
    """Weights by place, as {offsets: weight}."""
    sides = [rng.choice([1, 2, 3, 3, 4, 5] if n == 2 else [2, 2, 3]) for _ in range(n)]
    low = [rng.randint(-3, 0) for _ in range(n)]
    lines = [[rng.choice([1, 1, 2, 3, -1, -2]) for _ in range(s)] for s in sides]
    kind = rng.choice(["rank", "rank", "rank", "box", "rest", "rest", "gaps", "any"])
    mask = {}
    for at in np.ndindex(*sides):
        weight = 1
        for line, i in zip(lines, at):
            weight *= line[i] if kind != "box" else 1
        if kind == "any" or kind == "rest" and rng.random() < 0.2:
            weight = rng.randint(-4, 4)
        if kind != "gaps" or at[0] % 2 == 0:
            mask[tuple(l + i for l, i in zip(low, at))] = weight
    return mask


class Body:
    def __init__(self):
        self.lines, self.n = [], 0

    def add(self, text):
        self.lines.append(f"        %{self.n} = {text}")
        self.n += 1
        return f"%{self.n - 1}"


def index(dims, at, by):
    return ", ".join(f"%{d} * {by} + {o}" if by > 1 else f"%{d} + {o}" for d, o in zip(dims, at))


def leaf_of(rng, source, kind):
    """Builds the expression of a kind at a place; and its type."""
    type_ = rng.choice(WIDER[source[1]]) if kind == "widened" and source[1] in WIDER else source[1]
    multiply = "arith.mulf" if type_[0] == "f" else "arith.muli"

    def build(body, dims, at, by):
        value = body.add(f"stage.read @{source[0]}[{index(dims, at, by)}] : {source[1]}")
        if type_ != source[1]:
            value = body.add(f"arith.cast {value} : ({source[1]}) -> {type_}")
        if kind == "squared":
            value = body.add(f"{multiply} {value}, {value} : {type_}")
        if kind == "product":
            near = body.add(f"stage.read @{source[0]}[{index(dims, [o + 1 for o in at], by)}] : {source[1]}")
            value = body.add(f"{multiply} {value}, {near} : {type_}")
        return value

    return build, type_


def term_of(body, value, weight, type_):
    if weight == 1:
        return value
    number = body.add(f"arith.constant {weight % 2 ** int(type_[1:]) if type_[0] == 'u' else weight}{'.0' if type_[0] == 'f' else ''} : {type_}")
    return body.add(f"arith.mul{'f' if type_[0] == 'f' else 'i'} {number}, {value} : {type_}")


def stage_of(rng, name, source, dims, margin):
    """Text of a stage over points whose reads are `margin` away from the bounds; its type."""
    kind = rng.choice(["read", "read", "squared", "product", "widened", "widened"])
    leaf, type_ = leaf_of(rng, source, kind)
    by = 2 if rng.random() < 0.1 else 1
    mask = mask_of(rng, len(dims))
    places = list(mask.items())
    if rng.random() < 0.5:
        rng.shuffle(places)
    body, total = Body(), None
    what = "f" if type_[0] == "f" else "i"
    for at, weight in places:
        value = term_of(body, leaf(body, dims, at, by), weight, type_)
        if total is None:
            total = value
        else:
            total = body.add(f"arith.{rng.choice(['add', 'add', 'sub'])}{what} {total}, {value} : {type_}")
    if rng.random() < 0.3:
        total = term_of(body, total, 3, type_)
        total = body.add(f"arith.add{what} {total}, {leaf(body, dims, [0] * len(dims), by)} : {type_}")
    if source[1] in WIDER and type_ != source[1] and rng.random() < 0.5:
        total = body.add(f"arith.cast {total} : ({type_}) -> {source[1]}")
        type_ = source[1]
    far = max(max(abs(o) for o in at) for at in mask) + 1
    bounds = [f"{(margin + far)} <= {d} and {by}{d} + {margin + far} < N{i}" for i, d in enumerate(dims)]
    points = " and ".join(bounds)
    params = ", ".join(f"N{i}" for i in range(len(dims)))
    space = f'#isl.set<"[{params}] -> {{ [{", ".join(dims)}] : {points} }}">'
    text = [f"    stage.func @{name} : {type_} on {space} {{", f"      stage.case({', '.join('%' + d for d in dims)}) on {space} {{"]
    return "\n".join([*text, *body.lines, f"        stage.yield {total} : {type_}", "      }", "    }"]), type_, margin + far, by


def program_of(rng):
    """A pipeline, the type of its input and the number of dimensions."""
    n = rng.choice([2, 2, 2, 3])
    dims = ["x", "y", "z"][:n]
    element = rng.choice([*NUMPY, "u8", "u16", "f32"])
    params = ", ".join(f"N{i}" for i in range(n))
    text = [f'  stage.pipeline @p context #isl.set<"[{params}] -> {{ : {" and ".join(f"N{i} >= 1" for i in range(n))} }}"> fp "fast" {{']
    text += [f"    %N{i} = stage.param @N{i} : i32" for i in range(n)]
    box = " and ".join(f"0 <= {d} < N{i}" for i, d in enumerate(dims))
    text.append(f'    stage.input @img : {element} on #isl.set<"[{params}] -> {{ [{", ".join(dims)}] : {box} }}">')
    source, margin = ("img", element), 0
    for k in range(rng.randint(1, 2 if element[0] == "f" else 3)):
        stage, type_, margin, by = stage_of(rng, f"f{k}", source, dims, margin)
        text.append(stage)
        source = (f"f{k}", type_)
        if by > 1:
            break
    text += [f"    stage.output @{source[0]}", "  }"]
    return "\n".join(["builtin.module {", *text, "}", ""]), element, n


def check(seed, target, keep):
    """Whether the program had partial sums; None: it failed."""
    rng = random.Random(seed)
    program, element, n = program_of(rng)
    made = False
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(keep or folder, f"masks-{seed}.pmir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program)
        for size in ([37, 70, 20][:n], [rng.randint(1, 24) for _ in range(n)]):
            values = np.random.default_rng(seed).integers(0, 4 if element[0] == "f" else 256, size)
            np.save(f"{folder}/img.npy", values.astype(NUMPY[element]))
            run = ["pm-run", path, f"--target={target}", "--in", f"img={folder}/img.npy", "--check", "--remarks=all", "--cflags=-O0 -fopenmp",
                   f"--threads={rng.choice([1, 2])}", "--set=factor-stencils{most=1000000 terms=100 least=0}"]
            if target != "c":
                run = [word for word in run if not word.startswith("--cflags")]
            if rng.random() < 0.5:
                run.append("--tile=" + "x".join(rng.choice(["4", "8", "16"]) for _ in range(n)))
            done = subprocess.run(run, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"seed {seed}: {' '.join(run)}\n{done.stdout}{done.stderr}{program}")
                return None
            made = made or "[factor-stencils] passed" in done.stderr
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0..19")
    parser.add_argument("--target", default="c")
    parser.add_argument("--keep")
    a = parser.parse_args()
    first, _, last = a.seeds.partition("..")
    results = [check(seed, a.target, a.keep) for seed in range(int(first), int(last or first) + 1)]
    print(f"{len(results)} programs, {results.count(True)} with partial sums, {results.count(None)} failed")
    return 1 if None in results else 0


if __name__ == "__main__":
    sys.exit(main())
