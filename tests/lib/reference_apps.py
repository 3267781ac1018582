"""Larger benchmark pipelines once more, in numpy: one IEEE operation after the other in the written order, except where
a sum over many pixels has no order that numpy would keep; there `np.add.at` goes through the pixels one by one.
"""
import numpy as np

import reference

F, I16, I32 = np.float32, np.int16, np.int32


class Grid:
    """An array whose first element is at `low`, read by boxes of the points that it is given at."""

    def __init__(self, array, low):
        self.array, self.low = array, low

    def box(self, ranges, scale=1, shift=(0, 0)):
        """The values at scale * p + shift for the points p of inclusive ranges of the last two dimensions."""
        parts = []
        for (first, last), low, d in zip(ranges, self.low, shift):
            start = scale * first + d - low
            parts.append(slice(start, start + scale * (last - first) + 1, scale))
        return self.array[(..., *parts)]


def trunc(a, divisor):
    """C's division of integers by a positive number."""
    return np.where(a < 0, -(-a // divisor), a // divisor)


def mean(a, b):
    return trunc(a.astype(I32) + b, 2)


def raw_picture(rows, cols):
    """i16 [rows][cols] of 10 bits as behind a Bayer filter; of the check values when rows and cols are even."""
    planes = reference.pixels(4, (rows + 1) // 2, (cols + 1) // 2).astype(I16)
    x, y = np.arange(rows, dtype=np.uint32)[:, None], np.arange(cols, dtype=np.uint32)[None, :]
    h = (x * np.uint32(73856093)) ^ (y * np.uint32(19349663)) ^ np.uint32(7 * 83492791 & 0xFFFFFFFF)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0x5BD1E995)
    h ^= h >> np.uint32(15)
    rows_of, cols_of = np.indices((rows, cols))
    plane = planes[2 * (rows_of & 1) + (cols_of & 1), rows_of >> 1, cols_of >> 1]
    return (4 * plane + (h & np.uint32(3))).astype(I16)


MATRIX_3200 = np.array(
    [[1.6697, -0.2693, -0.4004, -42.4346], [-0.3576, 1.0615, 1.5949, -37.1158], [-0.2175, -1.8751, 6.9640, -26.6970]], F
)
MATRIX_7000 = np.array(
    [[2.2997, -0.4478, 0.1706, -39.0923], [-0.3826, 1.5906, -0.2080, -25.4311], [-0.0888, -0.7344, 2.2832, -20.0826]], F
)


def nearer(a, b, choice_a, choice_b):
    return np.where(np.abs(a) < np.abs(b), choice_a, choice_b)


def demosaic(denoised, half):
    """The nine planes of half the size: two of the Bayer cell's greens, and each colour where another one was seen."""
    around = [(half[0][0] - n, half[0][1] + n, half[1][0] - n, half[1][1] + n) for n in (0, 1, 2)]
    box = [[(a, b), (c, d)] for a, b, c, d in around]

    def seen(k, l):
        return Grid(denoised.box(box[2], 2, (k, l)).astype(I32), (box[2][0][0], box[2][1][0]))

    def at(grid, n, dx, dy):
        return grid.box(box[n], 1, (dx, dy))

    def stored(values, n):
        return Grid(values.astype(I16).astype(I32), (box[n][0][0], box[n][1][0]))

    g_gr, r_r, b_b, g_gb = seen(0, 0), seen(0, 1), seen(1, 0), seen(1, 1)

    def green(side, up):
        (gy, dy), (gx, dx) = side, up
        h, v = (at(gy, 1, 0, dy), at(gy, 1, 0, 0)), (at(gx, 1, dx, 0), at(gx, 1, 0, 0))
        return stored(nearer(h[0] - h[1], v[0] - v[1], mean(*h), mean(*v)), 1)

    g_r, g_b = green((g_gr, 1), (g_gb, -1)), green((g_gb, -1), (g_gr, 1))

    def at_green(here, other, colour, dx, dy):
        return stored(
            at(here, 0, 0, 0)
            - mean(at(other, 0, 0, 0), at(other, 0, dx, dy))
            + mean(at(colour, 0, 0, 0), at(colour, 0, dx, dy)),
            0,
        )

    def at_opposite(here, other, colour, dx, dy):
        def along(a, b):
            values = at(here, 0, 0, 0) - mean(at(other, 0, *a), at(other, 0, *b))
            return values + mean(at(colour, 0, *a), at(colour, 0, *b)), at(colour, 0, *a) - at(colour, 0, *b)

        p, n = along((0, 0), (dx, dy)), along((0, dy), (dx, 0))
        return stored(nearer(p[1], n[1], p[0], n[0]), 0)

    return {
        "red": [at_green(g_gr, g_r, r_r, 0, -1), r_r, at_opposite(g_b, g_r, r_r, 1, -1), at_green(g_gb, g_r, r_r, 1, 0)],
        "green": [g_gr, g_r, g_b, g_gb],
        "blue": [at_green(g_gr, g_b, b_b, -1, 0), at_opposite(g_r, g_b, b_b, -1, 1), b_b, at_green(g_gb, g_b, b_b, 0, 1)],
    }


def interleaved(planes, rows, cols):
    """The four planes of a colour as one picture over inclusive ranges."""
    out = np.empty((rows[1] - rows[0] + 1, cols[1] - cols[0] + 1), I32)
    for k in range(2):
        for l in range(2):
            x, y = np.arange(rows[0] + (rows[0] + k) % 2, rows[1] + 1, 2), np.arange(cols[0] + (cols[0] + l) % 2, cols[1] + 1, 2)
            plane = planes[2 * k + l]
            out[np.ix_(x - rows[0], y - cols[0])] = plane.array[np.ix_(x // 2 - plane.low[0], y // 2 - plane.low[1])]
    return out


def camera_curve(contrast, gamma):
    """u8 by value + 32768."""
    level = np.clip(np.arange(-32768, 32768) / 1024.0, 0, 1)
    g = np.power(level, 1 / gamma)
    b = 2 - 2.0 ** (contrast / 100)
    a = 2 - 2 * b
    z = np.where(g > 0.5, 1 - (a * (1 - g) * (1 - g) + b * (1 - g)), a * g * g + b * g)
    return np.clip(256 * z, 0, 255).astype(np.uint8)


def camera(img, matrix_3200, matrix_7000, colour_temp=3700.0, contrast=50.0, gamma=2.0):
    """i16 [R][C] -> u8 [3][R-48][C-64], planes blue, green, red."""
    rows, cols = img.shape
    wide = img.astype(I32)
    inner = (slice(8, rows - 30), slice(12, cols - 42))

    def near(dx, dy):
        return wide[8 + dx : rows - 30 + dx, 12 + dy : cols - 42 + dy]

    around = np.stack([near(-2, 0), near(2, 0), near(0, -2), near(0, 2)])
    denoised = np.maximum(around.min(0), np.minimum(around.max(0), wide[inner]))
    half = ((6, (rows - 36) // 2), (8, (cols - 48) // 2))
    planes = demosaic(Grid(denoised, (8, 12)), half)
    out_rows, out_cols = (12, rows - 37), (16, cols - 49)
    red, green, blue = (interleaved(planes[name], out_rows, out_cols) for name in ("red", "green", "blue"))
    alpha = (F(1) / F(colour_temp) - F(1.0 / 3200)) / F(1.0 / 7000 - 1.0 / 3200)
    m = ((matrix_3200 * alpha + matrix_7000 * (F(1) - alpha)) * F(256)).astype(I32)
    curve = camera_curve(contrast, gamma)
    corrected = [trunc(m[k, 3] + m[k, 0] * red + m[k, 1] * green + m[k, 2] * blue, 256) for k in (2, 1, 0)]
    return curve[np.stack(corrected).astype(I16).astype(I32) + 32768]


def histogram(img):
    """u8 [R][C] -> i32 [256]."""
    return np.bincount(img.ravel(), minlength=256).astype(I32)


def statistics(img):
    """u8 [R][C] -> f64: least, greatest, mean, variance."""
    wide = img.astype(np.int64)
    mean = np.float64(wide.sum()) / img.size
    return np.array([wide.min(), wide.max(), mean, np.float64((wide * wide).sum()) / img.size - mean * mean])


def equalised(img):
    """u8 [R][C] -> the same."""
    rows, cols = img.shape
    cdf = np.cumsum(histogram(img)).astype(I32)
    return np.minimum(cdf[img].astype(F) * (F(255) / (F(rows) * F(cols))), F(255)).astype(np.uint8)


def blur_along(grid, axis):
    """1 4 6 4 1 in the written order; the axis loses four."""
    n = grid.shape[axis] - 4
    at = [np.take(grid, range(k, k + n), axis=axis) for k in range(5)]
    return at[0] + F(4) * at[1] + F(6) * at[2] + F(4) * at[3] + at[4]


def lerp(a, b, w):
    return a + w * (b - a)


def slice_grid(grid, corner, fractions, order):
    """Between the eight cells around; `order` names the dimensions of the first and second interpolation."""
    gx, gy, gz = corner
    planes = []
    for k in range(2):

        def cell(i, j):
            return grid[:, gx + i, gy + j, gz + k]

        xf, yf = fractions[0], fractions[1]
        if order == "xy":
            planes.append(lerp(lerp(cell(0, 0), cell(1, 0), xf), lerp(cell(0, 1), cell(1, 1), xf), yf))
        else:
            planes.append(lerp(lerp(cell(0, 0), cell(0, 1), yf), lerp(cell(1, 0), cell(1, 1), yf), xf))
    return lerp(planes[0], planes[1], fractions[2])


def only_inside(grid, like, rows, cols):
    """The values of the grid for gx 2..rows//8+1, gy 2..cols//8+1, z 2..11, zero around."""
    out = np.zeros_like(like)
    inside = (slice(None), slice(2, rows // 8 + 2), slice(2, cols // 8 + 2), slice(2, 12))
    out[inside] = grid[inside]
    return out


def padded_blur(grid, axis, rows, cols):
    wide = np.pad(grid, [(2, 2) if d == axis else (0, 0) for d in range(4)])
    return only_inside(blur_along(wide, axis), grid, rows, cols)


def bilateral(img):
    """f32 [R][C] in 0..1 -> the same."""
    rows, cols = img.shape
    x, y = np.indices(img.shape)
    zi = np.clip((img * F(10)).astype(I32), 0, 10)
    grid = np.zeros((2, rows // 8 + 4, cols // 8 + 4, 14), F)
    cells = (2 + x // 8, 2 + y // 8, 2 + zi)
    np.add.at(grid[0], cells, img)
    np.add.at(grid[1], cells, F(1))
    for axis in (3, 1, 2):
        grid = padded_blur(grid, axis, rows, cols)
    fractions = ((x % 8).astype(F) / F(8), (y % 8).astype(F) / F(8), img * F(10) - zi.astype(F))
    value, weight = slice_grid(grid, cells, fractions, "xy")
    return np.where(weight > 0, value / np.where(weight > 0, weight, F(1)), img)


def bilateral_halide(img, r_sigma=0.1):
    """f32 [R][C] -> the same; r_sigma is at least 0.1."""
    rows, cols = img.shape
    scale = F(1) / F(r_sigma)
    extents = ((rows - 1) // 8 + 6, (cols - 1) // 8 + 6)
    clamped = np.clip(img, F(0), F(1))
    x, y = (np.clip(np.arange(8 * n) - 20, 0, size - 1) for n, size in zip(extents, img.shape))
    v = clamped[np.ix_(x, y)]
    level = np.clip((v * scale + F(0.5)).astype(I32), 0, 10)
    gx, gy = np.indices(v.shape) // 8
    grid = np.zeros((2, *extents, 16), F)
    np.add.at(grid[0], (gx, gy, level + 2), v)
    np.add.at(grid[1], (gx, gy, level + 2), F(1))
    for axis in (3, 2, 1):
        grid = blur_along(grid, axis)
    zv = clamped * scale
    zi = np.clip(zv.astype(I32), 0, 10)
    x, y = np.indices(img.shape)
    fractions = ((x % 8).astype(F) / F(8), (y % 8).astype(F) / F(8), zv - zi.astype(F))
    value, weight = slice_grid(grid, (x // 8, y // 8, zi), fractions, "yx")
    return value / weight


def bilateral_windows(img):
    """f32 [R+56][C+56], the picture at (24, 24), in 0..1 -> [R][C]."""
    rows, cols = img.shape[0] - 56, img.shape[1] - 56
    extents = ((rows + 55) // 8 - 1, (cols + 55) // 8 - 1)
    x, y = ((8 * (1 + np.arange(n))[:, None] - 4 + np.arange(9)).ravel() for n in extents)
    v = img[np.ix_(x, y)]
    level = 2 + np.clip((v * F(10) + F(0.5)).astype(I32), 0, 10)
    gx, gy = np.indices(v.shape) // 9
    grid = np.zeros((2, *extents, 15), F)
    np.add.at(grid[0], (gx, gy, level), v)
    np.add.at(grid[1], (gx, gy, level), F(1))
    for axis in (3, 1, 2):
        grid = np.pad(blur_along(grid, axis), [(2, 2) if d == axis else (0, 0) for d in range(4)])
    middle = img[24 : 24 + rows, 24 : 24 + cols]
    zi = np.clip((middle * F(10)).astype(I32), 0, 10)
    x, y = np.indices(middle.shape)
    fractions = ((x % 8).astype(F) / F(8), (y % 8).astype(F) / F(8), middle * F(10) - zi.astype(F))
    value, weight = slice_grid(grid, (x // 8 + 2, y // 8 + 2, zi + 2), fractions, "xy")
    return np.where(weight > 0, value / np.where(weight > 0, weight, F(1)), middle)


def jacobi(v, f, steps=10):
    """f64 [N+2]^d, d = 2 or 3; the ghosts stay."""
    d, n = v.ndim, v.shape[0] - 2
    h = 1.0 / (n + 1)
    cj = 0.8 * h * h / 4 if d == 2 else 8.0 / 9 * h * h / 6
    ih = 1 / (h * h)
    inside = (slice(1, -1),) * d
    for _ in range(steps):
        total = 0.0
        for shift in sorted([s for s in np.ndindex((3,) * d) if sum(k != 1 for k in s) <= 1]):
            part = v[tuple(slice(k, k + n) for k in shift)]
            total = total + (2.0 * d * part if all(k == 1 for k in shift) else -1.0 * part)
        new = v.copy()
        new[inside] = v[inside] - cj * (total * ih - f[inside])
        v = new
    return v


def minifluxdiv(box):
    """f64 [5][N+4]^3 -> [5][N]^3."""
    n = box.shape[1] - 4

    def difference(axis, velocity):
        def cell(shift):
            index = [slice(None)] + [slice(2, 2 + n)] * 3
            index[axis] = slice(2 + shift, 3 + n + shift)
            return box[tuple(index)]

        f1 = 1.0 / 12 * (cell(-2) + 7.0 * (cell(-1) + cell(0)) + cell(1))
        f2 = 2.0 * (f1 * f1[velocity])
        return np.diff(f2, axis=axis)

    inner = box[:, 2:-2, 2:-2, 2:-2]
    return difference(1, 4) + difference(2, 3) + difference(3, 2) + inner
