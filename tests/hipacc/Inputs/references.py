"""What the programs of bench/pipelines/hipacc compute, in numpy, by the definition of HIPAcc's language.

  references.py PROGRAM [--from=hipacc …] WIDTHxHEIGHT… [--interp] [OPTION…]

pm-run computes the outputs at each size, of random inputs; other OPTIONs go to it. With --parameters the size is one of
the call, and the program is compiled once for all sizes. Integers must be equal, floats within
2e-6 of the reference. With --check, pm-run compares with the interpreter, too. A kernel is a function of arrays over the
space; an accessor is read at offsets, which may be arrays. Integers are of int64 where C has int, and wrap when stored.
"""
import ctypes
import ctypes.util
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
F, I = np.float32, np.int64
TOLERANCE = 2e-6
LIBM = ctypes.CDLL(ctypes.util.find_library("m"))


def expf(values):
    LIBM.expf.restype, LIBM.expf.argtypes = ctypes.c_float, [ctypes.c_float]
    return np.array([LIBM.expf(v) for v in values.ravel()], F).reshape(values.shape)


def sinf(value):
    LIBM.sinf.restype, LIBM.sinf.argtypes = ctypes.c_float, [ctypes.c_float]
    return F(LIBM.sinf(value))


def promoted(pixels):
    return pixels.astype(I) if pixels.dtype.kind in "iu" and pixels.ndim == 2 else pixels


class Space:
    """Positions of the space, from 0; the region of an image of this size by default."""

    def __init__(self, image, width=None, height=None, x=0, y=0):
        self.width, self.height = width or image.shape[1], height or image.shape[0]
        self.x, self.y = np.meshgrid(np.arange(self.width), np.arange(self.height))
        self.rows, self.columns = slice(y, y + self.height), slice(x, x + self.width)


class Accessor:
    def __init__(self, image, space, rule=None, value=0, region=None, mode=None):
        self.image, self.space, self.rule, self.value, self.mode = image, space, rule, value, mode
        self.width, self.height, self.ox, self.oy = region or (image.shape[1], image.shape[0], 0, 0)

    def ruled(self, i, lo, n, size, rule):
        if rule == "clamp":
            return np.minimum(np.maximum(i, lo), lo + n - 1)
        if rule == "mirror":
            return np.where(i < lo, 2 * lo - 1 - i, np.where(i >= lo + n, 2 * (lo + n) - 1 - i, i))
        if rule == "repeat":
            return lo + np.mod(i - lo, n)
        return np.minimum(np.maximum(i, 0), size - 1)

    def pixel_at(self, i, j):
        return promoted(self.image[self.ruled(self.oy + j, 0, 0, self.image.shape[0], None), self.ruled(self.ox + i, 0, 0, self.image.shape[1], None)])

    def fetch(self, x, y, rule):
        """Of the region's coordinates, by the rule."""
        i, j = self.ox + x, self.oy + y
        height, width = self.image.shape[:2]
        found = promoted(self.image[self.ruled(j, self.oy, self.height, height, rule), self.ruled(i, self.ox, self.width, width, rule)])
        if rule != "constant":
            return found
        inside = (i >= self.ox) & (i < self.ox + self.width) & (j >= self.oy) & (j < self.oy + self.height)
        return np.where(inside.reshape(inside.shape + (1,) * (found.ndim - 2)), found, np.asarray(self.value).astype(found.dtype))

    def __call__(self, dx=0, dy=0):
        space = self.space
        if self.mode and (self.width, self.height) != (space.width, space.height):
            return self.interpolated(dx, dy)
        return self.fetch(space.x + dx, space.y + dy, self.rule)

    def taps(self, n, m, position):
        s = F(n) / F(m)
        at = s / F(2) + s * position.astype(F)
        if self.mode == "NN":
            return [(np.trunc(at).astype(I), None)]
        b = np.maximum(at - F(0.5), F(0))
        i = np.trunc(b).astype(I)
        f = b - i.astype(F)
        first, last = {"LF": (0, 1), "CF": (-1, 2), "L3": (-2, 3)}[self.mode]
        return [(i + t, self.weight(f, t)) for t in range(first, last + 1)]

    def weight(self, f, t):
        if self.mode == "LF":
            return f if t else F(1) - f
        d = np.abs(f - F(t))
        if self.mode == "CF":
            near = F(1.5) * (d * d * d) - F(2.5) * (d * d) + F(1)
            far = F(-0.5) * (d * d * d) + F(2.5) * (d * d) - F(4) * d + F(2)
            return np.where(d < 1, near, np.where(d < 2, far, F(0))).astype(F)
        return np.vectorize(lanczos, otypes=[F])(d)

    def interpolated(self, dx, dy):
        rule = self.rule or "clamp"
        space = self.space
        columns, rows = self.taps(self.width, space.width, space.x + dx), self.taps(self.height, space.height, space.y + dy)
        if self.mode == "NN":
            return self.fetch(columns[0][0], rows[0][0], rule)
        total = None
        for j, wy in rows:
            for i, wx in columns:
                term = (wy * wx) * self.fetch(i, j, rule).astype(F)
                total = term if total is None else total + term
        return promoted(np.trunc(total).astype(self.image.dtype)) if self.image.dtype.kind in "iu" else total


def lanczos(d):
    if d == 0 or d >= 3:
        return F(d == 0)
    d = F(d)
    p = F(np.pi) * d
    return F(3) * sinf(p / F(3)) * sinf(p) / (p * p)


def offsets(width, height, holes=()):
    """Of a window, row by row."""
    return [(x - width // 2, y - height // 2) for y in range(height) for x in range(width) if (x - width // 2, y - height // 2) not in holes]


def summed(terms):
    total = None
    for term in terms:
        total = term if total is None else total + term
    return total


def convolved(accessor, mask):
    sy, sx = mask.shape
    return summed(mask[dy + sy // 2, dx + sx // 2] * accessor(dx, dy).astype(mask.dtype) for dx, dy in offsets(sx, sy))


GAUSS3 = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], F) / F(16)


def table(program, name, kind):
    """The array of constants that the program declares by this name."""
    with open(program) as file:
        rows = re.search(rf"\b{name}(?:\[\d+\])+ = {{(.*?)}};", file.read(), re.S)[1]
    return np.array([[float(word.rstrip("f")) for word in row.split(",")] for row in re.findall(r"{([^{}]+)}", rows)]).astype(kind)


def gauss5(program, photo):
    space = Space(photo)
    blurred = convolved(Accessor(photo, space, "mirror"), table(program, "coef", F))
    return dict(blurred=np.trunc(blurred + F(0.5)).astype("u1"))


def laplace5(program, photo):
    a = Accessor(photo, Space(photo), "clamp")
    total = summed(a(dx, dy) for dx, dy in offsets(5, 5)) - 25 * a()
    return dict(edges=np.clip(total + 128, 0, 255).astype("u1"))


def laplace(program, photo):
    outs = {}
    for name, rule in dict(clamped="clamp", mirrored="mirror", repeated="repeat", constant="constant").items():
        a = Accessor(photo, Space(photo), rule, 100)
        total = a(0, -1) + a(-1, 0) - 4 * a() + a(1, 0) + a(0, 1)
        most = np.max([a(dx, dy) for dx, dy in offsets(5, 3, holes=[(0, 0), (-2, -1)])], axis=0)
        outs[name] = (np.clip(total + 128, 0, 255) * 256 + most).astype("i4")
    return outs


def bilateral(program, photo):
    a = Accessor(photo, Space(photo), "clamp")
    centre = a().astype(F)
    d, p = np.zeros(photo.shape, F), np.zeros(photo.shape, F)
    for dx, dy in offsets(13, 13):
        closeness = expf(np.array(-F(dx * dx + dy * dy) / F(2 * 9)))
        diff = a(dx, dy).astype(F) - centre
        s = expf(-(F(0.5) / F(16 * 16)) * diff * diff) * closeness
        d = d + s
        p = p + s * a(dx, dy).astype(F)
    return dict(smooth=p / d)


def harris(program, photo):
    space, a = Space(photo), Accessor(photo, Space(photo), "clamp")

    def derivative(points):
        total = summed((a(dx, dy) * sign).astype("i2") for dx, dy, sign in points)
        return np.trunc(total / 6).astype("i1").astype(I)

    dx = derivative([(i, j, i) for j in (-1, 0, 1) for i in (-1, 1)])
    dy = derivative([(i, j, j) for j in (-1, 1) for i in (-1, 0, 1)])

    def smooth(product):
        return np.trunc(convolved(Accessor(product.astype("i2"), space, "clamp"), GAUSS3)).astype("i2").astype(I)

    x, y, xy = smooth(dx * dx), smooth(dy * dy), smooth(dx * dy)
    r = (x * y - xy * xy).astype(F) - F(0.04) * (x + y).astype(F) * (x + y).astype(F)
    return dict(corners=(r > 20000).astype("u1"))


def unsharp(program, photo):
    pixel = photo.astype(F)
    sharp = pixel + F(1.5) * (pixel - convolved(Accessor(pixel, Space(photo), "clamp"), GAUSS3))
    result = np.trunc(np.clip(sharp, 0, 255)).astype("u1")
    red = np.where(photo[..., 3] < 128, np.maximum(photo[..., 0], result[..., 0]), result[..., 0])
    return dict(sharp=np.stack([red, result[..., 1], result[..., 2], photo[..., 3]], axis=2))


def statistics(program, photo):
    space = Space(photo)
    histogram = np.zeros(32, "u4")
    np.add.at(histogram, (photo.astype(I) * 32 // 256)[space.x % 2 == space.y % 2], 1)
    checksum = 0
    for i, v in enumerate(photo.ravel().tolist()):
        checksum = (checksum * 31 + (v ^ checksum >> 27)) % 2**32 if i else v
    least, most = int(photo.min()), int(photo.max())
    return dict(histogram=histogram, total=np.array(photo.sum(), "u4"), checksum=np.array(checksum, "u4"),
                stretched=((photo.astype(I) - least) * 255 // max(most - least, 1)).astype("u1"))


def pyramid(program, photo):
    mask = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], I)
    levels, details = [photo], []
    for _ in range(2):
        fine, half = levels[-1], np.zeros((levels[-1].shape[0] // 2, levels[-1].shape[1] // 2))
        blurred = np.trunc(convolved(Accessor(fine, Space(fine), "clamp"), mask) / 16).astype("i2")
        levels.append(Accessor(blurred, Space(half), mode="NN")().astype("i2"))
        up = Accessor(levels[-1], Space(fine), mode="LF")()
        details.append((fine.astype(I) - up).astype("i2"))
    for detail in reversed(details):
        up = Accessor(levels.pop(), Space(detail), mode="LF")()
        levels[-1] = (up + np.trunc(3 * detail.astype(I) / 2).astype(I)).astype("i2")
    return dict(photo_out=levels[0], details=details[0])


def crop(program, photo):
    height, width = photo.shape
    everywhere = Space(photo)
    framed = (photo.astype(I) + 3 * everywhere.x - everywhere.y).astype("i2")
    left, top = width // 4, height // 3
    region = (width - left - width // 5, height - top - height // 4, left, top)
    inside = Space(photo, *region)
    walls, tiles, all_ = (Accessor(photo, inside, "constant", 255, region), Accessor(photo, inside, "repeat", region=region), Accessor(photo, inside))
    total = summed(walls(dx, dy) for dx, dy in offsets(3, 3))
    difference = (total // 9 - tiles(7, -5)).astype("i2").astype(I)
    difference = (difference + all_.pixel_at(walls() % 4, inside.y)).astype("i2").astype(I)
    old = framed[inside.rows, inside.columns].astype(I)
    framed[inside.rows, inside.columns] = np.where(inside.x < 2, old, old + difference).astype("i2")
    return dict(framed=framed)


def interpolate(program, photo):
    """Of Inputs/interpolate.cpp."""
    outs = {}
    for name in ("nearest", "linear", "cubic", "lanczos"):
        mode = dict(nearest="NN", linear="LF", cubic="CF", lanczos="L3")[name]
        for size, (w, h) in dict(up=(photo.shape[1] + 3, 2 * photo.shape[0]), down=(photo.shape[1] // 2 + 1, (photo.shape[0] + 3) // 4)).items():
            space = Space(None, w, h)
            for rule in ("clamp", "mirror", "repeat", "constant"):
                a = Accessor(photo, space, rule, 7.5, mode=mode)
                outs[f"{name}_{size}_{rule}"] = a(0, 0) + F(2) * a(1, -1)
    return outs


def draw(program, width, height):
    rng = np.random.default_rng(width * 1000 + height)
    if program == "pyramid":
        return rng.integers(-999, 1000, (height, width)).astype("i2")
    if program == "interpolate":
        return rng.integers(1, 99, (height, width)).astype(F)
    photo = rng.integers(0, 256, (height, width, 4) if program == "unsharp" else (height, width)).astype("u1")
    if program == "harris":  # edges, so that there are corners
        photo = (photo // 128 * 127 + photo % 128).astype("u1").repeat(3, 0).repeat(3, 1)[:height, :width]
    return photo


def difference(got, want):
    if got.dtype != want.dtype or (got.shape != want.shape and not got.size == want.size == 1):
        return f"{got.dtype} {got.shape}, should be {want.dtype} {want.shape}"
    got = got.reshape(want.shape)
    if want.dtype.kind == "f":
        wrong = ~(np.abs(got.astype("f8") - want) <= TOLERANCE * np.maximum(np.abs(want), 1))
    else:
        wrong = got != want
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{np.count_nonzero(wrong)} of {want.size} differ, at {at}: {got[at]}, should be {want[at]}"


def compare(path, width, height, options, environment):
    name = os.path.splitext(os.path.basename(path))[0]
    photo = draw(name, width, height)
    wants = globals()[name](path, photo)
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "in.npy"), photo)
        words = [option for option in options if option != "--parameters"]
        given = ["--size", "WIDTH", "--size", "HEIGHT", "--estimate=WIDTH=64", "--estimate=HEIGHT=48"] if "--parameters" in options else ["--const", f"WIDTH={width}", "--const", f"HEIGHT={height}"]
        command = ["pm-run", "--from=hipacc", path, "--fp=strict", *given, "--in", f"photo={folder}/in.npy", *words]
        for out in wants:
            command += ["--out", f"{out}={folder}/{out}.npy"]
        ran = subprocess.run(command, capture_output=True, text=True, env=environment)
        if ran.returncode:
            return [f"exit status {ran.returncode}: {ran.stderr}"]
        found = {out: difference(np.load(f"{folder}/{out}.npy"), want) for out, want in wants.items()}
    return [f"{out}: {what}" for out, what in found.items() if what]


def main():
    path, words = sys.argv[1], sys.argv[2:]
    sizes = [word for word in words if re.fullmatch(r"\d+x\d+", word)]
    wrong = 0
    with tempfile.TemporaryDirectory() as kept:
        environment = {**os.environ, "PM_CACHE_DIR": kept}
        for size in sizes:
            for message in compare(path, *map(int, size.split("x")), [word for word in words if word not in sizes], environment):
                print(f"FAIL: {os.path.basename(path)} {size}: {message}")
                wrong += 1
    print(f"{len(sizes)} sizes, {wrong} wrong")
    sys.exit(1 if wrong or not sizes else 0)


if __name__ == "__main__":
    main()
