"""published.py [--pmc PATH] [--only REGEX] [--reasons] [--values [--cflags FLAGS]] FOLDER…: compiles the programs of
PolyMage's own repositories.

FOLDER has one checked out. For each program in it a line: its file, with the function that builds the pipeline where
one of several is meant, and `compiled` or the reason in one line; then how many compiled, and with --reasons how many
have each reason. With --values a program that compiled is also run, at an odd size, and its values are compared with
those that Python and numpy find by the program's definition (by_definition.py), and with those of C++ that PolyMage
emitted. A program is

  a builder.py       each of its functions build_…, as PolyMage's own apps are called by their main.py
  a polymage_….py    where there is no builder.py beside it, unless another one imports it
  tests/test_….py    each of its functions test_… that calls buildPipeline, or, if none does, the file

Programs are compiled unchanged. What the apps take from the command line is in ARGUMENTS: values of app_data, and the
range of an image where nothing in the program bounds an index that is computed from it.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

SIZES = {"n": 15, "L": 3, "nu1": 2, "nuc": 2, "nu2": 2}
MULTIGRID = " ".join(f"--const app_data.{name}={value}" for name, value in SIZES.items())
# The end of a program's path, and one line of arguments for each way to compile it.
ARGUMENTS = [
    ("multigrid/jacobi2D/builder.py", [f"{MULTIGRID} --const app_data.cycle={cycle}" for cycle in "VW"]),
    ("multigrid/jacobi3D/builder.py", [f"{MULTIGRID} --const app_data.cycle={cycle}" for cycle in "VW"]),
    ("NAS-PB-MG-3.2/builder.py", ["--const app_data.prob_class=S"]),
    ("stencil/jacobi2D/builder.py", ["--const app_data.T=4"]),
    ("stencil/jacobi3D/builder.py", ["--const app_data.T=4"]),
    ("bilateral_grid/builder.py", ["--range input=0:1"]),
    ("bilateral_grid/polymage_bilateral_grid.py", ["--range input=0:1"]),
    ("local_laplacian/builder.py", ["--range img_colour=0:65534"]),
    ("local_laplacian/polymage_laplacian.py", ["--range img_colour=0:65534"]),
    ("tests/test_t_stencil.py", ["--const T=4"]),
]
# The end of a program's path, and what by_definition.py is given: sizes that the program takes, and inputs as it wants them.
CAMERA = "--param R=71 --param C=93 --param colour_temp=3700 --param gamma=2 --param contrast=50 --draw img=0:1023"
VALUES = [
    ("camera_pipe/polymage_camera_pipe.py", CAMERA),
    ("campipe/builder.py", CAMERA),
    ("SIFT/builder.py", "--param R=75 --param C=93"),
    ("pyramid_blend/builder.py", "--param R=75 --param C=93"),
    ("NAS-PB-MG-3.2/builder.py", "--param n=32"),
    ("tests/test_game_of_life.py", "--draw img=0:1"),
]
# C++ that PolyMage emitted, by its path in one of the folders; the programs that it is of, in any of them, by the end of
# their paths; and the sizes for which it is. That of the bilateral grid and of the local Laplacian is of other versions.
CODE = [
    ("harris/harris", ["harris/polymage_harris.py", "img_proc/harris/builder.py"], ""),
    ("unsharp_mask/unsharp_mask", ["unsharp_mask/polymage_unsharp_mask.py"], ""),
    (
        "camera_pipe/camera_pipe",
        ["camera_pipe/polymage_camera_pipe.py", "campipe/builder.py"],
        f"{CAMERA} --param R=1968 --param C=2592",
    ),
    (
        "interpolate/interpolate",
        ["interpolate/polymage_interpolate.py", "interpolate/builder.py"],
        "--param R=2560 --param C=1536",
    ),
    ("pyramid_blending/pyramid_blending", ["pyramid_blend/builder.py"], "--param R=2108 --param C=2108"),
]


def die(message):
    sys.exit(f"published.py: {message}")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def python_files(folder):
    for place, folders, names in sorted(os.walk(folder)):
        folders.sort()
        yield from (os.path.join(place, name) for name in sorted(names) if name.endswith(".py"))


def functions_of(text, word):
    """Names of the functions at top level that begin with a word, with the text of each."""
    parts = re.split(rf"^def ((?!_)\w*)\(", text, flags=re.MULTILINE)
    return [(name, body) for name, body in zip(parts[1::2], parts[2::2]) if name.startswith(word)]


def imports(path, word):
    return re.search(rf"^\s*(from|import) {word}\b", read(path), re.MULTILINE)


def is_part(path):
    """Of another polymage_….py of the same folder."""
    place, name = os.path.split(path)
    others = [other for other in os.listdir(place) if re.fullmatch(r"polymage_\w+\.py", other) and other != name]
    return any(imports(os.path.join(place, other), os.path.splitext(name)[0]) for other in others)


def programs_of(folder):
    """(path, function or None)"""
    for path in python_files(folder):
        place, name = os.path.split(path)
        has_builder = os.path.exists(os.path.join(place, "builder.py"))
        if name == "builder.py":
            yield from ((path, function) for function, _ in functions_of(read(path), "build_"))
        elif name.startswith("polymage_") and not has_builder and not is_part(path):
            yield path, None
        elif is_test(path):
            building = [function for function, body in functions_of(read(path), "test_") if "buildPipeline" in body]
            yield from ((path, function) for function in building or [None])


def is_test(path):
    place, name = os.path.split(path)
    return name.startswith("test_") and os.path.basename(place) == "tests"


def ways_of(path):
    for end, lines in ARGUMENTS:
        if path.endswith(end):
            return [line.split() for line in lines]
    return [[]]


def reason_of(done):
    lines = [line for line in done.stderr.splitlines() if " error: " in line]
    if lines:
        return lines[0]
    return (done.stderr.splitlines() or [f"exit status {done.returncode}"])[-1]


def compile_program(pmc, path, arguments, scratch):
    done = subprocess.run([pmc, path, "-o", os.path.join(scratch, "program.c"), *arguments], capture_output=True, text=True)
    return None if done.returncode == 0 else reason_of(done)


def by_definition(pmc, path, arguments):
    """What it says, a line."""
    tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "by_definition.py")
    environment = os.environ | {"PATH": os.path.dirname(os.path.abspath(pmc)) + os.pathsep + os.environ["PATH"]}
    done = subprocess.run([sys.executable, tool, path, *arguments], capture_output=True, text=True, env=environment)
    return (done.stdout or done.stderr or "no message\n").splitlines()[-1]


def compare_values(pmc, path, arguments, more, folders):
    """What came out for its definition, and for PolyMage's C++ if there is some."""
    given = next((line.split() for end, line in VALUES if path.endswith(end)), [])
    lines = [by_definition(pmc, path, [*arguments, *given, *more])]
    for code, ends, sizes in CODE:
        files = [os.path.join(folder, "apps", f"{code}_polymage_naive.cpp") for folder in folders]
        for file in filter(os.path.exists, files if path.endswith(tuple(ends)) else []):
            lines.append(by_definition(pmc, path, [*arguments, "--naive", file, *sizes.split(), *more]))
    return lines


def kind_of(reason):
    """The reason without its place, names and numbers."""
    text = reason.split(" error: ", 1)[-1]
    return re.sub(r"-?\d+", "N", re.sub(r"@\w+|'[^']*'", "_", re.sub(r" for [a-z_]+ = .*, but", ", but", text)))[:150]


def rows_of(folder, only):
    """(what, path, arguments)"""
    for path, function in programs_of(folder):
        for arguments in ways_of(path):
            what = " ".join([os.path.relpath(path, folder), *([function] if function else []), *arguments])
            if re.search(only, what):
                yield what, path, arguments + ([f"--function={function}"] if function else [])


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--pmc", default=os.path.join(root, "build", "gcc", "pmc"))
    parser.add_argument("--only", default="")
    parser.add_argument("--reasons", action="store_true")
    parser.add_argument("--values", action="store_true")
    parser.add_argument("--cflags")
    options = parser.parse_args()
    reasons, results, totals = collections.Counter(), collections.Counter(), {"apps": [0, 0], "tests": [0, 0]}
    more = [f"--cflags={options.cflags}"] if options.cflags else []
    with tempfile.TemporaryDirectory() as scratch:
        for folder in options.folders:
            if not os.path.isdir(folder):
                die(f"{folder} is no folder")
            for what, path, arguments in rows_of(folder, options.only):
                reason = compile_program(options.pmc, path, arguments, scratch)
                total = totals["tests" if is_test(path) else "apps"]
                total[0] += reason is None
                total[1] += 1
                if reason:
                    reasons[kind_of(reason)] += 1
                line = reason.replace(folder + os.sep, "") if reason else "compiled"
                if options.values and not reason:
                    values = compare_values(options.pmc, path, arguments, more, options.folders)
                    results.update(re.split("[,:]", what)[0] for what in values)
                    line = "; PolyMage's C++: ".join([f"compiled, {values[0]}", *values[1:]])
                print(f"{what}: {line}", flush=True)
    print(", ".join(f"{compiled} of {n} {kind}" for kind, (compiled, n) in totals.items()), "compiled")
    if options.values:
        print(", ".join(f"{count} {result}" for result, count in sorted(results.items())))
    if options.reasons:
        for reason, count in reasons.most_common():
            print(f"{count:4} {reason}")


if __name__ == "__main__":
    main()
