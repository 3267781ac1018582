"""What the public samples of HIPAcc compute, in numpy: by the definition of the language and the text of each program.

Nothing here comes from our frontend. Integers follow C: operands are promoted, results wrap where they are stored, and
floats are truncated. Floats are of the type and in the order of the text, one IEEE operation after the other. Functions
of the mathematics library are the C library's own. Pixels of four lanes are arrays [height][width][4].

A reference takes the inputs by name and a Program, and gives the outputs by name. Tables of coefficients are read from
the program, so that none is here.
"""
import ctypes
import ctypes.util
import dataclasses
import re
from collections.abc import Callable

import numpy as np

F, D = np.float32, np.float64
U8, I8, I16, I32, I64, U32 = np.uint8, np.int8, np.int16, np.int32, np.int64, np.uint32


class Program:
    """The text of a program after its conditions, with some of its constants replaced."""

    def __init__(self, text, constants):
        self.constants = dict(constants)
        self.text = self._select(re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S))

    def _holds(self, condition):
        if not re.fullmatch(r"[\w\s()=!<>&|]+", condition):
            raise ValueError(f"#if {condition}: not read here")
        words = re.sub(r"defined\s*\(?(\w+)\)?", lambda m: str(m[1] in self.constants), condition)
        words = re.sub(r"!(?!=)", " not ", words.replace("&&", " and ").replace("||", " or "))
        return bool(eval(words, {"__builtins__": {}}, self.constants))

    def _directive(self, line, state):
        """`state` has a pair for each open condition: its lines count, and one of its branches has counted."""
        word, _, rest = line.lstrip()[1:].strip().partition(" ")
        live = all(pair[0] for pair in state)
        if word in ("if", "ifdef", "ifndef"):
            name = rest.strip()
            holds = live and (self._holds(name) if word == "if" else (name in self.constants) == (word == "ifdef"))
            state.append([holds, holds or not live])
        elif word in ("else", "elif"):
            holds = not state[-1][1] and (word == "else" or self._holds(rest))
            state[-1] = [holds, state[-1][1] or holds]
        elif word == "endif":
            state.pop()
        elif word == "define" and live:
            parts = rest.split(None, 1)
            value = re.fullmatch(r"-?\d+", parts[1].strip()) if len(parts) == 2 else None
            self.constants.setdefault(parts[0], int(value[0]) if value else None)

    def _select(self, text):
        kept, state = [], []
        for line in text.replace("\\\n", " ").split("\n"):
            if line.lstrip().startswith("#"):
                self._directive(line, state)
            elif all(pair[0] for pair in state):
                kept.append(line)
        return "\n".join(kept)

    def table(self, name, kind):
        """The array of constant coefficients that the program declares by this name, with two dimensions."""
        found = re.search(rf"\b{name}\s*\[(\w+)\]\s*\[(\w+)\]\s*=\s*\{{(.*?)\}}\s*;", self.text, re.S)
        if not found:
            raise ValueError(f"the program has no table {name}")
        sizes = [int(word) if word.isdigit() else self.constants[word] for word in found.group(1, 2)]
        return np.array([float(word) for word in re.findall(r"-?\d+(?:\.\d*)?", found[3])]).reshape(sizes).astype(kind)


# Positions outside of an image, along one dimension of n pixels. None stands for a constant.
def clamp(i, n):
    return np.clip(i, 0, n - 1)


def mirror(i, n):
    """The pixel at the edge comes twice."""
    return np.where(i < 0, -1 - i, np.where(i >= n, 2 * n - 1 - i, i))


def repeat(i, n):
    return np.mod(i, n)


def at(image, dx, dy, rule=clamp, value=0):
    """The image at (x + dx, y + dy) for each of its pixels (x, y)."""
    height, width = image.shape[:2]
    y, x = np.arange(height) + dy, np.arange(width) + dx
    if rule is not None:
        return image[rule(y, height)][:, rule(x, width)]
    inside = ((y >= 0) & (y < height))[:, None] & ((x >= 0) & (x < width))[None, :]
    found = image[clamp(y, height)][:, clamp(x, width)]
    return np.where(inside.reshape(inside.shape + (1,) * (image.ndim - 2)), found, image.dtype.type(value))


def points(domain):
    """(dx, dy, coefficient) of the points of a domain that are not 0, row by row, relative to its centre."""
    sy, sx = domain.shape
    return [(i - sx // 2, j - sy // 2, domain[j, i]) for j in range(sy) for i in range(sx) if domain[j, i] != 0]


def window(sx, sy, hole=False):
    """A domain of all points; or of all but its centre."""
    domain = np.ones((sy, sx), U8)
    domain[sy // 2, sx // 2] = not hole
    return domain


def total(terms):
    """The sum in the order of the terms; in numpy, each addition is of the type of the terms."""
    result = None
    for term in terms:
        result = term if result is None else result + term
    return result


def convolve(image, mask, kind):
    """Over all points of the mask: the sum of coefficient * pixel, each converted to `kind`."""
    sy, sx = mask.shape
    pixels = np.asarray(image).astype(kind)
    return total(mask[j, i].astype(kind) * at(pixels, i - sx // 2, j - sy // 2) for j in range(sy) for i in range(sx))


def stored(value, kind):
    """`value` converted to `kind` as C does: integers wrap, floats are truncated. A float out of range is an error."""
    value, kind = np.asarray(value), np.dtype(kind)
    if kind.kind == "f" or value.dtype.kind in "iub":
        return value.astype(kind)
    limits = np.iinfo(kind)
    whole = np.trunc(value.astype(D))
    if not ((whole >= limits.min) & (whole <= limits.max)).all():
        raise ValueError(f"a float from {value.min()} to {value.max()} becomes {kind}: choose other inputs")
    return whole.astype(kind)


def divided(a, b):
    """C's division of integers, toward zero, by a positive number."""
    return np.where(a < 0, -(-a // b), a // b)


LIBM = ctypes.CDLL(ctypes.util.find_library("m"))


def libm(name, values, *rest):
    """A float function of the C library, of each value; further arguments are the same everywhere."""
    function = getattr(LIBM, name)
    function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float] * (1 + len(rest))
    different, where = np.unique(values, return_inverse=True)
    results = np.array([function(v, *rest) for v in different.tolist()], F)
    return results[where].reshape(values.shape)


def nearest(n, m):
    """For m positions of an output, the pixel of an input of n that Interpolate::NN takes."""
    step = F(n) / F(m)
    return clamp((step / F(2) + step * np.arange(m, dtype=F)).astype(I64), n)


def linear(image, width, height):
    """Interpolate::LF to another size, as floats: the products of two weights, then the pixel, upper row first."""
    taps = []
    for n, m in ((image.shape[0], height), (image.shape[1], width)):
        step = F(n) / F(m)
        begin = np.maximum(step / F(2) + step * np.arange(m, dtype=F) - F(0.5), F(0))
        first = begin.astype(I64)
        taps.append((clamp(first, n), clamp(first + 1, n), begin - first.astype(F)))
    (y0, y1, fy), (x0, x1, fx) = taps
    fx, fy, pixels = fx[None, :], fy[:, None], image.astype(F)
    return total(
        wx * wy * pixels[y][:, x]
        for y, wy in ((y0, F(1) - fy), (y1, fy))
        for x, wx in ((x0, F(1) - fx), (x1, fx))
    )


# 0_Point_Operators
def color_conversion(inputs, program):
    """Luminance of the first three lanes, rounded."""
    x, y, z = (inputs["in"][..., lane].astype(F) for lane in range(3))
    return {"out": stored(F(0.3) * x + F(0.59) * y + F(0.11) * z + F(0.5), U8)}


def scaling(inputs, program):
    """To half of the size by linear interpolation, then back by the nearest pixel."""
    image = inputs["in"]
    height, width = image.shape
    small = stored(linear(image, width // 2, height // 2), U8)
    return {"out": small[nearest(height // 2, height)][:, nearest(width // 2, width)]}


def windowing(inputs, program):
    """The values from 64 to 192 stretched to 0 to 255; others are cut."""
    center, width = F(128), F(64)
    pixel = (inputs["in"] - (center - width)) * (F(255) / (F(2) * width))
    return {"out": np.maximum(np.minimum(pixel, F(255)), F(0))}


# 1_Local_Operators
def box_blur(inputs, program):
    """The sum of 5x5 pixels over 25."""
    sx, sy = program.constants["SIZE_X"], program.constants["SIZE_Y"]
    return {"out": stored(convolve(inputs["in"], window(sx, sy), I32).astype(F) / F(sx * sy), U8)}


def extreme(inputs, program, choose):
    image = inputs["in"]
    result = image
    for dx, dy, _ in points(window(program.constants["SIZE_X"], program.constants["SIZE_Y"])):
        result = choose(result, at(image, dx, dy))
    return {"out": result}


def dilate(inputs, program):
    """The greatest of 5x5 pixels, lane by lane."""
    return extreme(inputs, program, np.maximum)


def erode(inputs, program):
    """The least of 5x5 pixels, lane by lane."""
    return extreme(inputs, program, np.minimum)


def rounded_blur(image, mask):
    return stored(convolve(image, mask, F) + F(0.5), U8)


def gaussian_blur(inputs, program):
    """A 7x7 Gaussian in float, rounded."""
    return {"out": rounded_blur(inputs["in"], program.table("coef", F))}


def laplace(inputs, program):
    """A 5x5 Laplacian in int, plus 128, cut to a byte."""
    return {"out": np.clip(convolve(inputs["in"], program.table("coef", I32), I32) + 128, 0, 255).astype(U8)}


def unsharp(inputs, program):
    """Three lanes times the ratio of the sharpened to the original luminance, which is of a gamma of 2.2."""
    image = inputs["in"]
    x, y, z = (libm("powf", image[..., lane].astype(F), F(1) / F(2.2)) for lane in range(3))
    gray = ((F(0.2126) * x).astype(D) + 0.7152 * y.astype(D) + 0.0722 * z.astype(D)).astype(F)
    sharp = F(2) * gray - convolve(gray, program.table("coef", F), F)
    ratio = sharp / np.maximum(gray, F(0.01))
    lanes = [stored(image[..., lane].astype(F) * ratio, U8) for lane in range(3)]
    return {"out": np.stack([*lanes, image[..., 3]], axis=-1)}


# 2_Global_Operators
def histogram(inputs, program):
    """How many values there are in each of 256 bins from 0 to 255; a value of 255 is in none."""
    index = stored(inputs["in"] / F(255) * F(256), U32)
    return {"output": np.bincount(index[index < 256], minlength=256).astype(U32)}


def reduction_max(inputs, program):
    return {"output": inputs["in"].max()}


def reduction_sum(inputs, program):
    """The inputs are such that each order of additions gives this."""
    return {"output": F(inputs["in"].sum(dtype=D))}


# 3_Preprocessing
def bilateral(inputs, program):
    """A mean over 13x13 pixels, weighted by distance and by difference to the centre, lane by lane."""
    image = inputs["in"]
    sigma = program.constants["SIGMA_R"]
    c_r = F(0.5) / F(sigma * sigma)
    center = image.astype(F)
    weights = sums = np.zeros(image.shape, F)
    for dx, dy, coefficient in points(program.table("coef", F)):
        pixel = at(image, dx, dy).astype(F)
        diff = pixel - center
        weight = libm("expf", -c_r * diff * diff) * coefficient
        weights = weights + weight
        sums = sums + weight * pixel
    return {"out": stored(sums / weights + F(0.5), U8)}


def structure(inputs, program):
    """Products of the two derivatives, smoothed: xx, yy, xy, as shorts."""
    image = inputs["in"]
    kernel, norm = program.table("coef_xy", I32), 16

    def derivative(name):
        sums = total(stored(at(image, dx, dy).astype(I32) * c, I16) for dx, dy, c in points(program.table(name, I32)))
        return stored(divided(sums.astype(I32), 6), I16).astype(I32)

    dx, dy = derivative("coef_x"), derivative("coef_y")
    products = [stored(a * b, I16) for a, b in ((dx, dx), (dy, dy), (dx, dy))]
    return [stored(divided(convolve(p, kernel, I32), norm), I16).astype(I32) for p in products]


def harris(inputs, program):
    """1 where the response det - k trace² is above 20000, else 0."""
    x, y, xy = structure(inputs, program)
    trace = (x + y).astype(F)
    response = (x * y - xy * xy).astype(F) - F(0.04) * trace * trace
    return {"out": (response > F(20000)).astype(U8)}


def shi_tomasi(inputs, program):
    """1 where the smaller eigenvalue is above 200, else 0."""
    x, y, xy = structure(inputs, program)
    root = np.sqrt((((x - y) * (x - y)).astype(D) + 4.0 * xy * xy).astype(F))
    both = [(0.5 * value.astype(D)).astype(F) for value in ((x + y).astype(F) + root, (x + y).astype(F) - root)]
    return {"out": (np.minimum(*both) > F(200)).astype(U8)}


def sobel(inputs, program):
    """The length of the 7x7 gradient over 640, at most 255; lane by lane."""
    gradient = [convolve(inputs["in"], program.table(name, I32), I32) for name in ("coef_x", "coef_y")]
    x, y = (divided(sums, 640) for sums in gradient)
    return {"out": stored(np.clip(np.sqrt((x * x + y * y).astype(F)), F(0), F(255)), U8)}


def census(image, domain, epsilon):
    """Two bits for each point of the domain: 1 if it is brighter than the centre by more than epsilon, 2 if darker."""
    center, bits = image.astype(I32), np.zeros(image.shape, U32)
    for dx, dy, _ in points(domain):
        pixel = at(image, dx, dy).astype(I32)
        digit = np.where(pixel > center + epsilon, 1, np.where(pixel < center - epsilon, 2, 0)).astype(U32)
        bits = (bits << U32(2)) | digit
    return bits


def motion(first, second, program):
    """From two blurred images: the packed shift where the census of a pixel is found once in a window of the other."""
    constants, domain = program.constants, program.table("sig_coef", U8)
    one, two = (census(image, domain, constants["EPSILON"]) for image in (first, second))
    distance = np.abs(first.astype(I32) - second).astype(U32)
    delta = total(at(distance, dx, dy) for dx, dy, _ in points(domain))
    found, place, most = np.zeros(one.shape, I32), np.zeros(one.shape, I32), np.zeros(one.shape, U32)
    for dx, dy, _ in points(window(2 * constants["MAX_DIST_X"] + 1, 2 * constants["MAX_DIST_Y"] + 1, hole=True)):
        same = at(two, dx, dy, None) == one
        found += same
        place = np.where(same, I32(dx * 65536 | dy & 0xFFFF), place)
        most = np.where(same, np.maximum(most, at(delta, dx, dy, None)), most)
    return np.where((found != 1) | (most < constants["THRESHOLD"]), I32(0), place)


def optical_flow(inputs, program):
    """Motion vectors between two images, each blurred before."""
    mask = program.table("gauss_coef", F)
    return {"img_vec": motion(rounded_blur(inputs["in1"], mask), rounded_blur(inputs["in2"], mask), program)}


# 4_Postprocessing
def unpacked(word):
    """The lowest three bytes as floats."""
    return [((word >> U32(8 * k)) & U32(255)).astype(F) for k in range(3)]


def packed(*lanes):
    """Three floats as the lowest bytes, and 255."""
    return total(stored(lane, U32) << U32(8 * k) for k, lane in enumerate(lanes)) | U32(255 << 24)


def weighted_mean(terms):
    """terms: (weight, lanes); sums in order of weight * lane, then times 255 over the sum of weights."""
    weights = sums = None
    for weight, lanes in terms:
        products = [lane * weight for lane in lanes]
        weights = weight if weights is None else weights + weight
        sums = products if sums is None else [s + p for s, p in zip(sums, products)]
    return [s * F(255) / weights for s in sums]


def bokeh(inputs, program):
    """A mean over a stencil of 31x31 with holes, in which bright pixels weigh 150 times as much."""

    def terms():
        for dx, dy, coefficient in points(program.table("stencil", F)):
            b, g, r = (lane / F(255) for lane in unpacked(at(inputs["in"], dx, dy)))
            luma = F(0.2126) * r + F(0.7152) * g + F(0.0722) * b
            yield np.where(luma > F(0.9), coefficient * F(150), coefficient), (r, g, b)

    r, g, b = weighted_mean(terms())
    return {"out": packed(b, g, r)}


def chromatic(inputs, program):
    """Green and red magnified around the centre, by bilinear interpolation of four pixels at computed positions."""
    image = inputs["in"]
    height, width = image.shape
    y, x = np.indices(image.shape)

    def lane(rindex, byte):
        shift_x = (x - width // 2).astype(F) * F(rindex) + F(width // 2)
        shift_y = (y - height // 2).astype(F) * F(rindex) + F(height // 2)
        bx, by = stored(shift_x, I32), stored(shift_y, I32)
        xp, yp = shift_x - bx.astype(F), shift_y - by.astype(F)

        def value(dx, dy):
            return unpacked(image[clamp(by + dy, height), clamp(bx + dx, width)])[byte]

        upper = (F(1) - xp) * value(0, 0) + xp * value(1, 0)
        lower = (F(1) - xp) * value(0, 1) + xp * value(1, 1)
        return (F(1) - yp) * upper + yp * lower

    return {"out": packed(unpacked(image)[0], lane(0.995, 1), lane(0.9975, 2))}


def atrous(image, mask):
    """A mean weighted by coefficients and by likeness to the centre; the first and the third byte change places."""
    center = [lane / F(255) for lane in unpacked(image)]

    def terms():
        for dx, dy, coefficient in points(mask):
            lanes = [lane / F(255) for lane in unpacked(at(image, dx, dy))]
            distance = total((lane - c) * (lane - c) for lane, c in zip(lanes, center))
            weight = F(1) + -distance / F(256)
            for _ in range(8):
                weight = weight * weight
            yield np.where(weight > F(1), F(1), weight) * coefficient, lanes

    return packed(*reversed(weighted_mean(terms())))


def night(inputs, program):
    """Four à-trous filters, then the colours of vision at night."""
    image = inputs["in"]
    for k in range(4):
        image = atrous(image, program.table(f"coef{k}", F))
    b, g, r = unpacked(image)
    x = F(0.5149) * r + F(0.3244) * g + F(0.1607) * b
    y = (F(0.2654) * r + F(0.6704) * g + F(0.0642) * b) / F(3)
    z = F(0.0248) * r + F(0.1248) * g + F(0.8504) * b
    v = y * (((y + z) / x + F(1)) * F(1.33) - F(1.68))
    w, s, white = x + y + z, F(0), F(0.25)
    x1, y1 = ((F(1) - s) * white + s * (a / w) for a in (x, y))
    y = v * F(0.4468) * (F(1) - s) + s * y
    x = x1 * y / y1
    z = x / y1 - x - y
    rows = ((2.562263, -1.166107, -0.396157), (-1.021558, 1.977828, 0.043730), (0.075196, -0.256248, 1.181053))
    r, g, b = (np.clip(F(p) * x + F(q) * y + F(t) * z, F(0), F(255)) for p, q, t in rows)
    return {"at0": packed(b, g, r)}


# 5_Other
def game_of_life(inputs, program):
    """One round on a torus of the cells that are at least 128."""
    cells = (inputs["in"] >= 128).astype(U8)
    neighbours = total(at(cells, dx, dy, repeat) for dx, dy, _ in points(window(3, 3, hole=True)))
    return {"out": cells * (neighbours == 2).astype(U8) + (neighbours == 3).astype(U8)}


def pyramid(inputs, program):
    """A Gaussian and a Laplacian pyramid of 5 levels; the image restored from both, and the blended Laplacian."""
    mask, levels, differences = program.table("coef", F), [inputs["gaus"]], []

    def enlarged(image, target):
        return stored(linear(image, target.shape[1], target.shape[0]), I8)

    for _ in range(4):
        fine = levels[-1]
        height, width = fine.shape
        blurred = stored(convolve(fine, mask, F), I8)
        levels.append(blurred[nearest(height, height // 2)][:, nearest(width, width // 2)])
        differences.append(fine - enlarged(levels[-1], fine))
    restored, blended = levels[-1], np.zeros_like(levels[-1])
    for difference in reversed(differences):
        restored = enlarged(restored, difference) + difference
        coarse = enlarged(blended, difference).astype(I32)
        blended = stored(coarse + divided(difference.astype(I32), 2), I8)
    return {"gaus_out": restored, "lap": blended}


def mandelbrot(inputs, program):
    """The last of 1001 frames, at a scale of 10."""
    width, height = program.constants["WIDTH"], program.constants["HEIGHT"]
    scale, limit = F(10), 1000
    ox = F(0.6) * F(width) / F(100) / scale
    oy = F(height) / F(100) / scale
    x0 = np.arange(width, dtype=F) / F(width) * F(3.5) / scale - F(2.5) + ox
    y0 = np.arange(height, dtype=F) / F(height) * F(2) / scale - F(1) + oy
    x0, y0 = (a.ravel() for a in np.meshgrid(x0, y0))
    x, y, iterations = np.zeros_like(x0), np.zeros_like(x0), np.zeros(x0.shape, I32)
    live = np.arange(x0.size)
    for _ in range(limit):
        a, b = x[live], y[live]
        inside = a * a + b * b < F(4)
        live, a, b = live[inside], a[inside], b[inside]
        x[live], y[live] = a * a - b * b + x0[live], F(2) * a * b + y0[live]
        iterations[live] += 1
    out = iterations < limit
    length = np.sqrt(x[out] * x[out] + y[out] * y[out])
    mu = iterations[out].astype(F) + F(1) - libm("logf", libm("logf", length)) / libm("logf", np.array([2], F))
    c = np.zeros(x0.shape, I32)
    c[out] = stored(mu / F(limit) * F(768), I32)
    red = np.where(c >= 512, 0, np.where(c >= 256, 511 - c, c))
    green = np.where(c >= 512, 255, np.where(c >= 256, c - 256, 0))
    blue = np.where(c >= 512, c - 512, 0)
    word = sum(stored(stored(lane, U8), U32) << U32(8 * k) for k, lane in enumerate((blue, green, red)))
    return {"out": (word | U32(255 << 24)).reshape(height, width)}


def merged_vectors(vectors, tile, columns, rows):
    """Per tile: the mean of the motion vectors whose middle is there, taken in row order, and their number."""
    bins = np.zeros((rows * columns, 3), F)
    for y, x in np.argwhere(vectors != 0).tolist():
        vector = int(vectors[y, x])
        xi, yi = vector >> 16, (vector & 0xFFFF ^ 0x8000) - 0x8000
        xt = (x + int(xi / 2)) % 2**32 // tile
        yt = (y + int(yi / 2)) % 2**32 // tile
        index = (yt * columns + xt) % 2**32
        if index >= len(bins):
            continue
        left = bins[index]
        if left[2] == 0:
            bins[index] = (xi, yi, 1)
            continue
        weight = left[2] + F(1)
        wl = left[2] / weight
        wr = F(1) - wl
        bins[index] = (wl * left[0] + wr * F(xi), wl * left[1] + wr * F(yi), weight)
    return bins.reshape(rows, columns, 3)


def motion_interpolation(inputs, program):
    """The image halfway between two: the first, moved by half of the mean motion in tiles of 16x16."""
    first = inputs["in1"]
    height, width = first.shape[:2]
    mask = program.table("gauss_coef", F)

    def blurred(image):
        x, y, z = (image[..., lane].astype(F) for lane in range(3))
        return rounded_blur(F(0.3) * x + F(0.59) * y + F(0.11) * z, mask)

    tile = program.constants["TILE_SIZE"]
    columns, rows = -(-width // tile), -(-height // tile)
    bins = merged_vectors(motion(blurred(first), blurred(inputs["in2"]), program), tile, columns, rows)
    vectors = bins[nearest(rows, height)][:, nearest(columns, width)]

    def offset(lane):
        half = vectors[..., lane] * F(-0.5)
        moved = stored(half + np.where(half < 0, F(-0.5), F(0.5)), I32)
        return np.where(vectors[..., 2] != 0, moved, 0)

    y, x = np.indices((height, width))
    return {"out": first[clamp(y + offset(1), height), clamp(x + offset(0), width)]}


def wce_enhance(inputs, program):
    """A mean of 3x3 pixels, twice as bright, to the power of 0.6."""
    mean = F(0) + convolve(inputs["in"], program.table("coef", F), F)
    return {"out": libm("powf", mean * F(2), F(0.6))}


# 6_Test
def fused(inputs, program, stages):
    """A chain: p adds 3 and wraps, l is a 5x5 Gaussian."""
    image = inputs["in"]
    for stage in stages:
        image = image + U8(3) if stage == "p" else rounded_blur(image, program.table("coef", F))
    return {"out": image}


def chain(stages):
    return lambda inputs, program: fused(inputs, program, stages)


# Inputs: how values are drawn, for a generator, a height and a width.
def full(rng, height, width):
    return rng.integers(0, 256, (height, width), U8)


def smooth(rng, height, width, cell=5, low=0, high=255, noise=3):
    """A byte image of soft shapes with a little noise, as of a camera."""
    coarse = rng.uniform(low, high, (height // cell + 2, width // cell + 2))
    rows, cols = (np.arange(n) / cell for n in (height, width))
    (y, fy), (x, fx) = ((p.astype(int), p % 1) for p in (rows, cols))
    upper, lower = (coarse[y + k][:, x] * (1 - fx) + coarse[y + k][:, x + 1] * fx for k in (0, 1))
    value = upper * (1 - fy)[:, None] + lower * fy[:, None] + rng.uniform(-noise, noise, (height, width))
    return np.clip(value, low, high).astype(U8)


def moved(rng, first):
    """The first image with its upper half moved by (4, 1), its lower half by (-6, -2), and new pixels at the edges."""
    height = first.shape[0]
    upper, lower = (np.roll(first, shift, (0, 1)) for shift in ((1, 4), (-2, -6)))
    second = np.where((np.arange(height) < height // 2).reshape(-1, *[1] * (first.ndim - 1)), upper, lower)
    second[-2:] = rng.integers(0, 256, second[-2:].shape, U8)
    return second


def lanes(draw, count=4):
    return lambda rng, height, width, **how: np.stack([draw(rng, height, width, **how) for _ in range(count)], axis=-1)


def words(draw):
    """Four drawn bytes in a word."""
    return lambda rng, height, width, **how: lanes(draw)(rng, height, width, **how).view(U32)[..., 0]


def steps(divisor):
    """Floats that are a byte and a multiple of 1 / divisor: sums of a few thousand are exact."""
    return lambda rng, height, width: (rng.integers(0, 255 * divisor + 1, (height, width)) / divisor).astype(F)


@dataclasses.dataclass(frozen=True)
class Input:
    """An image by the name of its variable.

    `draw` gets a generator, the height, the width and `how`. An input without it is the one before it, with motion.
    """

    name: str
    kind: str
    channels: int = 1
    draw: Callable | None = None
    how: dict = dataclasses.field(default_factory=dict)

    def values(self, rng, height, width, before):
        array = self.draw(rng, height, width, **self.how) if self.draw else moved(rng, before)
        array = np.ascontiguousarray(array).view(self.kind) if self.kind == "i1" else array
        if array.dtype != np.dtype(self.kind) or array.shape[2:] != ((self.channels,) if self.channels > 1 else ()):
            raise TypeError(f"{self.name} is drawn as {array.dtype} {array.shape}")
        return array


@dataclasses.dataclass(frozen=True)
class Sample:
    """`path` is of the program in its repository, or of its folder. Without a reference the program is to be refused.

    `relative` bounds the difference of floats, 0 asks for equal bits. With `functions`, integers are truncated from
    values of expf, powf or logf: one of these that is not the C library's may move them by 1. With `bytes_of_words`, a
    word is four bytes.
    """

    path: str
    reference: Callable | None
    inputs: tuple
    sizes: tuple = ((9, 7), (37, 29), (64, 48))
    relative: float = 0
    functions: bool = False
    bytes_of_words: bool = False
    constants: tuple = ("WIDTH", "HEIGHT")
    language: str = "hipacc"
    scalars: dict = dataclasses.field(default_factory=dict)

    def file(self):
        return self.path if self.path.endswith(".cpp") else self.path + "/src/main.cpp"

    def draw(self, rng, width, height):
        arrays = {}
        for item in self.inputs:
            arrays[item.name] = item.values(rng, height, width, next(reversed(arrays.values()), None))
        return arrays

    def run(self, arrays, text, width, height):
        sizes = dict(zip(self.constants, (width, height)))
        with np.errstate(over="ignore"):
            return {name: np.asarray(value) for name, value in self.reference(arrays, Program(text, sizes)).items()}


DARK = (Input("in", "u1", 4, lanes(smooth), {"low": 30, "high": 120}),)
GRAY = (Input("in", "u1", 1, full),)
RGBA = (Input("in", "u1", 4, lanes(full)),)
WORDS = (Input("in", "u4", 1, words(full)),)
PHOTO = (Input("in", "u1", 1, smooth),)
PHOTO_RGBA = (Input("in", "u1", 4, lanes(smooth)),)
PHOTO_WORDS = (Input("in", "u4", 1, words(smooth), {"low": 10}),)
TEXTURE = {"cell": 4, "noise": 0}
PAIR = (Input("in1", "u1", 1, smooth, TEXTURE), Input("in2", "u1"))
FLOW = ((37, 29), (64, 48), (96, 64))

SAMPLES = (
    Sample("0_Point_Operators/Color_Conversion", color_conversion, RGBA),
    Sample("0_Point_Operators/Scaling", scaling, GRAY, sizes=((2, 2), (37, 29), (64, 48))),
    Sample("0_Point_Operators/Windowing", windowing, (Input("in", "f4", 1, steps(64)),)),
    Sample("1_Local_Operators/Box_Blur", box_blur, GRAY),
    Sample("1_Local_Operators/Box_Blur_RGBA", box_blur, RGBA),
    Sample("1_Local_Operators/Dilate", dilate, GRAY),
    Sample("1_Local_Operators/Dilate_RGBA", dilate, RGBA),
    Sample("1_Local_Operators/Erode", erode, GRAY),
    Sample("1_Local_Operators/Erode_RGBA", erode, RGBA),
    Sample("1_Local_Operators/Gaussian_Blur", gaussian_blur, GRAY),
    Sample("1_Local_Operators/Gaussian_Blur_RGBA", gaussian_blur, RGBA),
    Sample("1_Local_Operators/Laplace", laplace, PHOTO),
    Sample("1_Local_Operators/Laplace_RGBA", laplace, PHOTO_RGBA),
    Sample("1_Local_Operators/Unsharp", unsharp, DARK, functions=True),
    Sample("2_Global_Operators/Histogram", histogram, (Input("in", "f4", 1, steps(8)),)),
    Sample("2_Global_Operators/Reduction_Max", reduction_max, (Input("in", "f4", 1, steps(16)),)),
    Sample("2_Global_Operators/Reduction_Sum", reduction_sum, (Input("in", "f4", 1, steps(16)),)),
    Sample("3_Preprocessing/Bilateral_Filter", bilateral, PHOTO, functions=True),
    Sample("3_Preprocessing/Bilateral_Filter_RGBA", bilateral, PHOTO_RGBA, functions=True),
    Sample("3_Preprocessing/Harris_Corner", harris, PHOTO),
    Sample("3_Preprocessing/Optical_Flow", optical_flow, PAIR, FLOW),
    Sample("3_Preprocessing/ShiTomasi_Corner", shi_tomasi, PHOTO),
    Sample("3_Preprocessing/Sobel", sobel, GRAY),
    Sample("3_Preprocessing/Sobel_RGBA", sobel, RGBA),
    Sample("4_Postprocessing/Bokeh_Effect", bokeh, PHOTO_WORDS, bytes_of_words=True),
    Sample("4_Postprocessing/Chromatic_Abberation", chromatic, WORDS, bytes_of_words=True),
    Sample("4_Postprocessing/Night_Filter", night, PHOTO_WORDS, bytes_of_words=True),
    Sample("5_Other/Game_of_Life", game_of_life, GRAY, sizes=((3, 3), (37, 29), (64, 48))),
    Sample(
        "5_Other/Gaussian_Laplacian_Pyramid",
        pyramid,
        (Input("gaus", "i1", 1, full),),
        sizes=((16, 16), (37, 29), (64, 48)),
    ),
    Sample("5_Other/Mandelbrot", mandelbrot, (), ((64, 48), (1200, 800)), functions=True, bytes_of_words=True),
    Sample(
        "5_Other/Motion_Interpolation",
        motion_interpolation,
        (Input("in1", "u1", 4, lanes(smooth), TEXTURE), Input("in2", "u1", 4)),
        FLOW,
    ),
    Sample("5_Other/WCE_Enhance", wce_enhance, GRAY, relative=2e-6),
    Sample("6_Test/Kernel_Fusion_L2L", chain("ll"), GRAY),
    Sample("6_Test/Kernel_Fusion_L2P", chain("lpp"), GRAY),
    Sample("6_Test/Kernel_Fusion_Mixed", chain("pplpplpp"), GRAY),
    Sample("6_Test/Kernel_Fusion_P2L", chain("ppl"), GRAY),
    Sample("6_Test/Kernel_Fusion_P2P", chain("ppp"), GRAY),
)
