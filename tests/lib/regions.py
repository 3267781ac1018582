"""The entry for boxes (pmc --regions) beside the whole function: every element equal, bit for bit.

  regions.py [--target c|llvm] [--boxes 20] [--seed 0] [--minimal] [--cflags FLAGS] [--tools DIR] PROGRAM ARGUMENT...
where the arguments are those of pm-run: --const=, --param=, --in=, --fp= and so on; or PROGRAM is the name of a row of
benchmarks.py, or all, and there are no arguments. The program is compiled with one call of the whole function and as
many of random boxes; a partition of the outputs into boxes comes first. Every window ends exactly where NAME_needs says,
in memory of its own, so that the address sanitizer finds what is read beyond; every third one lies in a larger array
with other strides, and every fifth has columns at steps. With --minimal each side of each window is taken away in turn,
and how many of these the result depends on is told. --time ROUNDS compares the time of the whole function with that of a
region that is all of it, at --size ROWSxCOLS of a row; --cflags should be those of a user then.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

from benchmarks import BENCHMARKS

HERE = os.path.dirname(os.path.abspath(__file__))
C_TYPES = {"F32": "float", "F64": "double", "I1": "bool", "INDEX": "int64_t", "F16": "uint16_t", "BF16": "uint16_t"}


def c_type(pm_type):
    if pm_type in C_TYPES:
        return C_TYPES[pm_type]
    return ("int" if pm_type[0] == "I" else "uint") + pm_type[1:] + "_t"


class Header:
    """What the header says of the entry: name, scalars, arrays."""

    def __init__(self, text):
        entry = re.search(r"PM_BUFFER_ENTRY int (\w+)_region\(([^)]*)\)\n\{\n  static const int32_t \w+\[\d+\]\[5\] = "
                          r"\{(.*?)\}, \w+\[\d+\] = \{(.*?)\};", text)
        self.name, parameters, rows, boxes = entry.groups()
        scalars = parameters.partition("const int64_t *")[0]
        self.scalars = re.findall(r"(\w+) (\w+),", scalars)
        self.rows = [[int(n) for n in r.split(", ")[1:4]] + [r.split(", ")[0][8:]]
                     for r in re.findall(r"\{(PM_TYPE_[^}]*)\}", rows + "}")]
        self.boxes = [int(b) for b in boxes.split(", ")]
        self.names = re.findall(r"const pm_buffer \*(\w+)", parameters)


def driver(header, header_file, arguments, inputs, options):
    """The text of main: regions.h has what does not depend on the program."""
    call = "".join(f"{arguments[name]}, " for _, name in header.scalars)
    of_type = [c_type(r[3]) for r in header.rows]
    n = len(header.rows)
    lines = [f'#include "{header_file}"']
    bounds = {b: r[0] for r, b in zip(header.rows, header.boxes) if b >= 0}
    lines.append(f"enum {{ N = {n}, BOUNDS = {sum(2 * r for r in bounds.values())} }};")
    lines.append("static const int32_t rows[N][4] = {" + ", ".join(
        f"{{PM_TYPE_{t}, {rank}, {size}, {read}}}" for rank, size, read, t in header.rows) + "};")
    lines.append("static const int boxes[N] = {" + ", ".join(map(str, header.boxes)) + "};")
    lines.append("static const char *const files[N] = {" + ", ".join(
        f'"{f}"' if f else "NULL" for f in inputs) + "};")
    lines.append(f"static int64_t extent_of(int a, int d) {{ return {header.name}_extent({call}a, d); }}")
    lines.append("static void needs_of(const int64_t *box, int a, int64_t *lo, int64_t *hi) { "
                 f"{header.name}_needs({call}box, a, lo, hi); }}")
    whole = ", ".join(f"({t} *)arrays[{i}]" for i, t in enumerate(of_type))
    lines.append(f"static int whole_of(void **arrays) {{ return {header.name}({call}{whole}); }}")
    windows = ", ".join(f"&b[{i}]" for i in range(n))
    lines.append("static int region_of(const int64_t *box, const pm_buffer *b) { "
                 f"return {header.name}_region({call}box, {windows}); }}")
    lines.append(f'#include "{HERE}/regions.h"')
    lines.append(f"int main(void) {{ return "
                 + (f"measure({options.time})" if options.time else f"check({options.boxes}, {options.seed}, {int(options.minimal)})") + "; }")
    return "\n".join(lines) + "\n"


def raw_inputs(header, folder, given):
    files = []
    for name, (rank, size, read, _) in zip(header.names, header.rows):
        path = None
        if read:
            path = f"{folder}/{name}.raw"
            np.ascontiguousarray(np.load(given[name])).tofile(path)
        files.append(path)
    return files


def scalars_of(header, values):
    """C's numbers of the scalars."""
    missing = [n for _, n in header.scalars if n not in values]
    if missing:
        sys.exit(f"regions.py: no --param for {', '.join(missing)}")
    return {n: values[n] if t.startswith("int") or t == "bool" else f"({t}){float(values[n])!r}"
            for t, n in header.scalars}


def check(options, program, rest, folder):
    """The exit status of what compares the boxes; ends the script where that cannot be built."""
    pmc = os.path.join(options.tools, "pmc") if options.tools else "pmc"
    values = dict(a[8:].split("=", 1) for a in rest if a.startswith("--param="))
    given = dict(a[5:].split("=", 1) for a in rest if a.startswith("--in="))
    passed = [a for a in rest if not a.startswith(("--param=", "--in="))]
    file = "p.c" if options.target == "c" else "p.o"
    fp = [] if any(a.startswith("--fp") for a in passed) else ["--fp=strict"]
    command = [pmc, program, *passed, *fp, "--regions", f"--target={options.target}", "-o", f"{folder}/{file}"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        sys.exit(f"regions.py: {made.stderr}")
    with open(f"{folder}/p.h", encoding="utf-8") as text:
        header = Header(text.read())
    with open(f"{folder}/main.c", "w", encoding="utf-8") as text:
        inputs = raw_inputs(header, folder, given)
        text.write(driver(header, "p.h", scalars_of(header, values), inputs, options))
    flags = ["-std=c11", "-fopenmp", "-w", "-ffp-contract=off", *options.cflags.split()]
    built = subprocess.run(["gcc", *flags, "main.c", file, "-o", "main", "-lm", "-lpthread"], cwd=folder,
                           capture_output=True, text=True, check=False)
    if built.returncode:
        sys.exit(f"regions.py: {built.stderr}")
    ran = subprocess.run(["./main"], cwd=folder, capture_output=True, text=True, check=False,
                         env={**os.environ, "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "2")})
    sys.stdout.write(ran.stdout)
    sys.stderr.write(ran.stderr[-3000:])
    return ran.returncode


def check_row(options, name):
    benchmark = BENCHMARKS[name]
    rows, cols = (int(n) for n in (options.size or benchmark.odd).split("x"))
    with tempfile.TemporaryDirectory() as folder:
        arguments = [f"--const={n}={v}" for n, v in benchmark.constants_for(rows, cols).items()]
        arguments += [f"--param={n}={v}" for n, v in {**benchmark.sizes(rows, cols), **benchmark.scalars}.items()]
        for array, values in benchmark.inputs(rows, cols).items():
            np.save(f"{folder}/{array}.npy", np.ascontiguousarray(values))
            arguments.append(f"--in={array}={folder}/{array}.npy")
        print(f"{name}: ", end="", flush=True)
        return check(options, benchmark.path, arguments, folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", default="c")
    parser.add_argument("--boxes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minimal", action="store_true")
    parser.add_argument("--time", type=int, default=0)
    parser.add_argument("--size", default="")
    parser.add_argument("--cflags", default="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all")
    parser.add_argument("--tools", default="")
    parser.add_argument("program")
    options, rest = parser.parse_known_args()
    names = list(BENCHMARKS) if options.program == "all" else [options.program]
    if names[0] in BENCHMARKS:
        sys.exit(max(check_row(options, name) for name in names))
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(check(options, options.program, rest, folder))


if __name__ == "__main__":
    main()
