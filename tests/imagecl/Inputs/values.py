"""values.py PROGRAM [--target=T] WxH …: an ImageCL program on random inputs, against numpy and the interpreter.

PROGRAM is a file whose name, without its ending, is that of a function here: it draws the inputs, and computes the
outputs as the definition of the language says. Images are arrays [y][x].
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

F = np.float32


def moved(image, dx, dy, clamps):
    """image[idx + dx][idy + dy] at each pixel; outside the nearest pixel, or 0."""
    y, x = np.indices(image.shape)
    return read(image, x + dx, y + dy, clamps)


def read(image, x, y, clamps):
    height, width = image.shape
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    value = image[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
    return value if clamps else np.where(inside, value, image.dtype.type(0))


def pixels(rng, width, height):
    return rng.integers(0, 256, (height, width), np.uint8)


def steps(rng, width, height):
    return (rng.integers(0, 256, (height, width)) / 256).astype(F)


def total(values):
    values = list(values)
    result = values[0]
    for value in values[1:]:
        result = result + value
    return result


def blur(rng, width, height):
    image = steps(rng, width, height)
    parts = (moved(image, i, j, True) for i in (-1, 0, 1) for j in (-1, 0, 1))
    return {"input": image}, {}, {"output": (F(0) + total(parts)) / F(9)}


def sobel(rng, width, height):
    image = pixels(rng, width, height)
    wide = image.astype(np.int32)
    weights = {-1: 1, 0: 2, 1: 1}
    right = total(w * (moved(wide, 1, k, True) - moved(wide, -1, k, True)) for k, w in weights.items())
    down = total(w * (moved(wide, k, 1, True) - moved(wide, k, -1, True)) for k, w in weights.items())
    steepness = np.minimum(abs(right) + abs(down), 255).astype(np.uint8)
    return {"input": image}, {}, {"dx": right.astype(np.int16), "dy": down.astype(np.int16), "steepness": steepness}


def separable(rng, width, height):
    image, weights = steps(rng, width, height), steps(rng, 5, 1)[0]
    rows = F(0) + total(weights[i + 2] * moved(image, i, 0, True) for i in range(-2, 3))
    output = F(0) + total(weights[j + 2] * moved(rows, 0, j, True) for j in range(-2, 3))
    return {"input": image, "weights": weights}, {}, {"output": output}


def threshold(rng, width, height):
    image, before, table = (pixels(rng, *size) for size in ((width, height), (width, height), (300, 1)))
    limits = F(256) * steps(rng, width + 2, 1)[0]
    over = table[0][image].astype(F) - limits[None, :width]
    output = np.where(over > F(20), 255, np.where(over < F(-20), 0, before)).astype(np.uint8)
    inputs = {"input": image, "output": before, "table": table[0], "limits": limits}
    return inputs, {"margin": 20}, {"output_out": output}


def scatter(rng, width, height):
    """In row order."""
    image, counts = pixels(rng, width, height), rng.integers(0, 9, 256, np.int32)
    sums, mirrored = F(4) * steps(rng, 256, 1)[0], pixels(rng, 21, 10)
    twice = rng.integers(-90, 90, (5, 20)).astype(np.int16)
    inputs = {"in": image, "counts": counts, "sums": sums, "mirrored": mirrored, "twice": twice}
    out = {f"{name}_out": array.copy() for name, array in inputs.items() if name != "in"}
    for y, x in np.ndindex(image.shape):
        v = int(image[y, x])
        out["counts_out"][v] += 1
        if v >= 40 and x > 1:
            out["sums_out"][v - 40] += F(v) * F(0.5)
        for i, new in ((2 * x, v), (2 * x + 1, None)):
            if i < 21 and y + 1 < 10:
                out["mirrored_out"][y + 1, i] = (int(mirrored[y + 1, i]) + 1) % 256 if new is None else new
        if v // 8 < 20:
            out["twice_out"][3, v // 8] -= v
    return inputs, {"first": 40}, out


def paths(rng, width, height):
    image, some = steps(rng, width, height), steps(rng, width, height)
    everything = rng.integers(-1, 1, (height, width)).astype(np.int32)
    result, kept = everything.copy(), some.copy()
    at = lambda x, y: image[y, x] if 0 <= x < width and 0 <= y < height else F(0)
    for y, x in np.ndindex(image.shape):
        if x < 2:
            result[y, x] = -1
            continue
        count = 0
        for i in range(4):
            if at(x + i, y) > F(0.75):
                break
            count += not at(x, y - i) < F(0.25)
        result[y, x] = 10 * count
        if image[y, x] < F(0.5):
            continue
        result[y, x] += 1 if everything[y, x - 1] == 0 else 2
        if count > 2:
            kept[y, x] = F(result[y, x]) / F(3)
    return {"in": image, "some": some, "all": everything}, {"n": 3}, {"some_out": kept, "all_out": result}


def sizes(rng, width, height):
    small, large = rng.integers(-9, 9, (height, width)).astype(np.int32), pixels(rng, height + 3, width)
    weights = rng.integers(-4, 5, (2, 3)).astype(np.int16)
    y, x = np.indices((5, 7))
    total_of = F(0) + total(
        (weights[r, c] * read(large, 2 * x + c, 2 * y + r, False).astype(np.int32)).astype(F)
        for r in range(2)
        for c in range(3)
    )
    nearest = read(small, x // 2, (y + x) % 4 - 1, True)
    mixed = total_of + (nearest.astype(F) - total_of) * F(0.25)
    m = mixed + np.clip(nearest, -3, 4).astype(F) + np.maximum(nearest.astype(F), F(0.5))
    bits = np.trunc(np.clip(total_of, 0, 255)).astype(np.uint8) ^ nearest.astype(np.uint8)
    root = np.sqrt(abs(total_of)).astype(np.float64) * 1.5
    out = (m + bits.astype(F)).astype(np.float64) + root + np.where(nearest > 1, 2, 1)
    return {"small": small, "large": large, "weights": weights}, {"scale": 1.5}, {"out": out.astype(F)}


def loops(rng, width, height):
    image, n = steps(rng, width, height), 5
    count, sums = np.zeros(image.shape, np.int32), steps(rng, width, height)
    before = sums.copy()
    at = lambda x, y: image[min(max(y, 0), height - 1), min(max(x, 0), width - 1)]
    for y, x in np.ndindex(image.shape):
        v, last = image[y, x] + F(0.001), [F(0), F(1)]
        while v < 100 and count[y, x] < n:
            v = v * F(3)
            last = [v, last[0]]
            count[y, x] += 1
        s = F(0)
        for k in range(-1, n + 1):
            if not at(x + k, y) > F(0.5):
                s = s + at(x + k, y + 1)
                sums[y, x] = s - F(k)
        sums[y, x] = sums[y, x] + (last[0] - last[1])
    return {"in": image, "sum": before}, {"n": n}, {"steps": count, "sum_out": sums}


def run(program, target, inputs, params, names, folder):
    words = ["pm-run", program, f"--target={target}", "--fp=strict", "--check"]
    for name, array in inputs.items():
        np.save(os.path.join(folder, f"{name}.npy"), array)
        words += ["--in", f"{name}={folder}/{name}.npy"]
    words += [word for name, value in params.items() for word in ("--param", f"{name}={value}")]
    for name in names:
        words += ["--out", f"{name}={folder}/got-{name}.npy"]
    ran = subprocess.run(words, check=False, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"{program}: {ran.stderr}")
    return {name: np.load(f"{folder}/got-{name}.npy") for name in names}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--target", default="llvm")
    parser.add_argument("sizes", nargs="+", metavar="WxH")
    options = parser.parse_args()
    name = os.path.splitext(os.path.basename(options.program))[0]
    for number, size in enumerate(options.sizes):
        width, height = map(int, size.split("x"))
        inputs, params, want = globals()[name](np.random.default_rng(number), width, height)
        with tempfile.TemporaryDirectory() as folder:
            got = run(options.program, options.target, inputs, params, want, folder)
        for output, values in want.items():
            if got[output].dtype != values.dtype or not np.array_equal(got[output], values):
                sys.exit(f"{name} {size} {options.target}: {output} differs:\n{got[output]}\n{values}")
    print(f"{name}: {len(options.sizes)} sizes equal")


if __name__ == "__main__":
    main()
