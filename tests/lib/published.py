"""published.py [--pmc PATH] [--only REGEX] [--reasons] FOLDER…: compiles the programs of PolyMage's own repositories.

FOLDER has one checked out. For each program in it a line: its file, with the function that builds the pipeline where one
of several is meant, and `compiled` or the reason in one line; then how many compiled, and with --reasons how many have
each reason. A program is

  a builder.py       each of its functions build_…, as PolyMage's own apps are called by their main.py
  a polymage_….py    where there is no builder.py beside it, unless another one imports it
  tests/test_….py    each of its functions test_… that calls buildPipeline; the others test PolyMage's classes

Programs are compiled unchanged. What the apps take from the command line is ARGUMENTS: values of app_data, and the range
of an image where nothing in the program bounds an index that is computed from it.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

MULTIGRID = "--const app_data.n=15 --const app_data.L=3 --const app_data.nu1=2 --const app_data.nuc=2 --const app_data.nu2=2"
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


def is_imported(path):
    """By a program of the same folder."""
    word = os.path.splitext(os.path.basename(path))[0]
    others = [other for other in python_files(os.path.dirname(path)) if other != path]
    return any(re.search(rf"^\s*(from|import) {word}\b", read(other), re.MULTILINE) for other in others)


def programs_of(folder):
    """(path, function or None)"""
    for path in python_files(folder):
        name, text = os.path.basename(path), read(path)
        place = os.path.dirname(path)
        if name == "builder.py":
            yield from ((path, function) for function, _ in functions_of(text, "build_"))
        elif name.startswith("polymage_") and not os.path.exists(os.path.join(place, "builder.py")):
            if os.path.basename(place) != "sandbox" and not is_imported_as_part(path):
                yield path, None
        elif name.startswith("test_") and os.path.basename(place) == "tests":
            named = functions_of(text, "test_")
            building = [function for function, body in named if "buildPipeline" in body]
            yield from ((path, function) for function in building)
            if not building:
                yield path, None


def is_imported_as_part(path):
    """Another polymage_….py has it as a part; a main.py only calls it."""
    word = os.path.splitext(os.path.basename(path))[0]
    place = os.path.dirname(path)
    parts = [other for other in os.listdir(place) if re.fullmatch(r"polymage_\w+\.py", other) and word not in other]
    return any(re.search(rf"^\s*(from|import) {word}\b", read(os.path.join(place, other)), re.MULTILINE) for other in parts)


def ways_of(path, function):
    for end, lines in ARGUMENTS:
        if path.endswith(end):
            return [line.split() for line in lines]
    return [[]]


def reason_of(done):
    lines = [line for line in done.stderr.splitlines() if " error: " in line]
    if lines:
        return lines[0]
    return (done.stderr.splitlines() or [f"exit status {done.returncode}"])[-1]


def compile_program(pmc, path, function, arguments, scratch):
    command = [pmc, path, "-o", os.path.join(scratch, "program.c"), *arguments]
    if function:
        command.append(f"--function={function}")
    done = subprocess.run(command, capture_output=True, text=True)
    return None if done.returncode == 0 else reason_of(done)


def kind_of(reason):
    """The reason without its place, names and numbers."""
    text = reason.split(" error: ", 1)[-1]
    return re.sub(r"-?\d+", "N", re.sub(r"@\w+|'[^']*'", "_", re.sub(r" for [a-z_]+ = .*, but", ", but", text)))[:150]


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--pmc", default=os.path.join(root, "build", "gcc", "pmc"))
    parser.add_argument("--only", default="")
    parser.add_argument("--reasons", action="store_true")
    options = parser.parse_args()
    reasons, n, compiled = collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder in options.folders:
            if not os.path.isdir(folder):
                die(f"{folder} is no folder")
            for path, function in programs_of(folder):
                for arguments in ways_of(path, function):
                    what = " ".join([os.path.relpath(path, folder), *([function] if function else []), *arguments])
                    if not re.search(options.only, what):
                        continue
                    reason = compile_program(options.pmc, path, function, arguments, scratch)
                    n, compiled = n + 1, compiled + (reason is None)
                    if reason:
                        reasons[kind_of(reason)] += 1
                    print(f"{what}: {reason.replace(folder + os.sep, '') if reason else 'compiled'}", flush=True)
    print(f"{compiled} of {n} programs compiled")
    if options.reasons:
        for reason, count in reasons.most_common():
            print(f"{count:4} {reason}")


if __name__ == "__main__":
    main()
