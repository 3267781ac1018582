"""What ImageCL's seven examples compute, in numpy, by the definition of the language and the text of each.

Images are arrays [height][width]; a[i][j] of the text is column i of row j. Plain arrays have the indices of C.
"""
import numpy as np

from hipacc_references import U8, F, I8, I32, Input, Sample, at, clamp, full, steps, stored, total

SCALARS = {"k": 0.04, "above": 200, "below": 7}


def outside_is_zero(image, dx, dy):
    return at(image, dx, dy, None)


def add(inputs, program):
    return {"output": inputs["input1"] + inputs["input2"]}


def threshold(inputs, program):
    """One of two scalars, by a threshold for each column."""
    above = inputs["input"] > inputs["thresholds"][None, :]
    return {"output": np.where(above, U8(SCALARS["above"]), U8(SCALARS["below"]))}


def laplace(inputs, program):
    """A 5x5 mask over float pixels, column by column, truncated to int after each term; then cut to 0 to 255."""
    result = np.zeros(inputs["input"].shape, I32)
    for i in range(5):
        for j in range(5):
            term = at(inputs["input"], i - 2, j - 2, clamp) * F(inputs["mask"][i, j])
            result = stored(result.astype(F) + term, I32)
    return {"output": np.clip(result, 0, 255).astype(F)}


def sobel(inputs, program):
    """Two derivatives over 8."""
    p = {(dx, dy): outside_is_zero(inputs["input"], dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}

    def derivative(differences):
        u, m, b = (p[one] - p[other] for one, other in differences)
        return (u + F(2) * m + b) / F(8)

    return {
        "dx": derivative([((1, y), (-1, y)) for y in (-1, 0, 1)]),
        "dy": derivative([((x, 1), (x, -1)) for x in (-1, 0, 1)]),
    }


def harris(inputs, program):
    """The response over 2x2 pixels to the right and below."""
    at_corners = [
        tuple(outside_is_zero(inputs[name], i, j) for name in ("dx", "dy")) for i in range(2) for j in range(2)
    ]
    xy, xx, yy = (
        F(0) + total(one(x, y) for x, y in at_corners)
        for one in (lambda x, y: x * y, lambda x, y: x * x, lambda x, y: y * y)
    )
    return {"output": xx * yy - xy * xy - F(SCALARS["k"]) * (xx + yy) * (xx + yy)}


def conway(inputs, program):
    """One round of the game of life; outside all is dead."""
    image = inputs["input"]
    neighbours = total(outside_is_zero(image, i, j).astype(I32) for i in (-1, 0, 1) for j in (-1, 0, 1)) - image
    alive = (neighbours == 3) | ((neighbours == 2) & (image == 1))
    return {"output": alive.astype(I8)}


def cells(rng, height, width):
    return rng.integers(0, 2, (height, width), U8)


def signed(rng, height, width):
    return steps(8)(rng, height, width) - F(128)


def whole(shape, low, high, kind):
    """An array of its own shape, which may depend on the width."""
    return lambda rng, height, width: rng.integers(low, high, shape(width)).astype(kind)


def sample(name, reference, inputs, scalars=()):
    chosen = {scalar: SCALARS[scalar] for scalar in scalars}
    sizes = ((4, 3), (37, 29), (64, 48))
    return Sample(f"examples/{name}.cpp", reference, inputs, sizes, constants=(), language="imagecl", scalars=chosen)


MASK = Input("mask", "i4", 1, whole(lambda width: (5, 5), -4, 5, I32))
THRESHOLDS = Input("thresholds", "u1", 1, whole(lambda width: (width,), 0, 256, U8))

SAMPLES = (
    sample("add", add, (Input("input1", "f4", 1, steps(8)), Input("input2", "f4", 1, signed))),
    sample("conway", conway, (Input("input", "i1", 1, cells),)),
    sample("harris", harris, (Input("dx", "f4", 1, signed), Input("dy", "f4", 1, signed)), ("k",)),
    sample("laplace", laplace, (Input("input", "f4", 1, steps(4)), MASK)),
    sample("mandelbrot", None, ()),
    sample("sobel", sobel, (Input("input", "f4", 1, steps(8)),)),
    sample("threshold", threshold, (Input("input", "u1", 1, full), THRESHOLDS), ("above", "below")),
)
