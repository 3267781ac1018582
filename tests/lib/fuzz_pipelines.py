"""Random pipelines (random_pipeline.py) through the whole compiler, with random options.

  fuzz_pipelines.py [--seeds 0..99,109] [--configs 2] [--sizes 2] [--jobs 1] [--tools DIR] [--keep DIR] [--no-c]
                    [--slow 30] [--cflags FLAGS] [--round-trip-every 1] [--quiet]
For every seed the reference interpreter's outputs are compared, bit by bit, with
  - the stages after inline-stages and after infer-domains,
  - the loops that lower-poly makes, and the loops after the generic passes, step by step: a trap is a failure,
  - the C, with 1 and 2 threads; the outputs lie between guard bytes.
The text after every pass must print the same again. `--configs` sets of options and `--sizes` sets of sizes are drawn
from the seed. --tools takes the tools from another build, --no-c leaves the C out (then a build with sanitizers is of
use), --slow says after how many seconds of processor time a compilation is a failure, --keep keeps the files of
failures. A refusal of the compiler is no failure; refusals are counted by their message.
A longer run:
  fuzz_pipelines.py --seeds 1000..2999 --configs 3 --sizes 3 --jobs 2 --keep /tmp/failures
and with --cflags "-O1 -fopenmp -w -fsanitize=undefined -fno-sanitize-recover=all".
"""
import argparse
import collections
import ctypes
import glob
import multiprocessing
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import traceback

import numpy as np

import pipeline_text
import random_pipeline

LENGTHS = [1, 2, 3, 5, 17, 40]
GUARD = 64
DTYPES = {"f32": "float32", "f64": "float64"}
CTYPES = {
    "u8": ctypes.c_uint8,
    "u16": ctypes.c_uint16,
    "i32": ctypes.c_int32,
    "u32": ctypes.c_uint32,
    "i64": ctypes.c_int64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}
TIMEOUT = 300
WARNINGS = "-Wall -Wextra -Werror -Wno-type-limits -Wno-maybe-uninitialized".split()


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
        return result.stdout
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
        self.options, self.folder = options, folder
        self.pipeline = random_pipeline.make(seed)
        self.original = os.path.join(folder, "original.pmir")
        with open(self.original, "w", encoding="utf-8") as file:
            file.write(self.pipeline.text)
        self.calls = [self.make_call(i) for i in range(options.sizes)]
        self.slowest = 0.0

    def tool(self, name):
        return os.path.join(self.options.tools, name) if self.options.tools else name

    # --- arguments ---

    def make_call(self, number):
        """The params and inputs of a call, in a folder of its own with what the reference interpreter makes of it."""
        folder = os.path.join(self.folder, f"call{number}")
        os.mkdir(folder)
        params = {}
        for name, kind in self.pipeline.params:
            least = self.pipeline.lowest.get(name)
            if name == "K":
                params[name] = self.rng.randint(0, 3)
            elif least is not None:
                step = 2 if name in self.pipeline.even else 1
                params[name] = self.rng.choice([n * step for n in LENGTHS if n >= least])
            else:
                params[name] = 0.75
        arrays = {}
        for stage in self.pipeline.inputs:
            arrays[stage.name] = self.random_array(stage, params)
            np.save(os.path.join(folder, f"{stage.name}.npy"), arrays[stage.name])
        return folder, params, arrays

    def random_array(self, stage, params):
        shape, dtype = [d.extent(params) for d in stage.dims], dtype_of(stage.types[0])
        generator = np.random.default_rng(self.rng.randrange(1 << 30))
        if dtype.kind == "f":
            return (generator.integers(-512, 512, shape) / 256).astype(dtype)
        if self.rng.random() < 0.5:
            return generator.integers(0, 100, shape).astype(dtype)
        limits = np.iinfo(dtype)
        return generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)

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

    def random_options(self, number):
        rng = self.rng
        tile = "x".join(str(rng.choice([1, 3, 4, 5, 7, 8, 13, 32])) for _ in range(rng.choice([0, 1, 2, 2, 2, 3])))
        group = "strategy=" + (["greedy", "all"] + [rng.choice(["none", "greedy", "all"])] * number)[number % 3]
        if rng.random() < 0.3:
            group += f" max-size={rng.choice([2, 3, 4])}"
        if rng.random() < 0.6:
            group += f" overlap={rng.choice([0, 100, 1000, 100000])}"
        if tile and rng.random() < 0.5:
            group += f" tile={tile}"
        storage = f"stack-limit={rng.choice([0, 64, 65536])}"
        return {"rfactor": f"partials={rng.choice([2, 3, 16])}", "group": group, "tile": f"sizes={tile}", "storage": storage}

    def generic_passes(self, most):
        """`,canonicalize,cse` and the like."""
        names = ["canonicalize", "cse", "licm", "dce"]
        return "".join(f",{self.rng.choice(names)}" for _ in range(self.rng.randint(0, most)))

    def random_passes(self, number):
        """The default pipeline with random options; often with more inlining or none, and with other generic passes."""
        text = pipeline_text.with_options(pipeline_text.default_pipeline(), **self.random_options(number))
        pick = self.rng.random()
        if pick < 0.25:
            text = text.replace("inline-stages,", "")
        elif pick < 0.5:
            inlining = f"inline-stages{{max-ops={self.rng.choice([1, 8, 30, 1000])}}}"
            text = text.replace("inline-stages", inlining + self.generic_passes(4))
        if self.rng.random() < 0.3:
            text = text.partition("lower-poly")[0] + "lower-poly" + self.generic_passes(6)
        return text

    def compile(self, number):
        """The folder with the text after every pass."""
        folder = os.path.join(self.folder, f"config{number}")
        pipeline = self.random_passes(number)
        with open(os.path.join(self.folder, f"config{number}.txt"), "w", encoding="utf-8") as file:
            file.write(pipeline + "\n")
        begin = children_seconds()
        final = os.path.join(self.folder, f"final{number}.pmir")
        command = [self.tool("pm-opt"), self.original, f"--pass-pipeline={pipeline}", f"--dump-ir={folder}"]
        command += ["-o", final]
        run(*command, refusable=True)
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
        if run(self.tool("pm-opt"), "--split-input-file", path) != text:
            raise Failure(f"{path} prints differently the second time")

    def check_config(self, number):
        folder, final = self.compile(number)
        if number % self.options.round_trip_every == 0:
            self.check_round_trip(folder)
        for name in ["inline-stages", "infer-domains", "lower-poly"]:
            for path in glob.glob(f"{folder}/*-{name}.pmir"):
                if number == 0 or name == "lower-poly":
                    self.compare(path)
        self.compare(final)
        if not self.options.no_c:
            self.check_c(final, number)

    # --- the C ---

    def check_c(self, final, number):
        source, library = (os.path.join(self.folder, f"c{number}.{suffix}") for suffix in ("c", "so"))
        run(self.tool("pm-translate"), final, "--to=c", "--pass-pipeline=cse", "-o", source)
        flags = ["-std=c11", *WARNINGS, "-ffp-contract=off", "-fPIC", "-shared", *self.options.cflags.split()]
        run("cc", *flags, source, "-o", library, "-lm")
        loaded = ctypes.CDLL(library)
        for call in self.calls:
            for threads in (1, 2):
                omp_set_threads(loaded, threads)
                self.check_call(loaded.p, call, f"{library} on {call[0]} with {threads} threads")

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


def omp_set_threads(library, threads):
    """Does nothing for a library that has no parallel loop."""
    if hasattr(library, "omp_set_num_threads"):
        library.omp_set_num_threads(threads)


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
            found.append(("refusal", first_error(str(refusal)) + "\n" + str(refusal)))
        except Exception:
            found.append(("failure", traceback.format_exc()))
    return found + [("seconds", str(case.slowest))]


def check_apart(arguments):
    """Checks a seed in a process of its own, as the C may crash."""
    seed, options = arguments
    folder = tempfile.mkdtemp(prefix=f"seed{seed}-", dir=options.keep or None)
    log = os.path.join(folder, "log.txt")
    child = os.fork()
    if child == 0:
        found = check_seed(seed, options, folder)
        with open(log, "w", encoding="utf-8") as file:
            file.write("\0".join(f"{kind}\n{message}" for kind, message in found))
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if status != 0:
        found = [("failure", f"the compiled code ends with wait status {status}")]
    else:
        found = [tuple(part.split("\n", 1)) for part in read(log).split("\0") if part]
    if not (options.keep and any(kind != "seconds" for kind, _ in found)):
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
    parser.add_argument("--slow", type=float, default=30)
    parser.add_argument("--round-trip-every", type=int, default=1)
    parser.add_argument("--quiet", action="store_true")
    return parser.parse_args()


def seeds_of(text):
    """The numbers of a list like 0..9,14."""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("..")
        found += range(int(first), int(last or first) + 1)
    return found


def main():
    options = arguments()
    seeds = seeds_of(options.seeds)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    failures, refusals, seconds = 0, collections.Counter(), []
    with multiprocessing.Pool(options.jobs) as pool:
        for seed, folder, found in pool.imap_unordered(check_apart, [(seed, options) for seed in seeds]):
            for kind, message in found:
                if kind == "failure":
                    failures += 1
                    print(f"seed {seed} ({folder}): {message}", flush=True)
                elif kind == "seconds":
                    seconds.append((float(message), seed))
                else:
                    refusals[message.split("\n")[0]] += 1
                    if not options.quiet:
                        print(f"seed {seed} ({folder}) refused: {message}", flush=True)
    for message, count in refusals.most_common():
        print(f"{count} refused: {message}")
    slowest = ", ".join(f"{time:.1f} s (seed {seed})" for time, seed in sorted(seconds)[:-4:-1])
    print(f"slowest compilations: {slowest}")
    print(f"{len(seeds)} seeds, {failures} failures, {sum(refusals.values())} refusals")
    sys.exit(1 if failures else 0)


main()
