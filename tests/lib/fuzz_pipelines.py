"""Random pipelines (random_pipeline.py) through the whole compiler, under random schedules.

  fuzz_pipelines.py [--seeds 0..99,109] [--configs 2] [--sizes 2] [--jobs 1] [--tools DIR] [--keep DIR] [--no-c]
                    [--slow 30] [--cflags FLAGS] [--target NAME] [--parallel pool|openmp] [--threads 1,2]
                    [--between 1] [--quiet] [--limit SECONDS] [--features]
For every seed the reference interpreter's outputs are compared, bit by bit, with
  - the loops after the whole pipeline, step by step: a trap is a failure,
  - the C, with 1 and 2 threads; the outputs lie between guard bytes,
  - and for every `--between`-th seed (0: none) the stages after inline-stages and after infer-domains and the loops that
    lower-poly makes; there the text after every pass must print the same again.
`--configs` sets of options and `--sizes` sets of sizes are drawn from the seed. --tools takes the tools from another
build, --no-c leaves the C out (then a build with sanitizers is of use), --target takes the object files of another
target in its place, or what the targets opencl and opencl-cpu compute on the device of the environment (nothing else
then), --slow says after how many seconds of processor time a compilation is a failure, --keep keeps the files of failures, --limit begins no
seed later. A refusal of the compiler is no failure; refusals are counted by their message. What the pipelines and their
schedules had is counted at the end; with --features, one that none had is a failure.
A longer run:
  fuzz_pipelines.py --seeds 1000..2999 --configs 3 --sizes 3 --jobs 2 --keep /tmp/failures
and with --cflags "-O1 -fopenmp -w -fsanitize=undefined -fno-sanitize-recover=all".
"""
import argparse
import collections
import ctypes
import glob
import math
import multiprocessing
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import numpy as np

import pipeline_text
import random_pipeline
from compiled import set_threads

LENGTHS = [1, 2, 3, 5, 17, 40, 70]
MOST_POINTS = 20000  # of all stages of a call, where smaller sizes are allowed
GUARD = 64
DTYPES = {"f32": "float32", "f64": "float64"}
CTYPES = {
    "u8": ctypes.c_uint8,
    "i8": ctypes.c_int8,
    "i16": ctypes.c_int16,
    "u16": ctypes.c_uint16,
    "i32": ctypes.c_int32,
    "u32": ctypes.c_uint32,
    "i64": ctypes.c_int64,
    "u64": ctypes.c_uint64,
    "index": ctypes.c_int64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}
OF_DEVICE = re.compile(r"math\.(sin|cos|tan|exp|log|pow|a?sinh?|a?cosh?|a?tanh?2?)\b")  # whose bits are the device's
OPENCL_PASSES = ["storage", "rfactor", "group", "tile", "lower_poly"]  # in the pipelines of its targets
TIMEOUT = 1200
WARNINGS = "-Wall -Wextra -Werror -Wno-type-limits -Wno-maybe-uninitialized".split()
TILES = [1, 1, 2, 3, 4, 5, 7, 8, 13, 32, 100, 1000]
MACHINES = sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines", "*.json")))
PIPELINE_FEATURES = """rank 0,rank 1,rank 2,rank 3,rank 4,ranks mixed,tuple,several outputs,output read inside,dead stage,
needed by four,reads four,chain of ten,param in a domain,param in an index,index modulo,index from the other end,
computed index,remainder of any sum,computed index with a mode,guard,default,parity cases,update,choice of tuples,update that reads its stage,
mode stated by the input,clamp of an input,repeat of an input,mirror of an input,mirror101 of an input,
constant of an input,clamp of a stage,repeat of a stage,mirror of a stage,mirror101 of a stage,constant of a stage,
stencil along 1 dimensions,stencil along 2 dimensions,stencil along 3 dimensions,every 2th point,every 3th point,at 2x + 1,2 points of one,
3 points of one,each phase its case,channels become one,one becomes channels,transpose,scan along rows,
scan along columns,recurrence of second order,integral image,wavefront,two buffers in turn,reduction to one value,
reduction to fewer dimensions,two reductions of the same points,histogram,pyramid of 2 levels,pyramid of 3 levels,pyramid of 4 levels,pyramid of 5 levels,
pyramid of 6 levels,pyramid with skip connections,wavelet pair,wavelet pair and back,parities of different strides,
window with borders,planes of offsets,scans both ways,scans with transposes,costly stage at several offsets,
table looked up,constant,look-up in a constant,type i1,type f16,type bf16,type u8,type i8,type u16,type i16,
type u32,type i32,type i64,type u64,type f32,type f64""".replace("\n", "").split(",")
SCHEDULE_FEATURES = {  # by a remark that the schedule has
    "several stages in tiles": r"\[tile\] passed: ([2-9]|\d\d+) stages",
    "five stages in tiles": r"\[tile\] passed: ([5-9]|\d\d+) stages",
    "tiles of a group's own": r"\[group\] passed: .* in tiles of",
    "groups by lot": r"\[group\] passed: .* by lot",
    "groups of least cost": r"\[group\] passed: .* at a cost of",
    "tiles in cones": r"\[tile\] analysis: the tiles are cones",
    "split tiles": r"\[tile\] passed: .* in split tiles",
    "diamond tiles": r"\[tile\] passed: .* in diamond tiles",
    "steps inside a tile": r"\[tile\] passed: a tile is computed in steps of",
    "folded scratchpad": r"\[storage\] passed: .* lives in a ring of",
    "scratchpad on the stack": r"\[storage\] passed: .* stack\)",
    "scratchpad of a thread": r"\[storage\] passed: .* thread\)",
    "memory shared": r"\[share-storage\] passed: .* share memory",
    "array between groups": r"\[storage\] missed: .* is stored in a whole array",
    "borders split off": r"\[peel-borders\] passed: a case of",
    "stage inlined": r"\[inline-stages\] passed",
    "reductions joined": r"\[join-reductions\] passed",
    "partial results": r"\[rfactor\] passed",
    "version for other sizes": r"\[version-sizes\] passed",
}


class Failure(Exception):
    pass


class Refusal(Exception):
    pass


def dtype_of(kind):
    return np.dtype(DTYPES.get(kind) or kind.replace("u", "uint").replace("i", "int").replace("uintnt", "uint"))


def run(*command, refusable=False):
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        raise Failure(f"more than {TIMEOUT} s: {' '.join(command)}")
    if result.returncode == 0:
        return result
    message = f"exit status {result.returncode}: {' '.join(command)}\n{result.stderr}"
    raise Refusal(result.stderr) if refusable and result.returncode == 1 else Failure(message)


def children_seconds():
    """Processor time of the processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Case:
    """One seed: its pipeline, its arguments and what is expected of it."""

    def __init__(self, seed, options, folder):
        self.rng = random.Random(-1 - seed)
        self.options, self.folder, self.seed = options, folder, seed
        self.pipeline = random_pipeline.make(seed)
        self.original = os.path.join(folder, "original.pmir")
        with open(self.original, "w", encoding="utf-8") as file:
            file.write(self.decided_for(random.Random(seed)) + "{\n" + self.pipeline.text + "}\n")
        self.calls = [self.make_call(i) for i in range(options.sizes)]
        self.slowest = 0.0
        self.features = collections.Counter(self.pipeline.features.keys())

    def tool(self, name):
        return os.path.join(self.options.tools, name) if self.options.tools else name

    @staticmethod
    def decided_for(rng):
        """The module of a machine and of a usual size."""
        return f'builtin.module attributes {{machine = "{rng.choice(MACHINES)}", size = {rng.choice([40, 300, 1024])} : index}} '

    # --- arguments ---

    def make_call(self, number):
        """The params and inputs of a call, in a folder of its own with what the reference interpreter makes of it."""
        folder = os.path.join(self.folder, f"call{number}")
        os.mkdir(folder)
        params = self.draw_params(LENGTHS)
        for most in (17, 5, 3):
            if sum(self.points(stage, params) for stage in self.pipeline.inputs + self.pipeline.funcs) <= MOST_POINTS:
                break
            params = self.draw_params([n for n in LENGTHS if n <= most])
        with open(os.path.join(folder, "params.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(f"{name}={value}" for name, value in params.items()) + "\n")
        arrays = {}
        for stage in self.pipeline.inputs:
            arrays[stage.name] = self.random_array(stage, params)
            np.save(os.path.join(folder, f"{stage.name}.npy"), arrays[stage.name])
        return folder, params, arrays

    def draw_params(self, lengths):
        params = {}
        for name, _ in self.pipeline.params:
            least = self.pipeline.lowest.get(name)
            if name == "K":
                params[name] = self.rng.randint(0, 3)
            elif least is not None:
                step = 2 if name in self.pipeline.even else 1
                params[name] = self.rng.choice([n * step for n in lengths if n >= least])
            else:
                params[name] = 0.75
        return params

    def points(self, stage, params):
        return math.prod(d.extent(params) for d in stage.dims)

    def random_array(self, stage, params):
        shape, dtype = [d.extent(params) for d in stage.dims], dtype_of(stage.types[0])
        generator = np.random.default_rng(self.rng.randrange(1 << 30))
        if dtype.kind == "f":
            return np.asarray(generator.integers(-512, 512, shape) / 256, dtype)
        if self.rng.random() < 0.5:
            return np.asarray(generator.integers(0, 100, shape), dtype)
        limits = np.iinfo(dtype)
        return np.asarray(generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True))

    def call_options(self, call):
        folder, params, arrays = call
        options = []
        for name, value in params.items():
            options += ["--param", f"{name}={value}"]
        for name in arrays:
            options += ["--in", f"{name}={folder}/{name}.npy"]
        return options

    def outputs(self):
        """The names of the arrays."""
        return [name for stage in self.pipeline.outputs for name, _ in stage.arrays()]

    def interpret_original(self):
        for call in self.calls:
            outputs = [o for n in self.outputs() for o in ("--out", f"{n}={call[0]}/{n}.npy")]
            run(self.tool("pm-interp"), self.original, *self.call_options(call), *outputs)

    def compare(self, path):
        for call in self.calls:
            run(self.tool("pm-interp"), self.original, f"--compare={path}", *self.call_options(call))

    # --- the passes ---

    def random_group(self, tile):
        rng = self.rng
        strategy = rng.choice(["random"] * 5 + ["all", "all", "greedy", "none", "dp"])
        text = f"strategy={strategy}"
        if strategy == "random":
            text += f" seed={rng.randrange(1000)}"
        if strategy == "dp":
            text += f' cost={rng.choice(["jb", "roofline"])} jam={["false", "true"][self.seed % 2]}'
        if rng.random() < 0.3:
            text += f" max-size={rng.choice([2, 3, 4])}"
        if rng.random() < 0.6:
            text += f" overlap={rng.choice([0, 100, 1000, 100000])}"
        return text + (f" tile={tile}" if tile and rng.random() < 0.5 else "")

    def random_options(self):
        rng = self.rng
        tile = "x".join(str(rng.choice(TILES)) for _ in range(rng.choice([0, 1, 2, 2, 2, 3])))
        own = rng.choice(["", "", " own=false", " own=tile"]) + rng.choice(["", "", "", " shape=cone", " shape=split", " shape=diamond"])
        inner = [rng.choice([1, 1, 2, 3, 64]) for _ in range(rng.randint(0, min(2, tile.count("x") + bool(tile))))]
        own += f" inner={'x'.join(map(str, inner))}" if inner else ""
        return {
            "storage": f"stack-limit={rng.choice([0, 64, 65536])} fold={rng.choice(['true', 'true', 'false'])}",
            "select_lookups": f"most={[1, 16, 256][self.seed % 3]}",
            "split_lookups": f"least={rng.choice([0, 4])} lanes={[1, 8, 16][self.seed % 3]}",
            "mark_isolate": f"max-ops={rng.choice([1, 280])}",
            "mark_jam": f"rows={[2, 1, 4, 3][self.seed // 2 % 4]} least={[0, 40][self.seed % 2]}",
            "mark_prefetch": f"lines={rng.choice([0, 1, 8])} ahead={[0, 0, 1, 3][self.seed % 4]}",
            "mark_nontemporal": f"percent={[0, 100][self.seed % 2]} least=0",
            "strip_rows": f"most={[64, 256][self.seed // 4 % 2]}",
            "rfactor": f"partials={rng.choice([2, 3, 16])}",
            "group": self.random_group(tile),
            "tile": f"sizes={tile}{own}",
            "lower_poly": f"operations={rng.choice([1, 10000, 3000000])}",
        }

    def generic_passes(self, most):
        """`,canonicalize,cse` and the like."""
        names = ["canonicalize", "cse", "licm", "dce"]
        return "".join(f",{self.rng.choice(names)}" for _ in range(self.rng.randint(0, most)))

    def random_passes(self):
        """The default pipeline with random options; often with more inlining or none, and with other generic passes."""
        text = pipeline_text.with_options(pipeline_text.default_pipeline(), **self.random_options())
        pick = self.rng.random()
        if pick < 0.4:
            text = text.replace("inline-stages,", "")
        elif pick < 0.5:
            inlining = f"inline-stages{{max-ops={self.rng.choice([1, 8, 30, 1000])}}}"
            text = text.replace("inline-stages", inlining + self.generic_passes(4))
        if self.seed % 3 == 0:
            text += ",list-schedule{registers=0}"
        if self.rng.random() < 0.2:
            text = text.partition("lower-poly")[0] + "stage.pipeline(expand-statements),lower-poly" + self.generic_passes(6)
        return self.with_versions(text) if "dispatch-versions" in text else text

    def with_versions(self, text):
        """Every fifth seed has a version for small values of one of its params, which some of the calls have."""
        names = [name for name, _ in self.pipeline.params if self.pipeline.lowest.get(name) is not None]
        if self.seed % 5 != 1 or not names:
            return text
        name = names[self.seed // 5 % len(names)]
        return f'version-sizes{{sizes="{name}={[1, 4][self.seed // 10 % 2]}"}},{text}'

    def note_schedule(self, remarks):
        for feature, pattern in SCHEDULE_FEATURES.items():
            self.features[feature] += bool(re.search(pattern, remarks))

    def compile(self, number, between):
        """The folder with the text after every pass, and the file of the loops."""
        folder = os.path.join(self.folder, f"config{number}")
        pipeline = self.random_passes()
        with open(os.path.join(self.folder, f"config{number}.txt"), "w", encoding="utf-8") as file:
            file.write(pipeline + "\n")
        begin = children_seconds()
        final = os.path.join(self.folder, f"final{number}.pmir")
        command = [self.tool("pm-opt"), self.original, f"--pass-pipeline={pipeline}", "--remarks", "-o", final]
        self.note_schedule(run(*command, *([f"--dump-ir={folder}"] if between else []), refusable=True).stderr)
        seconds = children_seconds() - begin
        self.slowest = max(self.slowest, seconds)
        if seconds > self.options.slow:
            raise Failure(f"took {seconds:.1f} s: {' '.join(command)}")
        return folder, final

    def check_round_trip(self, folder):
        text = "\n// -----\n\n".join(read(path) for path in sorted(glob.glob(f"{folder}/*.pmir")))
        path = os.path.join(folder, "all.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        if run(self.tool("pm-opt"), "--split-input-file", path).stdout != text:
            raise Failure(f"{path} prints differently the second time")

    def check_between(self, folder, number):
        self.check_round_trip(folder)
        if glob.glob(f"{folder}/*-version-sizes.pmir"):
            return  # several functions of which none is all
        for name in ["inline-stages", "infer-domains", "lower-poly"]:
            for path in glob.glob(f"{folder}/*-{name}.pmir"):
                if number == 0 or name == "lower-poly":
                    self.compare(path)

    def check_config(self, number):
        if (self.options.target or "").startswith("opencl"):
            self.check_opencl(number)
            return
        between = self.options.between and self.seed % self.options.between == 0
        folder, final = self.compile(number, between)
        if between:
            self.check_between(folder, number)
        self.compare(final)
        if not self.options.no_c and self.pipeline.portable:
            self.check_c(final, number)

    # --- the C ---

    def check_c(self, final, number):
        library = os.path.join(self.folder, f"c{number}.so")
        if self.options.target:
            self.link_object(final, library)
        else:
            self.compile_c(final, library)
        self.check_library(library)

    def check_opencl(self, number):
        """The target's own pipeline with random options, on the device that the environment names."""
        with open(self.original, encoding="utf-8") as file:
            if self.options.no_c or not self.pipeline.portable or OF_DEVICE.search(file.read()):
                return
        library = os.path.join(self.folder, f"opencl{number}.so")
        passes = {name.replace("_", "-"): options for name, options in self.random_options().items() if name in OPENCL_PASSES}
        if self.rng.random() < 0.3:
            passes["group"] = "strategy=dp cost=device"
        if self.rng.random() < 0.5:
            passes["tile"] += " worker=item" + ("" if "inner=" in passes["tile"] else " inner=1")
        sets = [f"--set={name}{{{option}}}" for name, options in passes.items() for option in options.split() if not option.endswith("=")]
        run(self.tool("pmc"), self.original, f"--target={self.options.target}", "--cflags=-O0", *sets, "-o", library, refusable=True)
        self.check_library(library)

    def check_library(self, library):
        loaded = ctypes.CDLL(library)
        for call in self.calls:
            for threads in self.options.threads:
                set_threads(loaded, threads)
                self.check_call(loaded.p, call, f"{library} on {call[0]} with {threads} threads")

    def parallel(self):
        return [f"--parallel={self.options.parallel}"] if self.options.parallel else []

    def compile_c(self, final, library):
        source = library.removesuffix(".so") + ".c"
        run(self.tool("pm-translate"), final, "--to=c", *self.parallel(), "--pass-pipeline=cse", "-o", source)
        flags = ["-std=c11", *WARNINGS, "-ffp-contract=off", "-fPIC", "-shared", *self.options.cflags.split()]
        run("cc", *flags, source, "-o", library, "-lm")

    def link_object(self, final, library):
        made = library.removesuffix(".so") + ".o"
        run(self.tool("pmc"), final, f"--target={self.options.target}", *self.parallel(), "--pass-pipeline=cse", "-o", made)
        run("cc", "-shared", "-fopenmp", made, "-o", library, "-lm")

    def check_call(self, function, call, where):
        folder, params, arrays = call
        expected = {n: np.load(os.path.join(folder, f"{n}.npy")) for n in self.outputs()}
        outputs = {name: guarded(a) for name, a in expected.items()}
        kinds = dict(self.pipeline.params)
        arguments = [CTYPES[kinds[name]](value) for name, value in params.items()]
        arguments += [pointer(a) for a in arrays.values()] + [pointer(a) for a, _ in outputs.values()]
        status = function(*arguments)
        if status != 0:
            raise Failure(f"{where} returned {status}")
        for name, (got, whole) in outputs.items():
            if not ((whole[:GUARD] == 0xA5).all() and (whole[len(whole) - GUARD :] == 0xA5).all()):
                raise Failure(f"{where} wrote outside '{name}'")
            if got.tobytes() != expected[name].tobytes():
                raise Failure(f"{where}: '{name}' differs from {folder}/{name}.npy")


def guarded(like):
    """An array of garbage with guard bytes around it, and the whole of it."""
    whole = np.full(like.nbytes + 2 * GUARD, 0xA5, np.uint8)
    return whole[GUARD : GUARD + like.nbytes].view(like.dtype).reshape(like.shape), whole


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def first_error(text):
    """The message without names, numbers and what the location is."""
    lines = [line for line in text.splitlines() if "error:" in line] or [text]
    return re.sub(r"-?\d+", "N", re.sub(r"@\w+", "@f", lines[0].partition("error:")[2].strip()))[:160]


def check_seed(seed, options, folder):
    """(kind, message) of what is wrong with the seed."""
    found = []
    case = None
    try:
        case = Case(seed, options, folder)
        case.interpret_original()
    except Failure as failure:
        return [("failure", str(failure))]
    for number in range(options.configs):
        try:
            case.check_config(number)
        except Failure as failure:
            found.append(("failure", str(failure)))
        except Refusal as refusal:
            found.append(("refusal", first_error(str(refusal))))
        except Exception:
            found.append(("failure", traceback.format_exc()))
    found += [("feature", name) for name, count in case.features.items() if count]
    return found + [("seconds", str(case.slowest))]


def check_apart(arguments):
    """Checks a seed in a process of its own, as the C may crash."""
    seed, options, last = arguments
    if time.monotonic() > last:
        return seed, "", [("left out", "")]
    folder = tempfile.mkdtemp(prefix=f"seed{seed}-", dir=options.keep or None)
    log = os.path.join(folder, "log.txt")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            found = check_seed(seed, options, folder)
            with open(log, "w", encoding="utf-8") as file:
                file.write("\0".join(f"{kind}\n{message}" for kind, message in found))
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)  # whatever happened: behind this is the parent's work
    status = os.waitpid(child, 0)[1]
    if status != 0:
        found = [("failure", f"the compiled code ends with wait status {status}")]
    else:
        found = [tuple(part.split("\n", 1)) for part in read(log).split("\0") if part]
    if not (options.keep and any(kind in ("failure", "refusal") for kind, _ in found)):
        shutil.rmtree(folder)
    return seed, folder, found


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0..99")
    parser.add_argument("--configs", type=int, default=2)
    parser.add_argument("--sizes", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tools", default="")
    parser.add_argument("--keep", default="")
    parser.add_argument("--no-c", action="store_true")
    parser.add_argument("--cflags", default="-O1 -march=native -fopenmp")
    parser.add_argument("--target")
    parser.add_argument("--parallel")
    parser.add_argument("--slow", type=float, default=30)
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2])
    parser.add_argument("--between", type=int, default=1)
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--limit", type=float, default=1e9)
    parser.add_argument("--features", action="store_true")
    return parser.parse_args()


def seeds_of(text):
    """The numbers of a list like 0..9,14."""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("..")
        found += range(int(first), int(last or first) + 1)
    return found


class Report:
    """Counts and prints what is found."""

    def __init__(self, options):
        self.options, self.seeds, self.failures = options, 0, 0
        self.refusals, self.features, self.seconds = collections.Counter(), collections.Counter(), []

    def add(self, seed, folder, found):
        self.seeds += not any(kind == "left out" for kind, _ in found)
        for kind, message in found:
            if kind == "failure":
                self.failures += 1
                print(f"seed {seed} ({folder}): {message}", flush=True)
            elif kind == "seconds":
                self.seconds.append((float(message), seed))
            elif kind == "feature":
                self.features[message] += 1
            elif kind == "refusal":
                self.refusals[message] += 1
                if not self.options.quiet:
                    print(f"seed {seed} ({folder}) refused: {message}", flush=True)

    def add_features(self):
        names = PIPELINE_FEATURES + list(SCHEDULE_FEATURES)
        print("seeds with each: " + ", ".join(f"{name} {self.features[name]}" for name in names))
        missing = [name for name in names if not self.features[name]]
        if missing and self.options.features:
            self.failures += 1
            print(f"no seed has: {', '.join(missing)}")

    def finish(self):
        """Whether all is well."""
        for message, count in self.refusals.most_common():
            print(f"{count} refused: {message}")
        slowest = ", ".join(f"{time:.1f} s (seed {seed})" for time, seed in sorted(self.seconds)[:-4:-1])
        print(f"slowest compilations: {slowest}")
        self.add_features()
        print(f"{self.seeds} seeds, {self.failures} failures, {sum(self.refusals.values())} refusals")
        return self.failures == 0


def main():
    options = arguments()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    report, last = Report(options), time.monotonic() + options.limit
    with multiprocessing.Pool(options.jobs) as pool:
        for result in pool.imap_unordered(check_apart, [(seed, options, last) for seed in seeds_of(options.seeds)]):
            report.add(*result)
    sys.exit(0 if report.finish() else 1)


if __name__ == "__main__":
    main()
