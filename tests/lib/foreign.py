"""Benchmark pipelines made for another processor, linked with a program of theirs and run under an emulator: the same bits
as the interpreter's, but for NaN.

  foreign.py ROW… [--sizes 1x1 …] --triple aarch64-linux-gnu [--target T] [--pmc OPTION…] [--emulator COMMAND] [--loads ROOT]
Rows are those of benchmarks.py. What the target makes has the name end .o; without --target it is C, which the other
processor's gcc compiles. Inputs and outputs go through files of bytes. With --loads no linker has the object: the program
opens it with targets/lib/object.c of the tree ROOT.
"""
import argparse
import functools
import sys
import tempfile

import numpy as np

from benchmarks import BENCHMARKS
from compiled import Failure, check_same, parse_prototype, run
from matrix import Problem, extents

DRIVER = """
#include "pipeline.h"
#include <stdio.h>
#include <stdlib.h>

static void *take(const char *name, size_t bytes) {
  void *data = malloc(bytes + 1);
  FILE *file = fopen(name, "rb");
  if (!data || !file || fread(data, 1, bytes + 1, file) != bytes) exit(2);
  fclose(file);
  return data;
}

static int give(const char *name, const void *data, size_t bytes) {
  FILE *file = fopen(name, "wb");
  return !file || fwrite(data, 1, bytes, file) != bytes || fclose(file);
}

int main(void) {
  int failed = 0;
"""


LOADER = """
#include "targets/lib/object.h"
static __typeof__(&pipeline) load(pm_loaded *loaded) {
  pm_buf file = {0};
  pm_report report = {0};
  pm_build_options options = {0};
  file.data = pm_read_file("pipeline.o", (size_t)1 << 30, &file.len);
  if (file.data && pm_object_open(&file, "pipeline", &options, loaded, &report) == PM_OUTCOME_OK)
    return (__typeof__(&pipeline))loaded->entry;
  fprintf(stderr, "%s\\n", report.error.data ? report.error.data : "there is no object");
  exit(3);
}
"""

# The loader, and what it takes of the library.
LOADER_FILES = [f"targets/lib/{name}.c" for name in ("object", "relocate", "debuggers", "pool")] + [
    f"ir/src/{name}.c" for name in ("support", "fault", "heap")]
WRAPS = ",".join(f"--wrap={name}" for name in ("malloc", "calloc", "realloc", "free", "strdup", "strndup", "abort"))


def one_nan(values):
    """With one NaN for all: the sign of a new one is the processor's."""
    return np.where(np.isnan(values), values.dtype.type(np.nan), values) if values.dtype.kind == "f" else values


def put_argument(problem, kind, name, lines, ends):
    """The expression of an argument; what reads it, and what writes it afterwards."""
    if "*" not in kind:
        return repr(problem.scalars[name])
    array = problem.inputs[name] if "const" in kind else problem.expected[name]
    lines.append(f'  void *{name} = take("{name}.in", {array.nbytes});')
    if "const" not in kind:
        ends.append(f'  failed |= give("{name}.out", {name}, {array.nbytes});')
    return name


def driver_of(a, problem, arguments):
    lines, ends = [], []
    values = [put_argument(problem, kind, name, lines, ends) for kind, name in arguments]
    call = f"  int code = {'load(&loaded)' if a.loads else 'pipeline'}({', '.join(values)});"
    if a.loads:
        lines.append("  pm_loaded loaded;")
        ends.append("  pm_object_close(&loaded);")
    before, main = DRIVER.split("int main")
    text = before + (LOADER if a.loads else "") + "int main" + main
    return text + "\n".join([*lines, call, *ends]) + "\n  return code ? code : failed;\n}\n"


@functools.cache
def loader(triple, root, folder):
    """Objects of the other processor."""
    run(["sh", "-c", f"cd {root} && for f in {' '.join(LOADER_FILES)}; do "
         f"{triple}-gcc -O1 -I. -DXXH_INLINE_ALL -c $f -o {folder}/$(basename $f .c).o || exit 1; done"])
    return [f"{folder}/{file.rpartition('/')[2][:-2]}.o" for file in LOADER_FILES]


def link(a, folder, made):
    flags = ["-O2", "-ffp-contract=off", "-fno-math-errno"]
    if a.loads:
        flags += [f"-I{a.loads}", f"-Wl,{WRAPS}"]
        objects = loader(a.triple, a.loads, a.folder)
    else:
        flags += ["-fopenmp", "-static"]
        objects = [made]
    run([f"{a.triple}-gcc", *flags, "-o", f"{folder}/driver", f"{folder}/driver.c", *objects, "-lm", "-ldl"])


def call(a, problem, arguments, folder):
    for kind, name in arguments:
        if "*" in kind:
            array = problem.inputs[name] if "const" in kind else np.full_like(problem.expected[name], 1)
            np.ascontiguousarray(array).tofile(f"{folder}/{name}.in")
    run(["sh", "-c", f"cd {folder} && OMP_NUM_THREADS=2 exec {a.emulator} ./driver"])
    for kind, name in arguments:
        if "*" in kind and "const" not in kind:
            expected = problem.expected[name]
            got = np.fromfile(f"{folder}/{name}.out", expected.dtype).reshape(expected.shape)
            check_same(name, *(one_nan(values) for values in (got, expected)))


def constants_of(name, size):
    return [f"--const={n}={v}" for n, v in BENCHMARKS[name].constants_for(*extents(size)).items()]


def make(a, name, constants, made):
    target = [f"--target={a.target}", f"--triple={a.triple}"] if a.target else []
    run(["pmc", BENCHMARKS[name].path, "--name=pipeline", "--fp=strict", "-o", made, *target, *constants, *a.pmc])


def try_size(a, name, size, constants, folder, made):
    with open(f"{folder}/pipeline.h", encoding="utf-8") as header:
        arguments = parse_prototype(header.read())
    problem = Problem(BENCHMARKS[name], size, constants, folder)
    problem.interpret([n for kind, n in arguments if "*" in kind and "const" not in kind])
    with open(f"{folder}/driver.c", "w", encoding="utf-8") as file:
        file.write(driver_of(a, problem, arguments))
    link(a, folder, made)
    call(a, problem, arguments, folder)


def try_row(a, name, folder):
    """Calls and failures. Sizes with the same constants have one program."""
    made, compiled, failures = f"{folder}/pipeline.{'o' if a.target else 'c'}", None, 0
    sizes = a.sizes or [BENCHMARKS[name].tiny, BENCHMARKS[name].odd]
    for size in sizes:
        constants = constants_of(name, size)
        try:
            if constants != compiled:
                make(a, name, constants, made)
                compiled = constants
            try_size(a, name, size, constants, folder, made)
        except Failure as failure:
            failures += 1
            print(f"{name} {size}: {failure}")
    return len(sizes), failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="+")
    parser.add_argument("--sizes", nargs="+")
    parser.add_argument("--triple", required=True)
    parser.add_argument("--target")
    parser.add_argument("--pmc", action="append", default=[])
    parser.add_argument("--emulator")
    parser.add_argument("--loads")
    a = parser.parse_args()
    a.emulator = a.emulator or f"qemu-{a.triple.partition('-')[0]}" + (f" -L /usr/{a.triple}" if a.loads else "")
    calls = failures = 0
    with tempfile.TemporaryDirectory() as a.folder:
        for name in a.rows:
            with tempfile.TemporaryDirectory() as folder:
                called, failed = try_row(a, name, folder)
            calls, failures = calls + called, failures + failed
    print(f"{calls} calls, {failures} failures")
    return 1 if failures or not calls else 0


sys.exit(main())
