"""The benchmark pipelines once more, in numpy: one IEEE operation after the other in the written order, so that every
bit is fixed. Independent of the compiler's own interpreter. Also the synthetic input and its small variations.
"""
import numpy as np

F = np.float32


def pixels(channels, rows, cols):
    """u8 [channels][rows][cols]: a ramp with noise and edges where it wraps, the input of all check values."""
    out = np.empty((channels, rows, cols), np.uint8)
    x = np.arange(rows, dtype=np.uint32)[:, None]
    y = np.arange(cols, dtype=np.uint32)[None, :]
    for c in range(channels):
        h = (x * np.uint32(73856093)) ^ (y * np.uint32(19349663)) ^ np.uint32(c * 83492791 & 0xFFFFFFFF)
        h ^= h >> np.uint32(13)
        h *= np.uint32(0x5BD1E995)
        h ^= h >> np.uint32(15)
        ramp = (x + np.uint32(2) * y + np.uint32(64 * c)) >> np.uint32(3)
        out[c] = (ramp + (h & np.uint32(31))) & np.uint32(255)
    return out


def unit(picture):
    return picture.astype(F) / F(255)


def stencil3(img, weights):
    """Over the interior of a 2-D array: the sum in the written order of weight * img(x+i, y+j)."""
    rows, cols = img.shape
    total = None
    for i, j, weight in weights:
        term = F(weight) * img[1 + i : rows - 1 + i, 1 + j : cols - 1 + j]
        total = term if total is None else total + term
    return total


def harris(img):
    """[R+2][C+2] -> the same shape; zero where it is not defined."""
    rows, cols = img.shape
    out = np.zeros_like(img)
    if rows < 5 or cols < 5:
        return out
    a, b = F(1.0) / F(12.0), F(2.0) / F(12.0)
    iy = stencil3(img, [(-1, -1, -a), (-1, 1, a), (0, -1, -b), (0, 1, b), (1, -1, -a), (1, 1, a)])
    ix = stencil3(img, [(-1, -1, -a), (1, -1, a), (-1, 0, -b), (1, 0, b), (-1, 1, -a), (1, 1, a)])
    nine = [(i, j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    sxx, syy, sxy = (stencil3(p, nine) for p in (ix * ix, iy * iy, ix * iy))
    det = sxx * syy - sxy * sxy
    trace = sxx + syy
    out[2:-2, 2:-2] = det - F(0.04) * trace * trace
    return out


def five(p, axis):
    """1 4 6 4 1 along an axis, in the written order; the axis loses four."""
    n = p.shape[axis] - 4
    at = [np.take(p, range(k, k + n), axis=axis) for k in range(5)]
    return at[0] + F(4) * at[1] + F(6) * at[2] + F(4) * at[3] + at[4]


def unsharp(img, threshold=0.001, weight=3.0):
    """[3][R+4][C+4] -> [3][R][C]."""
    blurx = five(img, 1) * F(0.0625)
    blury = five(blurx, 2) * F(0.0625)
    middle = img[:, 2:-2, 2:-2]
    sharpen = middle * (F(1) + F(weight)) - blury * F(weight)
    return np.where(np.abs(middle - blury) < F(threshold), middle, sharpen).astype(F)


def box(img, divide):
    """3x3 box blur in two steps, rows first: [R+2][C+2] -> [R][C]; without elements when one of these is not positive."""
    rows, cols = img.shape
    if rows < 3 or cols < 3:
        return np.zeros((0, 0), img.dtype)
    bx = divide(img[:, :-2], img[:, 1:-1], img[:, 2:])
    return divide(bx[:-2], bx[1:-1], bx[2:])


def blur_f32(img):
    return box(img, lambda a, b, c: (a + b + c) / F(3))


def blur_u16(img):
    """The sums are of type int."""
    return box(img, lambda a, b, c: ((a.astype(np.int32) + b + c) // 3).astype(np.uint16))


def pad_ring(img, width):
    """A ring of zeros around the last two dimensions."""
    return np.pad(img, [(0, 0)] * (img.ndim - 2) + [(width, width)] * 2)
