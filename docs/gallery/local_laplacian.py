"""The local Laplacian filter of Paris, Hasinoff and Kautz: details grow, edges do not. Five sizes, eight shades."""
from picture import *

img = picture()
SIZES, SHADES = 5, 8
k = Variable(Int, "k")


def points(l, m, copies=SHADES + 1):
    """Of copies with rows of size l and columns of size m; each size is half of the one before."""
    return [k, x, y], [Interval(Int, 0, n) for n in (copies - 1, (R - 1) // 2 ** l, (C - 1) // 2 ** m)]


def down(f, l):
    rows = stage(sum(w * f(k, 2 * x + i - 2, y) for i, w in enumerate([1, 4, 6, 4, 1])) / 16, points=points(l, l - 1))
    return stage(sum(w * rows(k, x, 2 * y + i - 2) for i, w in enumerate([1, 4, 6, 4, 1])) / 16, points=points(l, l))


def twice(f, at):
    at, is_even = at // 2, at % 2 == 0
    return Select(is_even, (f(at - 1) + 6 * f(at) + f(at + 1)) / 8, (f(at) + f(at + 1)) / 2)


def up(f, l, copies=SHADES):
    """Size l of a smaller one, as a function of the copy."""
    rows = stage(twice(lambda i: f(k, i, y), x), points=points(l, l + 1, copies))
    return lambda copy: twice(lambda j: rows(copy, x, j), y)


away = img(x, y) - Cast(Float, k) / (SHADES - 1)
remapped = img(x, y) + away * Exp(-18 * away * away)
sizes = [stage(Select(k == SHADES, img(x, y), remapped), points=points(0, 0))]  # the last copy is the picture itself
for l in range(1, SIZES):
    sizes.append(down(sizes[-1], l))

out = None
for l in reversed(range(SIZES)):
    shade = sizes[l](SHADES, x, y) * (SHADES - 1)
    low = Min(Max(Cast(Int, shade), 0), SHADES - 2)
    rough = up(sizes[l + 1], l) if out else lambda copy: 0
    below, above = [sizes[l](copy, x, y) - rough(copy) for copy in (low, low + 1)]
    detail = below + (shade - low) * (above - below)
    out = stage(up(out, l, 1)(0) + detail if out else detail, points=points(l, l, 1))
detailed = stage(out(0, x, y))
local_laplacian = pm.compile(detailed)


def inputs(photo):
    return [unit(gray(photo))]


def reference(p):
    """OpenCV's pyramids and NumPy: OpenCV has no such filter."""
    import cv2

    def pyramid(p):
        sizes = [p]
        while len(sizes) < SIZES:
            sizes.append(cv2.pyrDown(sizes[-1]))
        return sizes

    def up(small, like):
        return cv2.pyrUp(small, dstsize=like.shape[::-1])

    def remapped(k):
        away = p - numpy.float32(k / (SHADES - 1))
        return p + away * cv2.exp(-18 * away * away)

    copies = [pyramid(remapped(k)) for k in range(SHADES)]
    out = None
    for l, picture in reversed(list(enumerate(pyramid(p)))):
        details = numpy.stack([g[l] if out is None else g[l] - up(g[l + 1], g[l]) for g in copies])
        shade = picture * (SHADES - 1)
        low = numpy.clip(shade.astype("int32"), 0, SHADES - 2)
        below, above = (numpy.take_along_axis(details, low[None] + i, 0)[0] for i in (0, 1))
        detail = below + (shade - low) * (above - below)
        out = detail if out is None else up(out, detail) + detail
    return out


PEER = "cv2.pyrDown, cv2.pyrUp, NumPy"
LARGEST, BORDER = 1e-5, 64
DIFFERS = "At the lower and right border, OpenCV's pyrUp repeats the edge."
