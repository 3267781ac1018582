"""What bench/peers/run prints: Halide's apps, in the schedules of their authors, beside our programs of them. See
bench/README.md.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

import tables
from tables import ROOT, milliseconds, program_of, put_cells

import reference_apps
from benchmarks import Benchmark, deep_u16, flags, gray_f32, inner
from reference import F, pixels, unit

PEERS = os.path.join(ROOT, "bench", "peers")
WORK = os.path.join(ROOT, "build", "peers")
PACKAGE = "halide<22"
CLONE = "git clone --depth 1 --branch v21.0.0 https://github.com/halide/Halide"


# --- the apps ---


def colours(rows, cols):
    """Above 0, since unsharp divides by gray."""
    return {"img": np.maximum(unit(pixels(3, rows, cols)), F(1 / 255))}


def colours_u16(rows, cols):
    return {"img": pixels(3, rows, cols).astype(np.uint16) * np.uint16(257)}


def with_alpha(rows, cols):
    return {"img": np.concatenate([unit(pixels(3, rows, cols)), flags(9, rows, cols, 8)[None]])}


def raw(rows, cols):
    matrices = {"m3200": reference_apps.MATRIX_3200, "m7000": reference_apps.MATRIX_7000}
    return {"img": reference_apps.raw_picture(rows, cols).astype(np.uint16)} | matrices


CAMERA = {"color_temp": 3700.0, "gamma": 2.0, "contrast": 50.0, "strength": 1.0, "black": 25, "white": 1023}


def app(name, inputs, odd="41x57", **more):
    return Benchmark(f"../peers/{name}.py", inputs, odd=odd, **more)


APPS = {
    "harris": app("harris", colours),
    "unsharp": app("unsharp", colours),
    "blur": app("blur", deep_u16, sizes=inner),
    "interpolate": app("interpolate", with_alpha),
    "bilateral_grid": app("../pipelines/bilateral_halide", gray_f32, scalars={"r_sigma": 0.1}),
    "camera_pipe": app("camera_pipe", raw, odd="91x101", scalars=CAMERA),
    "local_laplacian": app("local_laplacian", colours_u16, scalars={"alpha": 1 / 7, "beta": 1.0}),
}

# Rows and columns of the inputs: those of the pictures that the apps come with, or of their estimates.
SIZES = {"blur": "4802x6402", "camera_pipe": "1968x2592"}
USUAL_SIZE = "2560x1536"

# Values that may differ, as a share of all: a float that rounds otherwise is the index of another element of a table,
# or another integer.
MAY_DIFFER = {"local_laplacian": 5e-3}


# --- Halide ---


def fail(message):
    sys.exit(f"bench/peers/run: {message}")


def run(command, what):
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except OSError as why:
        fail(f"{what}: {why}")
    if result.returncode != 0:
        fail(f"{what}: {' '.join(command)}\n{result.stdout}{result.stderr}".rstrip())
    return result.stdout


def generator_source(apps, name):
    """The file of the app in Halide's folder of apps."""
    for stem in (name, f"halide_{name}"):
        path = os.path.join(apps, name, f"{stem}_generator.cpp")
        if os.path.exists(path):
            return path
    missing = f"{name}/{name}_generator.cpp"
    return fail(f"--halide-apps is '{apps}', in which there is no {missing}; it is the folder apps after {CLONE}")


class Halide:
    """The package, and what is built with it: generators, and libraries with functions of our names."""

    def __init__(self, python, target):
        self.target = target
        where = "import halide, importlib.metadata as m; print(m.version('halide')); print(halide.__path__[0])"
        found = run([python, "-c", where], f"{python} has no package halide ('{PACKAGE}')")
        self.version, self.root = found.splitlines()
        self.work = os.path.join(WORK, f"halide-{self.version}-{target}")
        os.makedirs(self.work, exist_ok=True)

    def generator(self, name, source):
        """The program that writes the app's code. It takes long to compile, so it is kept."""
        path = f"{self.work}/{name}.generator"
        if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(source):
            libraries = [f"{self.root}/lib64/libHalide_GenGen.a", f"-L{self.root}/lib64", "-lHalide"]
            includes = [f"-I{self.root}/include", f"-I{self.root}/share/tools"]
            run(["g++", "-std=c++17", "-fno-rtti", "-w", *includes, source, *libraries,
                 f"-Wl,-rpath,{self.root}/lib64", "-o", path], f"{name}: its generator does not compile")
        return path

    def library(self, name, source):
        """A shared object with the app in its authors' schedule, called as our program is."""
        function, path = f"halide_{name}", f"{self.work}/{name}.so"
        generator = os.path.basename(source).removesuffix("_generator.cpp")
        run([self.generator(name, source), "-g", generator, "-f", function, "-n", function, "-o", self.work,
             "-e", "static_library,c_header", f"target={self.target}"], f"{name}: its generator fails")
        run(["gcc", "-O2", "-fPIC", "-shared", f"-I{self.root}/include", f"-I{self.work}", f"{PEERS}/{name}.c",
             f"{self.work}/{function}.a", "-lpthread", "-ldl", "-lm", "-o", path], f"{name}: its library is not made")
        return path


def own_python():
    """Of a virtual environment with the package, which is made once."""
    python = f"{WORK}/venv/bin/python"
    if not os.path.exists(f"{WORK}/venv/made"):
        run([sys.executable, "-m", "venv", f"{WORK}/venv"], "no virtual environment")
        run([python, "-m", "pip", "install", "-q", PACKAGE], f"pip does not install '{PACKAGE}'")
        open(f"{WORK}/venv/made", "w", encoding="utf-8").close()
    return python


# --- measuring ---


def measure_app(name, library, threads, seconds):
    """A row as a flat record; OpenMP's threads are asked not to spin while Halide's work."""
    os.environ |= {"HL_NUM_THREADS": str(threads), "GOMP_SPINCOUNT": "20000"}
    size = SIZES.get(name, USUAL_SIZE)
    with tempfile.TemporaryDirectory() as folder:
        program = program_of(APPS[name], size, folder)
        measured = tables.Machine(threads, False).measure(program, [library], folder, f"{seconds}s")
    ours, expert = measured["variants"]
    record = {"name": name, "size": size, "threads": threads, "first_s": ours["first_s"], "values": measured["values"]}
    for which, variant in (("ours", ours), ("expert", expert)):
        record |= {f"{which}_s": variant["min_s"], f"{which}_median_s": variant["median_s"]}
        record |= {f"{which}_processor_s": variant["processor_s"]}
    return record | {"differing": expert["differing"], "compile_s": ours["compile_s"], "cc_s": ours["cc_s"]}


def is_different(record):
    return record["differing"] > MAY_DIFFER.get(record["name"], 0) * record["values"]


def put_row(record, unit):
    ours, expert = (record[f"{n}_{unit}"] for n in ("ours", "expert"))
    put_cells([f"{record['name']} {record['size']}", milliseconds(ours), milliseconds(expert), f"{expert / ours:.2f}",
               milliseconds(record["first_s"]), f"{100 * record['differing'] / record['values']:.2g}"])


def put_table(libraries, threads, seconds, unit):
    """The records; those whose values differ have no row."""
    what = "middle of the processor times of calls" if unit == "processor_s" else "least time of a call"
    print(f"\n{threads} thread{'s' if threads > 1 else ''}: {what}, in turn, in ms; expert over ours;")
    print("our first call in ms; percent of the values that differ")
    put_cells(["", "ours", "expert", "ratio", "first", "differ"])
    records = []
    for name, library in libraries.items():
        records.append(measure_app(name, library, threads, seconds))
        if is_different(records[-1]):
            put_cells([f"{name} {records[-1]['size']}", "-"])
        else:
            put_row(records[-1], unit)
    ratios = [r[f"expert_{unit}"] / r[f"ours_{unit}"] for r in records if not is_different(r)]
    if ratios:
        print(f"The geometric mean of the ratios is {tables.geometric_mean(ratios):.3f}", flush=True)
    return records


def put_tables(libraries, a):
    """The status to exit with."""
    unit = "processor_s" if a.cpu else "s"
    records = [r for threads in a.threads for r in put_table(libraries, threads, a.seconds, unit)]
    if a.json:
        with open(a.json, "w", encoding="utf-8") as file:
            json.dump({"apps": records}, file, indent=2)
    different = [r for r in records if is_different(r)]
    for r in different:
        print(f"bench/peers/run: {r['name']}: {r['differing']} of {r['values']} values differ from those of Halide",
              file=sys.stderr)
    return 1 if different else 0


def measure(a):
    sources = {name: generator_source(a.halide_apps, name) for name in a.apps}
    halide = Halide(a.python or own_python(), a.target)
    print(f"Halide {halide.version} for {a.target}, in the schedules of the apps' authors, and ours", flush=True)
    return put_tables({name: halide.library(name, source) for name, source in sources.items()}, a)


# --- without Halide ---


def check(names):
    """Our programs, for a small problem, against the interpreter: every bit."""
    for name in names:
        size = APPS[name].odd
        with tempfile.TemporaryDirectory() as folder:
            program = program_of(APPS[name], size, folder)
            found = run(["pm-run", *program, "--check", "--fp=strict", "--cflags=-O0 -fopenmp"], name)
        print(f"{name} {size}: {found}", end="", flush=True)
    return 0


def names_of(text):
    names = text.split(",")
    for name in names:
        if name not in APPS:
            raise argparse.ArgumentTypeError(f"there is no '{name}', but {', '.join(APPS)}")
    return names


def arguments():
    parser = argparse.ArgumentParser(prog="bench/peers/run")
    parser.add_argument("--apps", type=names_of, default=list(APPS))
    parser.add_argument("--halide-apps")
    parser.add_argument("--python")
    parser.add_argument("--target", default="host")
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2])
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json")
    return parser.parse_args()


def main():
    a = arguments()
    if a.check:
        return check(a.apps)
    if not a.halide_apps:
        fail(f"give --halide-apps, the folder apps of Halide's sources ({CLONE}), or --check, which needs no Halide")
    return measure(a)


if __name__ == "__main__":
    sys.exit(main())
