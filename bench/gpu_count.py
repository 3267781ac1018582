"""What bench/gpu --count prints: what the kernels of a row do, counted by Oclgrind while it runs them."""
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter

import tables
from tables import program_of, put_cells

import opencl_devices  # of tests/lib, which tables finds

# Pictures of many tiles, so that the border is a small part, that take less than a minute.
SIZE = "256x512"
SIZES = {"bilateral_filter": "64x128", "laplacian": "64x128"}

# What counts as an operation of floats and of integers, by the names of LLVM's instructions; those of a vector count once.
FLOATS = {"fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "fcmp"}
INTEGERS = {"add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "shl", "lshr", "ashr", "and", "or", "xor", "icmp", "select"}
CASTS = {"sitofp", "uitofp", "fptosi", "fptoui", "fptrunc", "fpext", "trunc", "zext", "sext", "bitcast"}
BRANCHES = {"br", "switch"}

COLUMNS = ["float", "int", "cast", "call", "branch"]
MEMORY = [f"{what} {space}" for space in ("global", "local", "constant", "private") for what in ("load", "store")
          if space != "constant" or what == "load"]
SHOWN = ["load global", "store global", "load local", "store local", "load constant", "load private"]


def kind_of(instruction):
    """The column of an instruction that touches no memory; None for what costs nothing by itself: phis and addresses."""
    if instruction in FLOATS or re.match(r"call llvm\.(fmuladd|fma|fabs|minnum|maxnum)", instruction):
        return "float"
    if instruction.startswith("call _Z7barrier"):
        return "barrier"
    if re.match(r"call _Z\d+get_(local|group|global|num)_", instruction):
        return None
    for kind, names in (("int", INTEGERS), ("cast", CASTS), ("branch", BRANCHES)):
        if instruction in names:
            return kind
    return "call" if instruction.startswith("call ") else "item" if instruction == "ret" else None


def parse(report):
    """Counts of each kernel by column, those of memory also in bytes: {kernel: Counter}."""
    kernels, counts = {}, None
    for line in report.splitlines():
        head = re.match(r"Instructions executed for kernel '(.*)':", line)
        if head:
            counts = kernels.setdefault(head[1], Counter())
            continue
        found = re.match(r" +(\d+) - (.*?)(?: \((\d+) bytes\))?$", line)
        if not found or counts is None:
            continue
        number, what, size = int(found[1]), found[2], found[3]
        if what in MEMORY:
            counts[what] += number
            counts[what + " bytes"] += int(size)
        elif kind_of(what):
            counts[kind_of(what)] += number
        counts["all"] += number
    return kernels


def run_counted(program, optimize):
    environment = {**os.environ, **opencl_devices.counting(optimize)}
    return subprocess.run(program, capture_output=True, text=True, env=environment, check=False)


def compulsory(program, folder):
    """The bytes of all inputs and outputs, and the names of the outputs, as pm-run finds them."""
    path = f"{folder}/bench.json"
    tables.run(["pm-run", *program, "--naive", "--bench=1", f"--bench-json={path}"], made=path)
    with open(path, encoding="utf-8") as file:
        measured = json.load(file)
    return measured["compulsory_bytes"], measured["outputs"]


def count_row(name, benchmark, size, target, options):
    """A row as a flat record. What Oclgrind cannot run when its compiler has optimized it runs as it stands."""
    rows, cols = (int(n) for n in size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        program = program_of(benchmark, size, folder)
        needed, outputs = compulsory(program, folder)
        outs = [f"--out={n}={folder}/{n}.npy" for n in outputs]
        command = ["pm-run", *program, *outs, f"--target={target}", "--no-cache", *options]
        for optimize in (True, False):
            ran = run_counted(command, optimize)
            if ran.returncode == 0:
                break
    record = {"name": name, "size": size, "pixels": rows * cols, "compulsory_bytes": needed, "optimized": optimize}
    if ran.returncode:
        return record | {"error": (ran.stderr.strip() or f"exit status {ran.returncode}").splitlines()[0]}
    return record | {"kernels": {k: dict(c) for k, c in parse(ran.stdout).items()}}


def numbers(counts, pixels, optimized):
    """Cells of a kernel, a pixel of the picture each."""
    cells = [f"{counts['all'] / pixels:.1f}", *[f"{counts[c] / pixels:.2f}" for c in COLUMNS]]
    for what in SHOWN:
        cells += [f"{counts[what] / pixels:.2f}", f"{counts[what + ' bytes'] / pixels:.2f}"]
    return [*cells, f"{counts['barrier'] / counts['item']:.0f}" if optimized and counts["item"] else "-"]


def put_row(record, put_all):
    pixels, kernels = record["pixels"], {k: Counter(c) for k, c in record["kernels"].items()}
    whole = sum(kernels.values(), Counter())
    moved = whole["load global bytes"] + whole["store global bytes"]
    put_cells([f"{record['name']} {record['size']}", *numbers(whole, pixels, False)])
    print(f"  {len(kernels)} kernels, compulsory {record['compulsory_bytes'] / pixels:.2f} bytes a pixel, global traffic "
          f"{moved / record['compulsory_bytes']:.2f} of it{'' if record['optimized'] else '; not optimized'}", flush=True)
    for kernel, counts in kernels.items():
        if put_all or counts["all"] >= 0.01 * whole["all"]:
            put_cells([f"  {kernel}", *numbers(counts, pixels, record["optimized"])])


HEAD = ["", "all", *COLUMNS,
        *[cell for s in ("gl.ld", "gl.st", "loc.ld", "loc.st", "const.ld", "priv.ld") for cell in (s, "bytes")], "barriers"]


def put_counts(benchmarks, sizes, target, options, put_all):
    print(f"Instructions a pixel of the picture, target {target}, on Oclgrind behind its optimizer: all; of floats (a fused")
    print("multiply and add is one); of integers and addresses; conversions; calls of functions; branches; loads and stores of")
    print("global, local, constant and private memory with their bytes. An instruction on a vector counts once. Barriers are")
    print("those of an item. Kernels below a hundredth of the row are only in its first line, unless --all.")
    put_cells(HEAD)
    records = []
    for name, benchmark in benchmarks.items():
        for size in sizes or [SIZES.get(name, SIZE)]:
            records.append(count_row(name, benchmark, size, target, options))
            if "error" in records[-1]:
                print(f"{name} {size}: {records[-1]['error']}", flush=True)
            else:
                put_row(records[-1], put_all)
    return records


def main_count(a, benchmarks):
    if not opencl_devices.has_oclgrind():
        sys.exit("bench/gpu: --count needs Oclgrind: tools/setup --tests")
    return {"rows": put_counts(benchmarks, a.size, a.target, a.options, a.all)}
