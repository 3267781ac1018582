"""What the kernels of HIPAccBenchmark compute, in numpy, as hipacc_references.py has it for HIPAcc's own samples.

A program is one of its scalar sources; those for vector units differ in their names. Memory of calloc stands for
pictures of the caller, since no program writes it. Where a kernel leaves pixels of `Output` alone, that is an input.
"""
import numpy as np

from hipacc_references import U8, F, I32, Input, Sample, at, full, points, stored, total, window

ANCHOR = 3
WINDOW = [(dx, dy) for dx, dy, _ in points(window(2 * ANCHOR + 1, 2 * ANCHOR + 1))]


def inside(inputs, value):
    """The value in all pixels with a whole window, and around them what `Output` had."""
    result = inputs["Output"].copy()
    here = (slice(ANCHOR, -ANCHOR),) * 2
    result[here] = value[here]
    return {"Output_out": result}


def image_add(inputs, program):
    return {"Output": inputs["Input1"] + inputs["Input2"]}


def convolution(inputs, program):
    """A mean of 7x7 pixels, each times 1/49 in float."""
    image = inputs["Input"]
    weight = F(1) / F(len(WINDOW))
    terms = (at(image, dx, dy).astype(F) * weight for dx, dy in WINDOW)
    return inside(inputs, stored(F(0) + total(terms), image.dtype))


def erosion(inputs, program):
    """The least of 7x7 pixels."""
    return inside(inputs, np.minimum.reduce([at(inputs["Input"], dx, dy) for dx, dy in WINDOW]))


def median(inputs, program):
    """The median of 7x7 pixels; two ways to sort them."""
    return inside(inputs, np.sort([at(inputs["Input"], dx, dy) for dx, dy in WINDOW], axis=0)[len(WINDOW) // 2])


def extremum(inputs, program):
    """128 where no pixel of 7x7 is greater, plus 64 where none is less."""
    image = inputs["Input"]
    pixels = [at(image, dx, dy) for dx, dy in WINDOW]
    greatest, least = np.maximum.reduce(pixels) == image, np.minimum.reduce(pixels) == image
    return inside(inputs, (128 * greatest + 64 * least).astype(U8))


def normalized_gradient(inputs, program):
    """A vector of two images over its length."""
    x, y = (inputs[name].astype(F) for name in ("Input1", "Input2"))
    length = np.sqrt(x * x + y * y) + F(1e-12)
    return {"Output1": x / length, "Output2": y / length}


def mandelbrot(kind):
    """The step below 256 at which a point has left the circle of radius 2, or 0."""

    def compute(inputs, program):
        width, height = program.constants["ciImageWidth"], program.constants["ciImageHeight"]
        re = np.arange(width, dtype=F) * (F(3) / F(width)) + F(-2)
        im = np.arange(height, dtype=F) * (F(2) / F(height)) + F(-1)
        cx, cy = np.meshgrid(re, im)
        x, y, out = cx.copy(), cy.copy(), np.zeros(cx.shape, I32)
        live = np.ones(cx.shape, bool)
        for i in range(256):
            left = live & (x * x + y * y > F(4))
            out[left] = i
            live &= ~left
            x, y = np.where(live, cx + (x * x - y * y), x), np.where(live, cy + F(2) * x * y, y)
        return {"Output": out.astype(kind)}

    return compute


def plateau(rng, height, width):
    """Bytes, of which a corner is all equal."""
    image = full(rng, height, width)
    image[: height // 2, : width // 2] = 77
    return image


def real(draw):
    return lambda rng, height, width: draw(rng, height, width).astype(F) / F(4) - F(20)


def number(rng, height, width):
    return rng.integers(-(2**30), 2**30, (height, width), I32)


DRAWN = {"UInt8": ("u1", plateau), "Float": ("f4", real(plateau)), "Int": ("i4", number)}
WINDOWED = (
    ("Convolution", "Conv", convolution),
    ("TopologicalErosion", "TopErosion", erosion),
    ("BubbleSortMedian", "BubbleSort", median),
    ("BubbleSortMedianOptimized", "BubbleSortOpt", median),
    ("MinMaxDetector", "MinMax", extremum),
)


def sample(folder, name, kind, reference, inputs, sizes=((9, 8), (37, 29), (64, 48))):
    path = f"{folder}/HIPAccSources/{name}{kind}/{name}{kind}Scalar.cpp"
    drawn = tuple(Input(variable, pixel, 1, draw) for variable, (pixel, draw) in inputs.items())
    return Sample(path, reference, drawn, sizes, constants=("ciImageWidth", "ciImageHeight"))


def pair(kind):
    return {"Input1": DRAWN[kind], "Input2": DRAWN[kind]}


def windowed(kind, reference):
    return {"Input": DRAWN[kind], "Output": DRAWN["UInt8" if reference is extremum else kind]}


SAMPLES = (
    *(sample("ImageAdd", "Add", kind, image_add, pair(kind)) for kind in DRAWN),
    *(
        sample(folder, name, kind, reference, windowed(kind, reference))
        for folder, name, reference in WINDOWED
        for kind in ("UInt8", "Float")
    ),
    *(sample("NormalizedGradient", "NormGrad", kind, normalized_gradient, pair(kind)) for kind in ("UInt8", "Float")),
    *(sample("Mandelbrot", "Mandelbrot", kind, mandelbrot(DRAWN[kind][0]), {}) for kind in ("UInt8", "Float")),
)
