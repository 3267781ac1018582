"""guarded_selects.py SEED…: programs of nested selects, many of whose arms read outside of the image.

From each seed comes a program of one dimension: selects by affine conditions (bounds, parities), sums and products,
reads at distances and at halves. Where the arm that is chosen never reads outside, the program must compile and compute
what Python does, which computes only that arm; else it must be refused. Prints how many were of each kind."""
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

BOUNDS = ["0", "1", "2", "N-1", "N-2", "N/2"]
RELATIONS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


class Outside(Exception):
    pass


class Read:
    def __init__(self, rng):
        self.distance, self.divisor = rng.choice([-2, -1, 0, 0, 1, 2]), rng.choice([1, 1, 2])

    def text(self):
        return f"img({'x' if self.divisor == 1 else f'x/{self.divisor}'} + {self.distance})"

    def at(self, x, image):
        i = x // self.divisor + self.distance
        if not 0 <= i < len(image):
            raise Outside
        return image[i]


class Number:
    def __init__(self, rng):
        self.value = rng.randint(-5, 5)

    def text(self):
        return str(self.value)

    def at(self, x, image):
        return self.value


class Binary:
    def __init__(self, rng, depth):
        self.op, self.a, self.b = rng.choice("+-*"), draw(rng, depth), draw(rng, depth)

    def text(self):
        return f"({self.a.text()} {self.op} {self.b.text()})"

    def at(self, x, image):
        a, b = self.a.at(x, image), self.b.at(x, image)
        return a + b if self.op == "+" else a - b if self.op == "-" else a * b


class Select:
    def __init__(self, rng, depth):
        self.modulus = rng.choice([0, 0, 2, 3])
        self.relation = "==" if self.modulus else rng.choice(list(RELATIONS))
        self.bound = "1" if self.modulus else rng.choice(BOUNDS)
        self.arms = [draw(rng, depth), draw(rng, depth)]

    def text(self):
        left = f"x % {self.modulus}" if self.modulus else "x"
        condition = f"Condition({left}, '{self.relation}', {self.bound})"
        return f"Select({condition}, {self.arms[0].text()}, {self.arms[1].text()})"

    def at(self, x, image):
        n = len(image)
        bound = {"0": 0, "1": 1, "2": 2, "N-1": n - 1, "N-2": n - 2, "N/2": n // 2}[self.bound]
        left = x % self.modulus if self.modulus else x
        return self.arms[0 if RELATIONS[self.relation](left, bound) else 1].at(x, image)


def draw(rng, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.25:
        return Number(rng) if rng.random() < 0.25 else Read(rng)
    return Select(rng, depth - 1) if kind < 0.75 else Binary(rng, depth - 1)


def program(expression, n):
    return f"""N = Parameter(Int, "N")
img = Image(Int, "img", [N])
x = Variable(Int, "x")
f = Function(([x], [Interval(Int, 0, N - 1)]), Int, "f")
f.defn = {expression.text()}
buildPipeline([f], param_constraints=[Condition(N, "==", {n})])
"""


def expected(expression, image):
    try:
        return [expression.at(x, image) for x in range(len(image))]
    except Outside:
        return None


def compute(text, image, scratch):
    """What the program computes, or None where it is refused."""
    path, source, result = (os.path.join(scratch, name) for name in ("program.py", "in.npy", "out.npy"))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    np.save(source, np.array(image, dtype=np.int32))
    command = ["pm-run", path, "--check", "--cflags=-O0 -fopenmp", "--in", f"img={source}", "--out", f"f={result}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"guarded_selects.py: exit status {done.returncode}\n{text}{done.stderr}")
    return np.load(result).tolist() if done.returncode == 0 else None


def main():
    computed = refused = 0
    for seed in sys.argv[1:]:
        rng = random.Random(int(seed))
        expression, n = draw(rng, 3), rng.choice([7, 8, 9])
        image = [rng.randint(-3, 3) for _ in range(n)]
        want = expected(expression, image)
        with tempfile.TemporaryDirectory() as scratch:
            got = compute(program(expression, n), image, scratch)
        if got != want:
            sys.exit(f"guarded_selects.py: seed {seed}: {got}, should be {want}\n{program(expression, n)}img = {image}")
        computed, refused = computed + (want is not None), refused + (want is None)
    print(f"{computed} computed, {refused} refused")


if __name__ == "__main__":
    main()
