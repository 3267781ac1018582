"""What bench/peers/halide prints: generators of Halide as Halide compiles them, in the schedules of their authors, and as we
do, without any and with theirs. See bench/README.md.
"""
import argparse
import contextlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import Callable

PEERS = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(PEERS))

import numpy as np

import peers
from tables import ROOT, geometric_mean, milliseconds, put_cells

from benchmarks import deep_u16, gray_f32, gray_u8
from reference import pixels

OWN = os.path.join(ROOT, "bench", "pipelines", "halide")
CALLS = os.path.join(PEERS, "halide_call.py")

# Ours: the optimizer decides, is told by the program, and is told half.
FREE = {"c": ["--target=c", "--schedule=none"], "llvm": ["--target=llvm", "--schedule=none"]}
FAST = {"fast": ["--target=c", "--schedule=none", "--fp=fast"]}  # what Halide's default allows, too: other sums of floats
OF_OURS = FREE | FAST | {"told": ["--target=c"], "half": ["--target=c", "--const=schedule=3"]}
SAME = {"told": ("halide", "s1"), "half": ("s3",)}  # Halide with the same schedule; the others are beside its best

MEMORY = 8 << 30  # that a generator may take
COPIED_MB = 64  # for the speed of memory
TYPES = {"float": "f4", "double": "f8"} | {f"{s}int{b}_t": f"{s or 'i'}{b // 8}" for s in ("", "u") for b in (8, 16, 32, 64)}


# --- the apps ---


@dataclass(frozen=True)
class App:
    """A generator, and a call of it. `inputs(rows, cols)` gives arrays by name, `shapes(rows, cols)` those of the outputs in
    their order; `may_differ` is the share of the values that may.
    """

    inputs: Callable
    shapes: Callable
    size: str = peers.USUAL_SIZE
    scalars: dict = field(default_factory=dict)
    options: tuple = ()
    may_differ: float = 0
    schedules: tuple = (None,)


def called(make, **names):
    """What `make` gives, under other names."""
    return lambda rows, cols: {names.get(n, n): a for n, a in make(rows, cols).items()}


def whole(rows, cols):
    return [(rows, cols)]


def planes(rows, cols):
    return [(3, rows, cols)]


def inside(ring):
    return lambda rows, cols: [(rows - ring, cols - ring)]


def demosaiced(rows, cols):
    return [(3, (rows - 24) // 32 * 32, (cols - 32) // 32 * 32)]


def planes_u8(rows, cols):
    return {"img": pixels(3, rows, cols)}


def boxes(rows, cols):
    return [(-(-rows // 16), -(-cols // 16)), (rows, cols)]


def apps_of(image, scalars_of_camera, matrices, levels, **common):
    """The seven that Halide has and we have, by the names of their inputs and scalars."""
    def app(make, shapes, **more):
        return App(called(make, img=image, **matrices), shapes, **common, **more)

    laplacian = {levels: 8, "alpha": 1 / 7, "beta": 1.0}
    return {
        "blur": app(deep_u16, inside(2), size=peers.SIZES["blur"]),
        "harris": app(peers.colours, inside(4)),
        "unsharp": app(peers.colours, planes),
        "bilateral_grid": app(gray_f32, whole, scalars={"r_sigma": 0.1}, options=("--range=r_sigma=0.05:1",)),
        "camera_pipe": app(peers.raw, demosaiced, size=peers.SIZES["camera_pipe"], scalars=scalars_of_camera),
        "interpolate": app(peers.with_alpha, planes),
        "local_laplacian": app(peers.colours_u16, planes, scalars=laplacian, may_differ=5e-3),
    }


CAMERA_NAMES = {"strength": "sharpen_strength", "black": "blackLevel", "white": "whiteLevel"}
CAMERA = {CAMERA_NAMES.get(n, n): v for n, v in peers.CAMERA.items()}
HALIDES = apps_of("input", CAMERA, {"m3200": "matrix_3200", "m7000": "matrix_7000"}, "levels")

SCHEDULES = (0, 1, 2, 3)
OURS = apps_of("in", peers.CAMERA, {}, "intensities", schedules=SCHEDULES) | {
    "histeq": App(called(planes_u8, img="in"), planes, schedules=SCHEDULES, may_differ=2e-2),
    "iir_blur": App(called(peers.colours, img="in"), planes, scalars={"alpha": 0.1}, schedules=SCHEDULES),
    "box_pyramid": App(called(gray_u8, img="in"), boxes, schedules=SCHEDULES),
}


# --- compiling ---


def fail(message):
    sys.exit(f"bench/peers/halide: {message}")


class TooLong(Exception):
    """A schedule with which there is no program, or none that ends."""


def seconds_of(command, limit=None):
    """What it takes by the clock, and what it says; TooLong beyond so many seconds, or MEMORY."""
    bound = (lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))) if limit else None
    begin = time.perf_counter()
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=limit, preexec_fn=bound, check=False)
    except subprocess.TimeoutExpired:
        raise TooLong(f"takes more than {limit:.0f} s") from None
    took = time.perf_counter() - begin
    if result.returncode:
        said = (result.stderr or result.stdout).strip()
        if limit:
            raise TooLong(said.splitlines()[-1] if said else f"exit status {result.returncode}")
        fail(f"{' '.join(command)}\n{said}")
    return took, result.stdout + result.stderr


def least_seconds(command, rounds, limit):
    """Of that many runs, where they take less than a second."""
    took = [seconds_of(command, limit)[0]]
    while took[-1] < 1 and len(took) < rounds:
        took.append(seconds_of(command, limit)[0])
    return min(took)


class Halide(peers.Halide):
    """The package, and what it makes of generators; the times that compiling them took are kept beside them."""

    def generator_and_seconds(self, key, source):
        begin = time.perf_counter()
        path = self.generator(key, source)
        took = time.perf_counter() - begin
        if not os.path.exists(f"{path}.seconds") or took > 1:
            with open(f"{path}.seconds", "w", encoding="utf-8") as file:
                file.write(f"{took}")
        with open(f"{path}.seconds", encoding="utf-8") as file:
            return path, float(file.read())

    def program(self, key, source, schedule, limit):
        """A library with the function in one schedule, as halide_call.py takes it, and how long it took."""
        generator, built = self.generator_and_seconds(key, source)
        with open(source, encoding="utf-8") as file:
            registered = re.findall(r"HALIDE_REGISTER_GENERATOR\(\s*\w+\s*,\s*(\w+)", file.read())[-1]
        function = f"halide_{key}" + ("" if schedule is None else f"_{schedule}")
        parameters = [] if schedule is None else [f"schedule={schedule}"]
        command = [generator, "-g", registered, "-f", function, "-n", function, "-o", self.work,
                   "-e", "static_library", f"target={self.target}", *parameters]
        took, _ = seconds_of(command, limit)
        archive, path = f"{self.work}/{function}.a", f"{self.work}/{function}.so"
        seconds_of(["gcc", "-shared", "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", "-lpthread", "-ldl", "-lm",
                    "-o", path])
        return {"library": path, "function": function}, {"generator_s": built, "code_s": took}


@dataclass
class Header:
    """Our function: parameters as pairs of the type, None of an array, and the name; the types of what it writes, and the
    first points of outputs that do not begin at 0, by name.
    """

    function: str
    parameters: list
    outputs: dict
    firsts: dict

    @staticmethod
    def of(source, options, folder):
        path = f"{folder}/header.h"
        _, remarks = seconds_of(["pmc", source, *options, *FREE["c"], "--remarks=all", "-o", path])
        with open(path, encoding="utf-8") as file:
            text = file.read()
        function, declared = re.search(r"^int (\w+)\(([^;]*)\);", text, re.MULTILINE).groups()
        parameters, outputs = [], {}
        for parameter in declared.replace("\n", " ").split(","):
            const, kind, pointer, name = re.match(r"\s*(const )?(\w+) (\*?)(\w+)$", parameter).groups()
            parameters.append((None if pointer else kind, name))
            if pointer and not const:
                outputs[name] = TYPES[kind]
        points = re.findall(r"the first point of (\w+) is \(([^)]*)\)", remarks)
        firsts = {name: [int(i) for i in point.split(",")] for name, point in points}
        return Header(function, parameters, outputs, firsts)


def extents_of(arrays):
    """The parameters that are extents, of arrays or shapes by name."""
    return {f"{name}_extent_{d}": e for name, shape in arrays.items() for d, e in enumerate(reversed(shape))}


class Case:
    """A call of an app: arrays, scalars, and what is compiled for it."""

    def __init__(self, name, app, source, folder, size):
        rows, cols = (int(n) for n in (size or app.size).split("x"))
        self.name, self.app, self.source, self.folder = name, app, source, folder
        self.size = size or app.size
        self.header = Header.of(source, app.options, folder)
        self.inputs = {n: np.ascontiguousarray(a) for n, a in app.inputs(rows, cols).items()}
        for n, a in self.inputs.items():
            np.save(f"{folder}/{n}.npy", a)
        self.shapes = dict(zip(self.header.outputs, app.shapes(rows, cols)))
        self.extents = extents_of({n: a.shape for n, a in self.inputs.items()}) | extents_of(self.shapes)
        self.programs, self.compiling, self.skipped = {}, {}, {}

    def compulsory_bytes(self):
        """Of the inputs and outputs, each once."""
        outputs = [np.dtype(self.header.outputs[n]).itemsize * int(np.prod(s)) for n, s in self.shapes.items()]
        return sum(a.nbytes for a in self.inputs.values()) + sum(outputs)

    def add_ours(self, rounds, limit):
        scalars = self.extents | {n: v for n, v in self.app.scalars.items() if isinstance(v, int)}
        options = [*self.app.options, *[f"--estimate={n}={v}" for n, v in scalars.items()]]
        for name in ours_of(self.app):
            choice = OF_OURS[name]
            path = f"{self.folder}/{name}.so"
            program = {"library": path, "function": self.header.function, "parameters": self.header.parameters}
            command = ["pmc", self.source, *options, *choice, "-o", path]
            with self.unless_too_long(name):
                self.compiling[name] = {"code_s": least_seconds(command, rounds, limit if name not in FREE | FAST else None)}
                self.add_program(name, program, limit)

    def add_program(self, name, program, limit):
        """Where a call of it ends in time."""
        self.run({name: program}, 1, 0, limit)
        self.programs[name] = program

    @contextlib.contextmanager
    def unless_too_long(self, name):
        try:
            yield
        except TooLong as why:
            self.skipped[name] = str(why)

    def add_halides(self, halide, key, limit):
        for schedule in self.app.schedules:
            name = "halide" if schedule is None else f"s{schedule}"
            with self.unless_too_long(name):
                program, self.compiling[name] = halide.program(key, self.source, schedule, limit)
                self.add_program(name, program, limit)

    def run(self, programs, threads, seconds, limit=None):
        """What halide_call.py finds; the values are compared with those of the first program."""
        outputs = {n: {"type": self.header.outputs[n], "shape": s, "first": self.header.firsts.get(n, [0] * len(s))}
                   for n, s in self.shapes.items()}
        case = {"inputs": {n: f"{self.folder}/{n}.npy" for n in self.inputs}, "outputs": outputs, "programs": programs,
                "scalars": self.extents | self.app.scalars, "seconds": seconds}
        words = {"HL_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads), "GOMP_SPINCOUNT": "20000"}
        try:
            result = subprocess.run([sys.executable, CALLS], input=json.dumps(case), capture_output=True, text=True,
                                    timeout=limit, env=os.environ | words, check=False)
        except subprocess.TimeoutExpired:
            raise TooLong(f"a call takes more than {limit:.0f} s") from None
        if result.returncode:
            said = result.stderr.strip().splitlines() or [f"exit status {result.returncode}"]
            if limit:
                raise TooLong(said[-1])
            fail(f"{self.name}: {said[-1]}")
        return json.loads(result.stdout)

    def measure(self, threads, rounds, seconds):
        """Of each program, the least of some processes; and the differences of the values."""
        runs = [self.run(self.programs, threads, seconds) for _ in range(rounds)]
        record = {"name": self.name, "size": self.size, "threads": threads, "differences": runs[0]["differences"],
                  "compulsory_bytes": self.compulsory_bytes()}
        record["programs"] = {
            name: {key: min(r["programs"][name][key] for r in runs) for key in ("s", "median_s", "processor_s")}
            for name in self.programs}
        return record


def copy_speeds(folder, threads):
    """GB/s, read and written, of a copy with ordinary stores and with non-temporal ones."""
    program = f"{folder}/copy"
    if not os.path.exists(program):
        seconds_of(["gcc", "-O2", "-fopenmp", f"{PEERS}/copy.c", "-o", program])
    return [float(n) for n in seconds_of([program, str(COPIED_MB), str(threads)])[1].split()]


# --- printing ---


def unit_of(threads):
    """With one thread the time of the processor, for machines that do other things, too."""
    return "processor_s" if threads == 1 else "s"


def ratios_of(record):
    """Of each of ours, Halide in the same schedule over it, or in its best."""
    unit = unit_of(record["threads"])
    times = {n: p[unit] for n, p in record["programs"].items()}
    halides = {n: t for n, t in times.items() if n not in OF_OURS}
    peers_of = {n: [halides[s] for s in SAME.get(n, halides) if s in halides] for n in OF_OURS if n in times}
    return {n: min(p) / times[n] for n, p in peers_of.items() if p}


def ours_of(app):
    return [n for n in OF_OURS if n != "half" or app.schedules != (None,)]


def columns_of(apps):
    app = next(iter(apps.values()))
    return ["halide" if s is None else f"s{s}" for s in app.schedules] + ours_of(app)


def mean_of(name, ratios):
    found = [r[name] for r in ratios if name in r]
    return f"{geometric_mean(found):.3f}" if found else "-"


def share_of_roofline(record, copies):
    """In percent, of our better program without a schedule: the time that a copy of the compulsory bytes takes."""
    times = [p["s"] for n, p in record["programs"].items() if n in FREE]
    return f"{100 * record['compulsory_bytes'] / (1e9 * max(copies)) / min(times):.0f}" if times else "-"


def better_of(names, ratios):
    """The geometric mean of the best of these of ours, of the apps that Halide and we have; how many."""
    best = [max(r[n] for n in names if n in r) for r in ratios if any(n in r for n in names)]
    mean = f"{geometric_mean(best):.3f}, of {len(best)}" if best else "-"
    return f"of the best of {', '.join(names)}: {mean}"


def put_times(records, columns, copies):
    threads = records[0]["threads"]
    what = "least processor time of a call" if threads == 1 else "least time of a call"
    print(f"\n{threads} thread{'s' if threads > 1 else ''}: {what}, in turn, in ms; Halide over ours")
    print(f"roofline: what a copy of inputs and outputs would take at the faster of {copies[0]:.1f} GB/s (stores) and "
          f"{copies[1]:.1f} (non-temporal ones), as a share of the better of ours")
    ours = [n for n in columns if n in OF_OURS]
    put_cells(["", *columns, *[f"/ {n}" for n in ours], "  roof %"])
    for r in records:
        times = [milliseconds(r["programs"].get(n, {}).get(unit_of(threads))) for n in columns]
        ratios = ratios_of(r)
        put_cells([f"{r['name']} {r['size']}", *times, *[f"{ratios[n]:.2f}" if n in ratios else "-" for n in ours],
                   share_of_roofline(r, copies)])
    ratios = [ratios_of(r) for r in records]
    put_cells(["geometric mean", *["" for _ in columns], *[mean_of(n, ratios) for n in ours]])
    print(better_of(FREE, ratios))
    print(better_of(FREE | FAST, ratios), flush=True)


def put_values(records):
    print("\nValues, beside those of Halide's first schedule: how many are not equal, how many are too far (floats: by more")
    print("than 1e-5 of the greatest), the most, the greatest value, and where the most is")
    put_cells(["", "unequal", "far", "far %", "most", "greatest", "  at"])
    for record in records:
        for program, outputs in list(record["differences"].items())[1:]:
            for output, d in outputs.items():
                label = f"{record['name']} {output}: {program}"
                put_cells([label, str(d["unequal"]), str(d["differing"]), f"{100 * d['differing'] / d['values']:.2g}",
                           f"{d['most']:.3g}", f"{d['greatest']:.3g}", f"  {d['place']}"])


def put_compiling(cases, columns):
    print("\nFrom text to code, in s: Halide's generator by the C++ compiler, its run in each schedule, and ours")
    put_cells(["", "g++", *columns])
    for case in cases:
        built = next((c["generator_s"] for c in case.compiling.values() if "generator_s" in c), None)
        times = [case.compiling.get(n, {}).get("code_s") for n in columns]
        put_cells([case.name, *["-" if s is None else f"{s:.2f}" for s in [built, *times]]])
        for name, why in case.skipped.items():
            print(f"  {name}: {why[:160]}")


def failures_of(records):
    for record in records:
        for program, outputs in record["differences"].items():
            for output, d in outputs.items():
                if d["differing"] > record["may_differ"] * d["values"]:
                    yield f"{record['name']}: {d['differing']} of {d['values']} values of {output} by {program} differ"


# --- the whole ---


def source_of(a, name):
    if a.own:
        return os.path.join(OWN, f"{name}.cpp")
    if not a.apps:
        fail(f"give --apps, the folder apps of Halide's sources ({peers.CLONE}), or --own, which needs none")
    paths = [os.path.join(a.apps, name, f"{stem}_generator.cpp") for stem in (name, f"halide_{name}")]
    for path in paths:
        if os.path.exists(path):
            return path
    return fail(f"there is no {paths[0]}; --apps is the folder apps after {peers.CLONE}")


def arguments():
    parser = argparse.ArgumentParser(prog="bench/peers/halide")
    parser.add_argument("names", nargs="*", metavar="APP")
    parser.add_argument("--apps", default=os.environ.get("HALIDE_APPS"))
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--python")
    parser.add_argument("--target", default="host")
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--size")
    parser.add_argument("--json")
    a = parser.parse_args()
    known = OURS if a.own else HALIDES
    for name in a.names:
        if name not in known:
            fail(f"there is no '{name}', but {', '.join(known)}")
    return a, {n: known[n] for n in a.names or known}


def main():
    a, apps = arguments()
    sources = {name: source_of(a, name) for name in apps}
    halide = Halide(a.python or peers.own_python(), a.target)
    print(f"Halide {halide.version} for {a.target}; ours: c and llvm without a schedule, beside the best of Halide; told with "
          "that of the program (s1), half with half of it (s3), beside Halide with the same", flush=True)
    columns, cases, records = columns_of(apps), [], []
    with tempfile.TemporaryDirectory() as work:
        for name, app in apps.items():
            folder = f"{work}/{name}"
            os.mkdir(folder)
            case = Case(name, app, sources[name], folder, a.size)
            case.add_halides(halide, f"own_{name}" if a.own else name, a.limit)
            case.add_ours(a.rounds, a.limit)
            cases.append(case)
            print(f"{name} is compiled", file=sys.stderr, flush=True)
        for threads in a.threads:
            measured = [c.measure(threads, a.rounds, a.seconds) | {"may_differ": c.app.may_differ} for c in cases]
            if not records:
                put_values(measured)
            put_times(measured, columns, copy_speeds(work, threads))
            records += measured
    put_compiling(cases, columns)
    compiling = {c.name: {"seconds": c.compiling, "skipped": c.skipped} for c in cases}
    if a.json:
        with open(a.json, "w", encoding="utf-8") as file:
            json.dump({"apps": records, "compiling": compiling}, file, indent=2)
    failures = list(failures_of(records))
    for failure in failures:
        print(f"bench/peers/halide: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
