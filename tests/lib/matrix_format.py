"""A lit test per row of benchmarks.py: matrix.py on it. And one that every program of bench/pipelines has a row.

Where the target llvm is built, gcc's configuration has a second test for each row that is not slow, of its object files.
Where PoCL and Oclgrind are installed, these rows have a third: the target opencl on Oclgrind, which also finds data
races, divergent barriers and accesses outside of arrays, on the least problem but for OCLGRIND_SMALL; and some a fourth: the
target opencl-cpu on PoCL, which compiles for seconds. ALIKE have neither the second nor the third. With tests/run --all all rows have all of them, in more groupings or
sizes. With clang and with sanitizers there are only small problems, grouped greedily, of the pipelines that are not slow. With
-Dsame_c_as=DIR such tools must also make the same C as those in DIR (-same-c): of these rows with sanitizers; by clang's build
of all, in two groupings, and then nothing is run.
"""
import os
import re
import subprocess
import sys
import tempfile

import lit.formats
import lit.Test

from benchmarks import BENCHMARKS, ROOT
from counted_format import counted
import opencl_devices

COMPLETE = "every-program"
BY_LLVM = "-by-llvm"
ON_POCL = "-on-pocl"
ON_OCLGRIND = "-on-oclgrind"
SAME_C = "-same-c"
POCL_ROWS = ["bilateral", "statistics"]  # and harris, in targets/opencl.test
OCLGRIND_SMALL = ["harris", "bilateral", "histogram", "corners"]
# Long to compile. Of multigrids the cycles and steps are in the other rows, the filter is the same program with 5x5 pixels.
LONG = ["multigrid-2d-v-444", "multigrid-2d-w-1000", "multigrid-3d-v-1000", "multigrid-3d-w-444", "multigrid-3d-w-1000", "bilateral_filter"]
# expand-boundaries resolves modes ahead of targets; stencils like those of gauss5, harris and conv.
ALIKE = ["gauss5-undefined", "gauss5-repeat", "gauss5-mirror", "gauss5-constant", "gauss5_f32-clamp", "harris2x2", "conv_sep"]


class Matrix(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, config):
        features = config.available_features
        names = [COMPLETE, *(name for name in BENCHMARKS if name not in LONG or "long" in features)]
        rows = [name for name, row in BENCHMARKS.items() if not row.slow or "long" in features]
        if config.same_c_as and "clang" in features:
            names = [COMPLETE, *(row + SAME_C for row in BENCHMARKS)]
        elif config.same_c_as:
            names += [row + SAME_C for row in rows]
        others = [row for row in rows if row not in ALIKE or "long" in features]
        if {"gcc", "llvm"} <= set(features):
            names += [row + BY_LLVM for row in others]
        if "opencl" in features:
            names += [row + ON_OCLGRIND for row in others]
            names += [row + ON_POCL for row in (rows if "long" in features else POCL_ROWS)]
        for name in names:
            yield lit.Test.Test(suite, path_in_suite + (name,), config)

    @counted
    def execute(self, test, lit_config):
        name = test.path_in_suite[-1]
        if name == COMPLETE:
            return check_complete()
        features = test.config.available_features
        if name.endswith(BY_LLVM):
            row = name.removesuffix(BY_LLVM)
            strategies = "all,greedy" if "long" in features else "greedy"
            return run_matrix(row, ["--target=llvm", f"--strategies={strategies}"], test)
        if name.endswith((ON_POCL, ON_OCLGRIND)):
            return run_on_device(name, "long" in features, test)
        if name.endswith(SAME_C):
            compilers = [os.path.join(build, "pmc") for build in (test.config.build, test.config.same_c_as)]
            return check_same_c(name.removesuffix(SAME_C), compilers, ("dp", "all") if "clang" in features else ("dp",))
        if BENCHMARKS[name].slow and "gcc" not in features:
            return lit.Test.UNSUPPORTED, ""
        usual = ["--long"] if "long" in features else []
        return run_matrix(name, usual if "gcc" in features else ["--brief"], test)


def run_matrix(name, options, test, environment=None):
    command = [sys.executable, os.path.join(ROOT, "tests", "lib", "matrix.py"), name, *options]
    run = subprocess.run(command, capture_output=True, text=True, env=environment or test.config.environment)
    return (lit.Test.PASS, "") if run.returncode == 0 else (lit.Test.FAIL, run.stdout + run.stderr)


def run_on_device(name, long, test):
    """Passes if values are right and the device has nothing to say."""
    row, _, device = name.rpartition("-on-")
    strategy = "greedy" if device == "pocl" else "device"
    benchmark = BENCHMARKS[row]
    size = benchmark.small if device == "pocl" or row in OCLGRIND_SMALL else benchmark.tiny
    options = [f"--strategies={strategy}"] + ([] if long else [f"--sizes={size}", "--threads=1"])
    if device == "pocl":
        return run_matrix(row, ["--target=opencl-cpu", *options], test)
    with opencl_devices.Oclgrind() as oclgrind:
        environment = {**test.config.environment, **oclgrind.environment}
        result = run_matrix(row, ["--target=opencl", *options], test, environment)
        said = oclgrind.said()
    return (lit.Test.FAIL, result[1] + said) if said else result


def c_of(pmc, name, strategy, folder):
    benchmark = BENCHMARKS[name]
    rows, cols = (int(n) for n in benchmark.odd.split("x"))
    constants = [f"--const={key}={value}" for key, value in benchmark.constants_for(rows, cols).items()]
    path = os.path.join(folder, "a.c")
    subprocess.run([pmc, benchmark.path, "-o", path, f"--strategy={strategy}", *constants], check=True, stderr=subprocess.PIPE)
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_same_c(name, compilers, strategies):
    with tempfile.TemporaryDirectory() as folder:
        for strategy in strategies:
            if len({c_of(pmc, name, strategy, folder) for pmc in compilers}) > 1:
                return lit.Test.FAIL, f"{name} {strategy}: the C differs from that of {compilers[1]}\n"
    return lit.Test.PASS, ""


# The tests of the programs in folders of bench/pipelines.
TESTS_OF_FOLDERS = {"halide": "halide/apps", "hipacc": "hipacc", "imagecl": "imagecl"}


def untested(folder, tests):
    """Programs of the folder that no test names, by its own name or in its text."""
    tests = os.path.join(ROOT, "tests", tests)
    names = [name for name in os.listdir(tests) if name.endswith(".test")]
    words = {name.replace(".test", "") for name in names}
    for name in names:
        with open(os.path.join(tests, name), encoding="utf-8") as file:
            words.update(re.findall(r"\w+", file.read()))
    return {f"{os.path.basename(folder)}/{name}" for name in os.listdir(folder) if name.split(".")[0] not in words}


def check_complete():
    """Each program of bench/pipelines has a row in benchmarks.py, those in folders a test."""
    folder = os.path.join(ROOT, "bench", "pipelines")
    missing = set(os.listdir(folder)) - {benchmark.file for benchmark in BENCHMARKS.values()} - set(TESTS_OF_FOLDERS)
    for name, tests in TESTS_OF_FOLDERS.items():
        missing |= untested(os.path.join(folder, name), tests)
    return (lit.Test.FAIL, f"no row in benchmarks.py, and no test: {sorted(missing)}\n") if missing else (lit.Test.PASS, "")
