"""The benchmark pipelines of windows with borders once more, in numpy: each takes the inputs by name and the constants of
the program by name. Independent of the interpreter; floats in the written order, so that every bit is fixed.
"""
import numpy as np

from reference import F

MODES = {1: "edge", 2: "wrap", 3: "symmetric"}


def around(padded, shape, width, i, j):
    """The neighbours (i, j) of all points of an array that was padded by `width`."""
    return padded[width + i : width + i + shape[0], width + j : width + j + shape[1]]


def window(width):
    return [(i, j) for i in range(-width, width + 1) for j in range(-width, width + 1)]


def weighted(weights, parts):
    total = F(weights[0]) * parts[0]
    for weight, part in zip(weights[1:], parts[1:]):
        total = total + F(weight) * part
    return total


def gauss5(arrays, constants):
    img = arrays["img"].astype(F)
    mode, border = constants.get("MODE", 1), F(constants.get("BORDER", 0))
    weights = [0.070766, 0.244461, 0.369546, 0.244461, 0.070766]
    if mode == 4:
        extended = np.pad(img, [(0, 0), (2, 2)], constant_values=border)
    elif mode == 0:
        extended = img
    else:
        extended = np.pad(img, [(0, 0), (2, 2)], MODES[mode])
    n = max(extended.shape[1] - 4, 0)
    along = weighted(weights, [extended[:, k : k + n] for k in range(5)])
    if mode == 4:
        along = np.pad(along, [(2, 2), (0, 0)], constant_values=border)
    elif mode != 0:
        along = np.pad(along, [(2, 2), (0, 0)], MODES[mode])
    n = max(along.shape[0] - 4, 0)
    result = weighted(weights, [along[k : k + n] for k in range(5)])
    return result if constants.get("FLOATS") else (result + F(0.5)).astype(np.uint8)


def laplace5(arrays, _):
    mask = np.ones((5, 5), np.int32)
    mask[2, 2] = -24
    return np.clip(conv_sum(arrays["img"], mask) + 128, 0, 255).astype(np.uint8)


def conv_sum(img, mask):
    width = mask.shape[0] // 2
    padded = np.pad(img.astype(np.int32), width, "edge")
    return sum(mask[i + width, j + width] * around(padded, img.shape, width, i, j) for i, j in window(width))


def conv(arrays, _):
    return np.clip(conv_sum(arrays["img"], arrays["mask"]), 0, 255).astype(np.uint8)


def bilateral_filter(arrays, constants):
    """In double: the pipeline's results are near."""
    radius = constants.get("RADIUS", 6)
    img = arrays["img"].astype(np.float64)
    padded = np.pad(img, radius, "edge")
    values = weights = 0
    for i, j in window(radius):
        pixel = around(padded, img.shape, radius, i, j)
        weight = np.exp(-0.5 / 256 * (pixel - img) ** 2) * np.exp(-(i * i + j * j) / (2.0 * (radius // 2) ** 2))
        values, weights = values + weight * pixel, weights + weight
    return (values / weights + 0.5).astype(np.uint8)


def divided(values, divisor):
    """Towards zero."""
    return (np.sign(values) * (np.abs(values) // divisor)).astype(np.int16)


def harris_int(arrays, _):
    prewitt = np.array([[-1, 0, 1]] * 3, np.int32)
    dx, dy = (divided(conv_sum(arrays["img"], mask), 6) for mask in (prewitt, prewitt.T))
    gauss = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], np.int32)
    x, y, xy = (divided(conv_sum(p, gauss), 16).astype(np.int32) for p in (dx * dx, dy * dy, dx * dy))
    response = (x * y - xy * xy).astype(F) - F(0.04) * ((x + y) * (x + y)).astype(F)
    return (response > 20000).astype(np.uint8)


def conv_sep(arrays, _):
    img = arrays["img"]
    rows, cols = img.shape
    padded = np.pad(img, [(0, 0), (2, 2)])
    along = weighted([0.0625, 0.25, 0.375, 0.25, 0.0625], [padded[:, k : k + cols] for k in range(5)])
    padded = np.pad(along, [(2, 2), (0, 0)])
    return weighted([0.1, 0.2, 0.4, 0.2, 0.1], [padded[k : k + rows] for k in range(5)])


def sobel(img):
    padded = np.pad(img, 1)
    p = lambda i, j: around(padded, img.shape, 1, i, j)
    return ((p(-1, 1) - p(-1, -1)) + F(2) * (p(0, 1) - p(0, -1)) + (p(1, 1) - p(1, -1))) / F(8)


def harris2x2(arrays, _):
    k = F(0.0625)
    dx, dy = sobel(arrays["img"]), sobel(arrays["img"].T).T

    def square(a, b):
        padded = np.pad(a * b, [(0, 1), (0, 1)])
        parts = [around(padded, a.shape, 0, i, j) for i in range(2) for j in range(2)]
        return parts[0] + parts[1] + parts[2] + parts[3]

    xx, yy, xy = square(dx, dx), square(dy, dy), square(dx, dy)
    return xx * yy - xy * xy - k * (xx + yy) * (xx + yy)
