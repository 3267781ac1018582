"""Random ImageCL kernels: what g++'s program computes in row order, against pm-run.

  random_imagecl.py [--seeds 0..9] [--target llvm] [--check]
A kernel has locals, arrays, branches, loops that end early or at a parameter, returns, two Images that it writes and
reads, Images of other sizes and modes, and computed indices. Its C is that of the language: g++ compiles it with a
class of Images that has the version before beside the new one. All values are integers, which have to be equal.
--check also compares with the interpreter. The same seed gives the same kernel.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

CODES = {"uchar": "u1", "short": "i2", "int": "i4", "char": "i1", "uint": "u4", "ushort": "u2"}
LOCALS = ("a", "b", "c")
ORACLE = """#include <algorithm>
#include <cstdio>
#include <type_traits>
#include <vector>
typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned uint;
template <class T> struct Image {
  int w, h; bool clamps; std::vector<T> now, old; int x, y; T outside;
  void load(FILE *f) { now.resize(w * h); if (!fread(now.data(), sizeof(T), w * h, f)) throw 1; old = now; }
  struct Column { Image &of; int i; T &operator[](int j) { return of.at(i, j); } };
  Column operator[](int i) { return Column{*this, i}; }
  T &at(int i, int j) {
    if (i == x && j == y) return now[j * w + i];
    bool inside = i >= 0 && j >= 0 && i < w && j < h;
    if (clamps) i = std::min(std::max(i, 0), w - 1), j = std::min(std::max(j, 0), h - 1);
    return outside = inside || clamps ? old[j * w + i] : 0;
  }
};
template <class A, class B> using Both = typename std::conditional<std::is_same<A, B>::value, A, decltype(A() + B())>::type;
template <class A, class B> Both<A, B> least(A a, B b) { return (Both<A, B>)b < (Both<A, B>)a ? b : a; }
template <class A, class B> Both<A, B> most(A a, B b) { return (Both<A, B>)a < (Both<A, B>)b ? b : a; }
#define min least
#define max most
#define char signed char
"""


class Kernel:
    def __init__(self, seed):
        self.rng, self.n_loops = random.Random(seed), 0
        self.types = {name: self.rng.choice(list(CODES)) for name in ("in", "small", "out", "other", "w")}
        self.rules = {name: self.rng.choice(["clamped", "constant"]) for name in ("in", "small")}
        self.size = self.rng.choice([(1, 1), (5, 4), (9, 3), (2, 7)])
        self.small, self.n = self.rng.choice([(1, 1), (3, 2), (8, 8)]), self.rng.randint(0, 4)
        begin = "int a = 1, b = idx, c = in[idx][idy]; int v[3] = {1, 2, idy};"
        middle = self.loop_to_n() if self.rng.random() < 0.4 else ""
        body = [begin, f"a = {self.value()};", self.block(0, False), middle, self.block(0, False)]
        self.body = "\n  ".join([*body, "out[idx][idy] += a;", "other[idx][idy] ^= b;"])

    def index(self, name):
        if self.rng.random() < 0.8:
            return f"{name} + {self.rng.randint(-2, 2)}"
        return self.rng.choice([f"{name} / 2", f"({name} * 3 - {self.rng.choice(LOCALS)}) % 7"])

    def leaf(self):
        x, y = self.index("idx"), self.index("idy")
        number = self.rng.choice([*LOCALS, "n", "idx", "idy", str(self.rng.randint(-3, 9))])
        array = f"w[{self.rng.randint(0, 2)}][{self.rng.randint(0, 1)}]"
        own = self.rng.choice(["out[idx][idy]", "other[idx + 1][idy]"])
        return self.rng.choice([number, number, number, f"in[{x}][{y}]", f"in[{x}][{y}]", f"small[{x}][{y}]", array, own])

    def value(self, depth=0):
        kind = self.rng.random()
        if depth > 2 or kind < 0.6:
            return self.leaf()
        a, b = self.value(depth + 1), self.value(depth + 1)
        if kind < 0.85:
            return f"({a} {self.rng.choice('+-*&|^')} {b})"
        if kind < 0.9:
            return f"({self.condition(depth + 1)} ? {a} : {b})"
        if kind < 0.95:
            return f"{self.rng.choice(['min', 'max'])}({a}, {b})"
        return f"({a} {self.rng.choice('/%')} {self.rng.choice([2, 3, 5])})"

    def condition(self, depth=0):
        kind = self.rng.random() if depth < 3 else 1
        if kind < 0.15:
            return f"({self.condition(depth + 1)} {self.rng.choice(['&&', '||'])} {self.condition(depth + 1)})"
        if kind < 0.2:
            return f"!({self.condition(depth + 1)})"
        return f"({self.value(depth + 1)} {self.rng.choice(['<', '>', '<=', '==', '!='])} {self.value(depth + 1)})"

    def assignment(self):
        local, item = self.rng.choice(LOCALS), f"v[{self.rng.randint(0, 2)}]"
        image = self.rng.choice(["out", "other"]) + "[idx][idy]"
        place = self.rng.choice([local, local, image, image, item])
        steps = [f"{local}++;", f"{image}++;", f"--{image};", f"{local} += {item};"]
        written = f"{place} {self.rng.choice(['=', '=', '+=', '-=', '^='])} {self.value()};"
        return self.rng.choice(steps) if self.rng.random() < 0.15 else written

    def statement(self, depth, in_loop):
        kind = self.rng.random()
        if kind < 0.5 or depth > 2:
            return self.assignment()
        if kind < 0.75:
            other = f" else {{ {self.block(depth + 1, in_loop)} }}" if self.rng.random() < 0.5 else ""
            return f"if ({self.condition()}) {{ {self.block(depth + 1, in_loop)} }}{other}"
        if kind < 0.87:
            self.n_loops += 1
            i = f"i{self.n_loops}"
            return f"for (int {i} = 0; {i} < {self.rng.randint(1, 3)}; {i}++) {{ {self.block(depth + 1, True)} }}"
        if kind < 0.95 and in_loop:
            return f"if ({self.condition()}) {self.rng.choice(['break', 'continue'])};"
        return f"if ({self.condition()}) return;" if depth else self.assignment()

    def block(self, depth, in_loop):
        return " ".join(self.statement(depth, in_loop) for _ in range(self.rng.randint(1, 3)))

    def loop_to_n(self):
        parts = f"if ({self.condition()}) continue; a += k; {self.assignment()} {self.assignment()}"
        return f"for (int k = {self.rng.randint(-1, 1)}; k < n; k++) {{ {parts} }}"

    def text(self):
        images = ", ".join(f"Image<{self.types[name]}> {name}" for name in ("in", "small", "out", "other"))
        modes = ", ".join(f"{name}:{rule}" for name, rule in self.rules.items())
        pragmas = f"#pragma imcl grid(in) boundary_cond({modes})"
        return f"{pragmas}\nvoid f({images}, {self.types['w']} w[3][2], int n) {{\n  {self.body}\n}}\n"

    def shapes(self):
        (w, h), (sw, sh) = self.size, self.small
        return {"in": (h, w), "small": (sh, sw), "out": (h, w), "other": (h, w), "w": (3, 2)}

    def oracle(self):
        lines = [ORACLE, f"{self.types['w']} w[3][2]; int n = {self.n};"]
        for name in ("in", "small", "out", "other"):
            h, w = self.shapes()[name]
            clamps = int(self.rules.get(name) == "clamped")
            lines.append(f"Image<{self.types[name]}> {name}{{{w}, {h}, {clamps}, {{}}, {{}}, -99, -99, 0}};")
        lines.append("void f(int idx, int idy) { out.x = other.x = idx; out.y = other.y = idy;\n" + self.body + "}")
        loads = "".join(f"{name}.load(stdin); " for name in ("in", "small", "out", "other"))
        (w, h) = self.size
        lines.append(f"int main() {{ {loads} if (!fread(w, sizeof w, 1, stdin)) return 1;")
        lines.append(f"for (int y = 0; y < {h}; y++) for (int x = 0; x < {w}; x++) f(x, y);")
        lines += [f"fwrite({o}.now.data(), sizeof {o}.now[0], {w * h}, stdout);" for o in ("out", "other")]
        return "\n".join([*lines, "}"])


def run(words, folder, **more):
    ran = subprocess.run(words, cwd=folder, check=False, capture_output=True, timeout=120, **more)
    if ran.returncode:
        raise ValueError(f"{' '.join(words)}: {ran.stderr.decode()[:1000]}")
    return ran.stdout


def wrong(seed, target, checks, folder):
    """What differs, or None."""
    kernel, draw = Kernel(seed), np.random.default_rng(seed)
    arrays = {name: draw.integers(0, 100, shape).astype(CODES[kernel.types[name]]) for name, shape in kernel.shapes().items()}
    for name, text in (("f.imcl", kernel.text()), ("f.cpp", kernel.oracle())):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    run(["g++", "-std=c++17", "-O0", "-fwrapv", "-w", "f.cpp", "-o", "f"], folder)
    given = run(["./f"], folder, input=b"".join(array.tobytes() for array in arrays.values()))
    module = run(["pm-translate", "f.imcl", "--to=pmir"], folder).decode()
    words = ["pm-run", "f.imcl", f"--target={target}", "--param", f"n={kernel.n}", *(["--check"] if checks else [])]
    inputs = [name for name in arrays if f"stage.input @{name} :" in module]
    for name in inputs:
        np.save(os.path.join(folder, f"{name}.npy"), arrays[name])
        words += ["--in", f"{name}={name}.npy"]
    for image, (width, height) in (("in", kernel.size), ("small", kernel.small)):
        known = image in inputs or (image == "in" and {"out", "other"} & set(inputs))
        for name, value in ((f"{image}_width", width), (f"{image}_height", height)):
            words += ["--param", f"{name}={value}"] if not known and f"@{name} :" in module else []
    outputs = [line.split("@")[1] for line in module.splitlines() if "stage.output" in line]
    run([*words, *(word for name in outputs for word in ("--out", f"{name}=got-{name}.npy"))], folder)
    at = arrays["out"].nbytes
    want = {"out": given[:at], "other": given[at:]}
    for name in outputs:
        image = name.removesuffix("_out")
        expected = np.frombuffer(want[image], arrays[image].dtype).reshape(arrays[image].shape)
        got = np.load(os.path.join(folder, f"got-{name}.npy"))
        if not np.array_equal(got, expected):
            return f"seed {seed}: {name} is\n{got}\nnot\n{expected}\nof\n{kernel.text()}"
    return None if len(outputs) == 2 else f"seed {seed}: the outputs are {outputs}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0..9")
    parser.add_argument("--target", default="llvm")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    first, _, last = options.seeds.partition("..")
    seeds = range(int(first), int(last or first) + 1)
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            try:
                problem = wrong(seed, options.target, options.check, folder)
            except ValueError as error:
                problem = f"seed {seed}: {error}"
        if problem:
            sys.exit(problem)
    print(f"{len(seeds)} programs, 0 wrong")


if __name__ == "__main__":
    main()
