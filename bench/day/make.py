"""Makes the folder of bench/gpu-day: all that bench/day/run needs on a machine that has a GPU and none of our packages.

  manifest.json    the functions, their arguments and calls
  c/               kernels with C that launches them: of each function by strict rules, of those that are measured as users get it
  cases/           inputs, and the outputs that the interpreter gives
  llvm/            functions by the target llvm, for --cpu
  bench/, tests/   the programs, and what makes their inputs
  bin/, lib/, include/   our tools, the libraries that they and the kernels need, and OpenCL's headers
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests", "lib"), os.path.join(ROOT, "bench"), HERE]

import programs  # noqa: E402
import tables  # noqa: E402
from arguments import pattern  # noqa: E402
from benchmarks import BENCHMARKS  # noqa: E402
from compiled import Failure, run  # noqa: E402
from gpu_rows import ALL, ROWS, SOBEL  # noqa: E402
from matrix import Problem  # noqa: E402

TOOLS = ["pmc", "pm-run", "pm-tune"]
MOST_BYTES = 48 << 20

# Beside the sizes of the table: more lines than offsets of 32 bits take.
TALL = {"gauss5-clamp": "33001x9", "harris": "33001x9"}

MEASURED = ROWS | SOBEL
TUNED = ["gauss5_f32-clamp", "harris", "camera"]

# Of the C library, which every machine has.
SYSTEM = re.compile(r"(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt)[.-]")

TYPES = {"bool": "bool", "float": "float32", "double": "float64"} | {
    f"{u}int{bits}_t": f"{u}int{bits}" for bits in (8, 16, 32, 64) for u in ("", "u")}


def names_of(program, options):
    """Of params, inputs and outputs, as pm-run has them."""
    text = run(["pm-translate", program, "--no-check", *options]).stdout
    return set(re.findall(r"stage\.(?:param|input|output) @(\w+)", text))


def arguments_of(header, names):
    """[use, type, name, rank] of each argument of the function; the use is scalar, in or out. pmc puts a _ behind names that C has."""
    with open(header, encoding="utf-8") as file:
        text = file.read()
    words = re.search(r"^int pipeline\((.*?)\);", text, re.MULTILINE | re.DOTALL)[1]
    for constant, kind, pointer, name in re.findall(r"(const )?(\w+) (\*?)(\w+)\s*(?:,|$)", words):
        shape = re.search(rf"^ \*   {name}: (.*?) of \w", text, re.MULTILINE)
        rank = len(shape[1].split(" x ")) if shape else 0
        own = name if name in names else name.removesuffix("_")
        yield ["scalar" if not pointer else "in" if constant else "out", TYPES[kind], own, rank]


def emit(program, path, options, for_target):
    """The header beside what pmc makes has the arguments."""
    named = [] if program.endswith(".pmir") else ["--name=pipeline"]
    run(["pmc", program, *named, "-o", path, *for_target, *options])
    made = os.path.splitext(path)[0] + ".h"
    return list(arguments_of(made if os.path.exists(made) else f"{path}.h", names_of(program, options)))


def constants_of(benchmark, size):
    rows, columns = (int(n) for n in size.split("x"))
    return [f"--const={n}={v}" for n, v in benchmark.constants_for(rows, columns).items()]


def estimates_of(benchmark, size):
    rows, columns = (int(n) for n in size.split("x"))
    return [f"--estimate={n}={v}" for n, v in benchmark.sizes(rows, columns).items()]


class Folder:
    def __init__(self, path):
        self.path = path
        commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False)
        self.manifest = {"commit": commit.stdout.strip() or "unknown", "functions": {}, "measured": {}, "processor": {}, "refused": {}, "tuned": []}

    def file(self, *names):
        path = os.path.join(self.path, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def relative(self, path):
        return os.path.relpath(path, self.path)

    def carry(self, program):
        """Its path below the folder, where it is copied to."""
        inside = os.path.abspath(program).startswith(os.path.abspath(self.path) + os.sep)
        name = os.path.relpath(program, self.path if inside else ROOT)
        if not inside:
            shutil.copy(program, self.file(name))
        return name

    # --- what is compared ---

    def keep_case(self, function, name, inputs, scalars, outputs):
        path = self.file("cases", f"{name}.npz")
        np.savez_compressed(path, **{f"in_{n}": a for n, a in inputs.items()}, **{f"out_{n}": a for n, a in outputs.items()})
        function["cases"].append({"file": self.relative(path), "scalars": scalars})

    def add_function(self, name, program, options):
        """By strict rules, under which values are the interpreter's; None when the target refuses it."""
        path = self.file("c", f"{name}.c")
        try:
            arguments = emit(program, path, options, ["--target=opencl", "--fp=strict"])
        except Failure as failure:
            self.manifest["refused"][name] = str(failure).splitlines()[1]
            return None
        function = {"source": self.relative(path), "program": self.carry(program), "options": options,
                    "arguments": arguments, "cases": []}
        self.manifest["functions"][name] = function
        return function

    def add_row(self, name):
        benchmark = ALL[name]
        sizes = dict.fromkeys([benchmark.tiny, benchmark.small, benchmark.odd, *([TALL[name]] if name in TALL else [])])
        for size in sizes:
            constants = constants_of(benchmark, size)
            own = name if constants == constants_of(benchmark, benchmark.odd) else f"{name}-{size}"
            program = os.path.normpath(benchmark.path)
            function = self.manifest["functions"].get(own) or self.add_function(own, program, constants)
            if not function:
                return
            outputs = [n for use, _, n, _ in function["arguments"] if use == "out"]
            with tempfile.TemporaryDirectory() as work:
                problem = Problem(benchmark, size, constants, work)
                problem.interpret(outputs)
                self.keep_case(function, f"{own}-{size}", problem.inputs, problem.scalars, problem.expected)

    def renamed(self, path):
        """A copy of a program in IR, whose function has the name of all others."""
        copy = self.file("ir", os.path.basename(path))
        with open(path, encoding="utf-8") as source, open(copy, "w", encoding="utf-8") as file:
            file.write(re.sub(r"stage\.pipeline @\w+", "stage.pipeline @pipeline", source.read()))
        return copy

    def add_program(self, path):
        """Each set of options of a program of tests/programs is a function."""
        stem = os.path.splitext(os.path.basename(path))[0]
        functions, seen, calls = {}, set(), list(programs.calls_of(path))
        path = self.renamed(path) if path.endswith(".pmir") else path
        for options, params, arrays in calls:
            key = tuple(options)
            if key not in functions:
                functions[key] = self.add_function(stem + (f"-{len(functions)}" if functions else ""), path, options)
            called = (key, *params.items(), *((n, a.shape, a.tobytes()) for n, a in arrays.items()))
            if functions[key] and called not in seen:
                seen.add(called)
                name = os.path.splitext(os.path.basename(functions[key]["source"]))[0]
                self.add_call(functions[key], f"{name}-{len(functions[key]['cases'])}", path, options, params, arrays)

    def add_call(self, function, name, program, options, params, arrays):
        """The outputs are those that pm-run finds to be the interpreter's, which also finds the sizes."""
        types = {n: kind for use, kind, n, _ in function["arguments"] if use == "in"}
        if len(types) == 1 and list(arrays) == [""]:
            arrays = {next(iter(types)): arrays[""]}
        with tempfile.TemporaryDirectory() as work:
            command = ["pm-run", program, *options, "--target=c", "--naive", "--cflags=-O1", "--fp=strict", "--check", "--bench=1"]
            for n, array in arrays.items():
                if array.dtype == np.uint8 and types[n].startswith("float"):  # a picture
                    array = (array / np.float32(255)).astype(types[n])
                arrays[n] = np.ascontiguousarray(array, types[n])
                np.save(f"{work}/{n}.npy", arrays[n])
                command.append(f"--in={n}={work}/{n}.npy")
            outputs = [n for use, _, n, _ in function["arguments"] if use == "out"]
            command += [f"--out={n}={work}/out-{n}.npy" for n in outputs] + [f"--param={n}={v}" for n, v in params.items()]
            run([*command, f"--bench-json={work}/bench.json"])
            with open(f"{work}/bench.json", encoding="utf-8") as file:
                sizes = json.load(file)["params"]
            scalars = {n: float(v) for n, v in params.items()} | sizes
            self.keep_case(function, name, arrays, scalars, {n: np.load(f"{work}/out-{n}.npy") for n in outputs})

    # --- what is measured ---

    def add_measured(self, name):
        benchmark = MEASURED[name]
        program = os.path.normpath(benchmark.path)
        path = self.file("c", f"{name}.measured.c")
        options = [*constants_of(benchmark, "4096x4096"), *estimates_of(benchmark, "4096x4096")]
        arguments = emit(program, path, options, ["--target=opencl"])
        self.manifest["measured"][name] = {
            "source": self.relative(path), "program": self.carry(program), "arguments": arguments, "options": options}

    def add_processor(self, name):
        """Compiled by LLVM here, and by pmc and the machine's own C compiler there, for the same groups and tiles."""
        benchmark, size = BENCHMARKS[name], tables.size_of(name)
        program, path = os.path.normpath(benchmark.path), self.file("llvm", f"{name}.so")
        options = [*constants_of(benchmark, size), *estimates_of(benchmark, size)]
        machine = ["--machine", os.path.join(HERE, "processor.json")]  # of --cpu, whose caches are not known here
        arguments = emit(program, path, options, ["--target=llvm", "--cpu=x86-64-v3,x86-64-v4", *machine])
        run(["strip", path])
        self.manifest["processor"][name] = {
            "llvm": self.relative(path), "program": self.carry(program), "arguments": arguments, "options": options,
            "size": size}

    # --- what is carried ---

    def add_tools(self):
        libraries = {}
        for tool in TOOLS:
            path = shutil.which(tool)
            run(["strip", "-o", self.file("bin", tool), path])
            libraries |= dict(re.findall(r"(\S+) => (/\S+)", run(["ldd", path]).stdout))
        libraries["libOpenCL.so.1"] = run(["cc", "-print-file-name=libOpenCL.so.1"]).stdout.strip()
        for name, path in libraries.items():
            if not SYSTEM.match(name):
                shutil.copy(path, self.file("lib", name))
        for header in glob.glob("/usr/include/CL/*.h"):
            shutil.copy(header, self.file("include", "CL", os.path.basename(header)))

    def add_sources(self):
        files = ["bench/device/copy.c", "bench/arguments.py", "bench/gpu_rows.py"]
        files += [f"tests/lib/{name}.py" for name in ("benchmarks", "reference", "reference_apps", "window_reference")]
        files += [os.path.relpath(f, ROOT) for f in glob.glob(f"{HERE}/*") if os.path.isfile(f)]
        for name in files:
            shutil.copy(os.path.join(ROOT, name), self.file(name))
        with open(self.file("run"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\n# See bench/README.md, "A day with a GPU".\n'
                       'exec python3 -B "$(dirname "$0")/bench/day/day.py" "$@"\n')
        os.chmod(self.file("run"), 0o755)
        run(["pmc", os.path.join(ROOT, "bench", "scale.py"), "--target=opencl", "-o", self.file("c", "scale.c")])

    def size(self):
        return sum(os.path.getsize(os.path.join(at, f)) for at, _, files in os.walk(self.path) for f in files)


def fill(folder, wanted, jobs, processor):
    paths = sorted(glob.glob(f"{programs.FOLDER}/*.py") + glob.glob(f"{programs.FOLDER}/*.pmir"))
    stems = {os.path.splitext(os.path.basename(p))[0]: p for p in paths}
    work = [(folder.add_row, n) for n in ALL if wanted.search(n)]
    work += [(folder.add_program, p) for n, p in stems.items() if wanted.search(n)]
    work += [(folder.add_measured, n) for n in MEASURED if wanted.search(n)]
    work += [(folder.add_processor, n) for n in BENCHMARKS if processor and wanted.search(n)]
    if not work:
        sys.exit(f"bench/gpu-day: nothing matches '{wanted.pattern}'")
    folder.add_tools()
    folder.add_sources()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(action, name) for action, name in work]:
            done.result()
    folder.manifest["tuned"] = [n for n in TUNED if wanted.search(n)]


def sorted_by_name(manifest):
    return {k: dict(sorted(v.items())) if isinstance(v, dict) else v for k, v in manifest.items()}


def main():
    parser = argparse.ArgumentParser(prog="bench/gpu-day")
    parser.add_argument("-o", "--output", default=os.path.join(ROOT, "build", "gpu-day"))
    parser.add_argument("--filter", type=pattern, default=re.compile(""))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    a = parser.parse_args()
    if os.path.exists(a.output) and not os.path.exists(os.path.join(a.output, "manifest.json")):
        sys.exit(f"bench/gpu-day: '{a.output}' is there, and was not made by this command")
    above = os.path.dirname(os.path.abspath(a.output))
    os.makedirs(above, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=above, prefix=".gpu-day-") as unfinished:
        folder = Folder(os.path.join(unfinished, "folder"))
        fill(folder, a.filter, a.jobs, "llvm" in run(["pm-translate", "--list-targets"]).stdout)
        with open(folder.file("manifest.json"), "w", encoding="utf-8") as file:
            json.dump(sorted_by_name(folder.manifest), file, indent=1)
        size = folder.size()
        shutil.rmtree(a.output, ignore_errors=True)
        os.rename(folder.path, a.output)
    m = folder.manifest
    print(f"{a.output}: {size / (1 << 20):.1f} MiB; {sum(len(f['cases']) for f in m['functions'].values())} calls of"
          f" {len(m['functions'])} functions by strict rules, {len(m['refused'])} that the target refuses, {len(m['measured'])} rows to"
          f" measure, {len(m['processor'])} on processors")
    for name, why in m["refused"].items():
        print(f"refused: {name}: {why}")
    if size >= MOST_BYTES:
        sys.exit(f"bench/gpu-day: more than {MOST_BYTES >> 20} MiB")


if __name__ == "__main__":
    main()
