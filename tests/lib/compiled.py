"""Pipelines compiled by pmc and called from Python. The arguments are those of the header that pmc writes."""
import ctypes
import os
import re
import subprocess

import numpy as np

GUARD = 64
GARBAGE = 0xA5
CFLAGS = "-O3 -march=native -fopenmp"
COUNT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "count_memory.h")
STACK = 65536  # scratchpads of a tile that are larger together are not on the stack
SCALARS = {"int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "float": ctypes.c_float, "double": ctypes.c_double}


class Failure(Exception):
    pass


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise Failure(f"exit status {result.returncode}: {' '.join(command)}\n{result.stderr}")
    return result


def pointer(array, offset=0):
    return ctypes.c_void_p(array.ctypes.data + offset)


def set_threads(library, threads):
    """Where something is parallel: of the program's pool, or of OpenMP."""
    for name in ("pm_set_threads", "omp_set_num_threads"):
        if hasattr(library, name):
            getattr(library, name)(threads)
            return


def parse_prototype(header):
    """Pairs of type and name; pmc puts a _ behind names that C has already."""
    arguments = re.search(r"^int pipeline\((.*?)\);", header, re.MULTILINE | re.DOTALL).group(1)
    return re.findall(r"([^,]*?)(\w+?)_?\s*(?:,|$)", arguments)


def counting(options):
    """The options, for a program that counts the memory it has allocated."""
    given = [o for o in options if o.startswith("--cflags=")]
    flags = given[-1].removeprefix("--cflags=") if given else CFLAGS
    return [*(o for o in options if o not in given), f"--cflags={flags} -include {COUNT}"]


def link_counting(target_object, path):
    """A shared object of what a target made, whose memory is counted."""
    counted = f"{path}.count.c"
    with open(counted, "w", encoding="utf-8") as file:
        file.write(f'#include "{COUNT}"\nvoid *pm_counted_alloc(size_t, size_t);\nvoid pm_counted_free(void *);\n'
                   "void *pm_counted_alloc(size_t a, size_t n) { return pm_count_alloc(a, n); }\n"
                   "void pm_counted_free(void *p) { pm_count_free(p); }\n")
    renamed = ["--redefine-sym=aligned_alloc=pm_counted_alloc", "--redefine-sym=free=pm_counted_free"]
    run(["objcopy", *renamed, target_object])
    run(["cc", "-O1", "-fPIC", "-c", counted, "-o", f"{path}.count.o"])
    run(["cc", "-shared", "-fopenmp", target_object, f"{path}.count.o", "-o", path, "-lm"])


class Compiled:
    """A function of a shared object at `path`, which the constructor makes; `remarks` is what pmc says. With the target
    llvm object files are linked. Memory of OpenCL's devices is not counted."""

    def __init__(self, source, path, options, target=None):
        self.counts = not (target or "").startswith("opencl")
        if not self.counts:
            self.remarks = self.compile(source, path, [f"--target={target}", "--cflags=-O0", *options])
        elif target:
            self.remarks = self.compile(source, f"{path}.o", [f"--target={target}", *options])
            link_counting(f"{path}.o", path)
        else:
            self.remarks = self.compile(source, path, counting(options))
        self.library = ctypes.CDLL(path)
        self.library.pipeline_scratch_bytes.restype = ctypes.c_int64
        header_path = f"{path}.h" if target == "llvm" else os.path.splitext(path)[0] + ".h"
        with open(header_path, encoding="utf-8") as header:
            self.arguments = parse_prototype(header.read())

    def compile(self, source, path, options):
        return run(["pmc", source, "--name=pipeline", "-o", path, *options]).stderr

    def outputs(self):
        return [name for kind, name in self.arguments if "*" in kind and "const" not in kind]

    def scratch_bytes(self, scalars):
        """With the threads of the last call."""
        values = [argument(kind, name, {}, scalars, {}) for kind, name in self.arguments if "*" not in kind]
        return self.library.pipeline_scratch_bytes(*values)

    def check_memory(self, scalars, threads):
        """The most that the last call has allocated is what the program says, but for the stack and for rounding; it is
        nothing when no tile is computed."""
        if not self.counts:
            return
        most, left, rounding = (ctypes.c_int64() for _ in range(3))
        if hasattr(self.library, "pipeline_release"):  # not where nothing is allocated
            self.library.pipeline_release()
        self.library.pm_count_take(ctypes.byref(most), ctypes.byref(left), ctypes.byref(rounding))
        said, on_stack = self.scratch_bytes(scalars), STACK * threads
        if left.value:
            raise Failure(f"{left.value} bytes are not freed")
        if most.value and not said - on_stack <= most.value <= said + rounding.value:
            raise Failure(f"{most.value} bytes were allocated, but the program says {said}")

    def call(self, inputs, scalars, like, threads):
        """The outputs by name, for outputs as large as `like` has them by name. They lie between guards and start as
        garbage."""
        wholes = {name: np.full(like[name].nbytes + 2 * GUARD, GARBAGE, np.uint8) for name in self.outputs()}
        kept = {name: array.tobytes() for name, array in inputs.items()}
        set_threads(self.library, threads)
        status = self.library.pipeline(*(argument(kind, name, inputs, scalars, wholes) for kind, name in self.arguments))
        if status != 0:
            raise Failure(f"returned {status}")
        self.check_memory(scalars, threads)
        for name, array in inputs.items():
            if array.tobytes() != kept[name]:
                raise Failure(f"wrote to the input '{name}'")
        return {name: inside_of(name, wholes[name], like[name]) for name in wholes}


def argument(kind, name, inputs, scalars, wholes):
    if "*" not in kind:
        return SCALARS[kind.strip()](scalars[name])
    return pointer(wholes[name], GUARD) if name in wholes else pointer(inputs[name])


def inside_of(name, whole, like):
    if (whole[:GUARD] != GARBAGE).any() or (whole[len(whole) - GUARD :] != GARBAGE).any():
        raise Failure(f"wrote outside of '{name}'")
    return whole[GUARD : len(whole) - GUARD].view(like.dtype).reshape(like.shape)


def check_same(name, got, expected):
    if got.shape != expected.shape or got.dtype != expected.dtype:
        raise Failure(f"'{name}' is {got.dtype}{got.shape}, expected {expected.dtype}{expected.shape}")
    if got.tobytes() == expected.tobytes():
        return
    width = f"V{got.dtype.itemsize}"
    bits = [np.frombuffer(a.tobytes(), width).reshape(got.shape) for a in (got, expected)]
    wrong = np.argwhere(bits[0] != bits[1])
    at = tuple(int(i) for i in wrong[0])
    raise Failure(f"'{name}' differs in {len(wrong)} elements, first at {at}: has {got[at]}, expected {expected[at]}")
