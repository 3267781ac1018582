"""Makes a failure of fuzz_pipelines.py small.

  fuzz_reduce.py FOLDER [--config 0] [--call 0] [--tools DIR] [--cflags FLAGS]
FOLDER is one that fuzz_pipelines.py kept. Outputs, stages, cases, ops, parts of sets, passes and their options
are taken away one by one while the failure stays the same: the same step fails (the passes, the loop interpreter, the
C compiler, the C), with the same message but for names and numbers. Writes reduced.pmir, and a line that repeats it.
"""
import argparse
import ctypes
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import fuzz_pipelines

OP = re.compile(r"( +%\w+ = )(.*) : (.*)")


class Reducer:
    def __init__(self, options):
        self.options, self.folder = options, options.folder
        self.work = tempfile.mkdtemp(prefix="reduce-")
        with open(f"{self.folder}/original.pmir", encoding="utf-8") as file:
            self.lines = file.read().splitlines()
        with open(f"{self.folder}/config{options.config}.txt", encoding="utf-8") as file:
            self.passes = file.read().strip()
        with open(f"{self.folder}/call{options.call}/params.txt", encoding="utf-8") as file:
            self.params = dict(line.split("=") for line in file.read().split())

    # --- whether it fails, and how ---

    def tool(self, name):
        return os.path.join(self.options.tools, name) if self.options.tools else name

    def run(self, step, *command):
        """How the step fails, or '' when it does not."""
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=self.options.timeout, check=False)
        except subprocess.TimeoutExpired:
            return f"{step}: takes too long"
        if not result.returncode:
            return ""
        return f"{step}: {result.returncode}: {fuzz_pipelines.first_error(result.stderr)}"

    def names(self, word):
        """Of params, inputs or outputs, with what follows."""
        return re.findall(rf"stage\.{word} @(\w+)(?: : (\w+))?", "\n".join(self.lines))

    def outputs(self):
        """(name, type) of the arrays."""
        found = []
        for name, _ in self.names("output"):
            kinds = re.search(rf"stage\.func @{name} : (\w+|\([^)]*\))", "\n".join(self.lines)).group(1)
            parts = kinds.strip("()").split(", ")
            found += [(name, parts[0])] if kinds[0] != "(" else [(f"{name}_{i}", kind) for i, kind in enumerate(parts)]
        return found

    def call_options(self):
        found = [f"--param={name}={self.params[name]}" for name, _ in self.names("param")]
        for name, _ in self.names("input"):
            found.append(f"--in={name}={self.folder}/call{self.options.call}/{name}.npy")
        return found

    def how(self, lines, passes, params):
        """How it fails, or '' when it does not, or is no pipeline any more."""
        self.lines, self.passes, self.params = lines, passes, params
        source, final = f"{self.work}/reduced.pmir", f"{self.work}/final.pmir"
        with open(source, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        try:
            outputs = [f"--out={name}={self.work}/{name}.npy" for name, _ in self.outputs()]
        except AttributeError:
            return ""
        if self.run("", self.tool("pm-interp"), source, *self.call_options(), *outputs):
            return ""
        return (self.run("passes", self.tool("pm-opt"), source, f"--pass-pipeline={passes}", "-o", final)
                or self.run("interpreter", self.tool("pm-interp"), source, f"--compare={final}", *self.call_options())
                or self.how_c(final))

    def how_c(self, final):
        if "lower-poly" not in self.passes:
            return ""
        source, library = f"{self.work}/p.c", f"{self.work}/p.so"
        flags = ["-std=c11", "-ffp-contract=off", "-fPIC", "-shared", *self.options.cflags.split()]
        return (self.run("C", self.tool("pm-translate"), final, "--to=c", "-o", source)
                or self.run("cc", "cc", *flags, source, "-o", library, "-lm")
                or self.run("call", sys.executable, __file__, "--call-library", self.work, *self.call_arguments()))

    def call_arguments(self):
        found = [f"param:{kind}:{self.params[name]}" for name, kind in self.names("param")]
        found += [f"input:{kind}:{self.folder}/call{self.options.call}/{name}.npy" for name, kind in self.names("input")]
        return found + [f"output:{kind}:{self.work}/{name}.npy" for name, kind in self.outputs()]

    # --- what may be taken away ---

    def blocks(self, lines):
        """(first, behind) of each stage, case and update."""
        found, open_at = [], []
        for i, line in enumerate(lines):
            if line.endswith("{"):
                open_at.append(i)
            elif line.strip() == "}":
                found.append((open_at.pop(), i + 1))
        return [block for block in found if block[0] > 0]

    def without_blocks(self, lines):
        for first, behind in sorted(self.blocks(lines), key=lambda b: b[0] - b[1]):
            yield lines[:first] + lines[behind:]

    def without_lines(self, lines):
        for i in range(len(lines) - 1, 0, -1):
            if not lines[i].endswith("{") and lines[i].strip() != "}":
                yield lines[:i] + lines[i + 1 :]

    def with_constants(self, lines):
        for i, line in enumerate(lines):
            op = OP.fullmatch(line)
            if op and not op.group(2).startswith(("arith.constant", "stage.param")):
                kind = "i1" if op.group(2).startswith("arith.cmp") else op.group(3).split(" -> ")[-1]
                if re.fullmatch(r"\w+", kind):
                    one = "1.0" if kind in ("f16", "bf16", "f32", "f64") else "1"
                    yield lines[:i] + [f"{op.group(1)}arith.constant {one} : {kind}"] + lines[i + 1 :]

    def with_less_text(self, lines):
        for i, line in enumerate(lines):
            shorter = [re.sub(pattern, "", line, count=1) for pattern in
                       (r" default (\[[^]]*\]|\S+ : \w+)", r" boundary (\[[^]]*\]|\S+)", r" associative")]
            where = re.search(r'( : )([^:"]*)( }">)', line) if "#isl.set" in line else None
            parts = where.group(2).split(" and ") if where else []
            shorter += [line[: where.start(2)] + " and ".join(parts[:k] + parts[k + 1 :]) + line[where.end(2) :]
                        for k in range(len(parts)) if len(parts) > 1]
            for text in shorter:
                if text != line:
                    yield lines[:i] + [text] + lines[i + 1 :]

    def without_passes(self, passes):
        for options in re.finditer(r"\{[^}]*\}", passes):
            words = options.group(0)[1:-1].split(" ")
            for i in range(len(words)):
                left = " ".join(words[:i] + words[i + 1 :])
                yield passes[: options.start()] + (f"{{{left}}}" if left else "") + passes[options.end() :]
        for name in re.finditer(r",[a-z-]+(\{[^}]*\})?", passes):
            yield passes[: name.start()] + passes[name.end() :]

    def candidates(self, lines, passes, params):
        for change in (self.without_blocks, self.without_lines, self.with_constants, self.with_less_text):
            for shorter in change(lines):
                yield shorter, passes, params
        for shorter in self.without_passes(passes):
            yield lines, shorter, params

    def reduce(self):
        best = (self.lines, self.passes, self.params)
        wanted = self.how(*best)
        if not wanted:
            sys.exit("it does not fail")
        print(wanted, flush=True)
        again = True
        while again:
            again = False
            position = 0
            while True:
                tries = list(self.candidates(*best))[position:]
                found = next((i for i, t in enumerate(tries) if self.how(*t) == wanted), None)
                if found is None:
                    break
                best, position, again = tries[found], position + found, True
        self.how(*best)
        return best

    def finish(self):
        lines, passes, _ = self.reduce()
        path = os.path.join(self.folder, "reduced.pmir")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        print("\n".join(lines))
        print(f"pm-interp {path} --pass-pipeline='{passes}' {' '.join(self.call_options())}")


def call_library(folder, arguments):
    """Calls the function of p.so and compares its outputs; exits with 1 where they differ."""
    library, values, expected = ctypes.CDLL(f"{folder}/p.so"), [], []
    for argument in arguments:
        role, kind, value = argument.split(":", 2)
        if role == "param":
            values.append(fuzz_pipelines.CTYPES[kind](float(value) if kind[0] == "f" else int(value)))
            continue
        array = np.load(value)
        expected += [(array, fuzz_pipelines.guarded(array))] if role == "output" else []
        values.append(fuzz_pipelines.pointer(expected[-1][1][0] if role == "output" else array))
        values[-1].keep = array
    if library.p(*values):
        sys.exit("error: the call is refused")
    if any(got.tobytes() != array.tobytes() for array, (got, _) in expected):
        sys.exit("error: outputs differ")


def main():
    if sys.argv[1:2] == ["--call-library"]:
        return call_library(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--config", type=int, default=0)
    parser.add_argument("--call", type=int, default=0)
    parser.add_argument("--tools", default="")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--cflags", default="-O1 -march=native -fopenmp -w")
    return Reducer(parser.parse_args()).finish()


if __name__ == "__main__":
    main()
