"""Compiles a benchmark pipeline twice, as it is and naively, calls the functions on pictures of several sizes and
compares each output, bit by bit, with the interpreter's; and that with numpy's, where there is one.

  check_sizes.py PROGRAM ROWSxCOLS,… [--const=NAME=VALUE…]
Outputs lie between guard elements and start as garbage.
"""
import ctypes
import os
import subprocess
import sys
import tempfile

import numpy as np

from benchmark_inputs import BENCHMARKS
from programs import ROOT

GUARD = 64


def compile_program(source, path, options):
    subprocess.run(["pmc", source, "--name=pipeline", "--fp=strict", "-o", path, *options], check=True)
    return ctypes.CDLL(path).pipeline


def interpret(program, folder, arrays, sizes, scalars):
    """The output."""
    arguments = [f"--param={name}={value}" for name, value in {**sizes, **scalars}.items()]
    for name, array in arrays.items():
        np.save(f"{folder}/{name}.npy", array)
        arguments.append(f"--in={name}={folder}/{name}.npy")
    out = f"{folder}/expected.npy"
    subprocess.run(["pm-interp", f"{folder}/program.pmir", *arguments, f"--out={program.output}={out}"], check=True)
    return np.load(out)


def pointer(array, offset=0):
    return ctypes.c_void_p(array.ctypes.data + offset)


def call(function, expected, arrays, sizes, scalars):
    """None, or what is wrong."""
    whole = np.full(expected.nbytes + 2 * GUARD, 0xA5, np.uint8)
    numbers = [ctypes.c_int32(n) for n in sizes.values()] + [ctypes.c_float(v) for v in scalars.values()]
    status = function(*numbers, *(pointer(a) for a in arrays.values()), pointer(whole, GUARD))
    if status != 0:
        return f"returned {status}"
    if (whole[:GUARD] != 0xA5).any() or (whole[len(whole) - GUARD :] != 0xA5).any():
        return "wrote outside the output"
    return None if whole[GUARD : len(whole) - GUARD].tobytes() == expected.tobytes() else "differs"


def is_near(program, arrays, constants, got):
    if not program.expected:
        return True
    expected = program.expected(arrays, constants)
    if expected.size == 0 or expected.shape != got.shape:
        return expected.size == got.size
    return (np.abs(expected.astype(np.float64) - got) <= program.tolerance).all()


def constants_of(options):
    pairs = (option.split("=")[1:] for option in options if option.startswith("--const="))
    return {name: int(value) for name, value in pairs}


def main():
    name, sizes, options = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
    program = BENCHMARKS[name]
    source = os.path.join(ROOT, "bench", "pipelines", name + ".py")
    total = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["pm-translate", source, "--to=pmir", "-o", f"{folder}/program.pmir", *options], check=True)
        functions = {
            "default": compile_program(source, f"{folder}/default.so", options),
            "naive": compile_program(source, f"{folder}/naive.so", ["--naive", "--cflags=-O1", *options]),
        }
        for size in sizes:
            rows, cols = (int(n) for n in size.split("x"))
            arrays = {n: np.ascontiguousarray(a) for n, a in program.inputs(rows, cols).items()}
            extents = {"R": rows, "C": cols}
            expected = interpret(program, folder, arrays, extents, program.scalars)
            if not is_near(program, arrays, constants_of(options), expected):
                failures += 1
                print(f"{size}: the interpreter's output is not numpy's")
            for variant, function in functions.items():
                problem = call(function, expected, arrays, extents, program.scalars)
                total += 1
                if problem:
                    failures += 1
                    print(f"{size} {variant}: {problem}")
    print(f"{total} calls, {failures} failures")
    sys.exit(1 if failures else 0)


main()
