# Bilateral grid as the Halide app has it: cells are centred on their pixels, borders are replicated, values are in 0..1
# and fall into 11 levels, so r_sigma is at least 0.1. There the number of levels and the cells around those that are read
# follow from inferred bounds; here both are written out.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
r_sigma = Parameter(Float, "r_sigma")
img = Image(Float, "img", [R, C])
s, top = 8, 10

c, gx, gy, z = Variable(Int, "c"), Variable(Int, "gx"), Variable(Int, "gy"), Variable(Int, "z")
x, y, rx, ry = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "rx"), Variable(Int, "ry")
planes, rows, cols = Interval(Int, 0, 1), Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)


# Cells with `wx`, `wy` and `wz` more on each side than the slices at the end read.
def cells(wx, wy, wz):
    return ([c, gx, gy, z], [planes, Interval(Int, -wx, (R - 1) / s + 1 + wx), Interval(Int, -wy, (C - 1) / s + 1 + wy),
                             Interval(Int, -wz, top + 1 + wz)])


def pixel(i, j):
    return Min(Max(img(Min(Max(i, 0), R - 1), Min(Max(j, 0), C - 1)), 0), 1)


v = pixel(s * gx + rx - s / 2, s * gy + ry - s / 2)
level = Min(Max(Cast(Int, v / r_sigma + 0.5), 0), top)
window = Interval(Int, 0, s - 1)
read_cells = cells(2, 2, 2)[1]
hist = Reduction(cells(2, 2, 2), ([gx, gy, rx, ry], [read_cells[1], read_cells[2], window, window]), Float, "hist")
hist.defn = [Reduce(hist(0, gx, gy, level), v, Sum), Reduce(hist(1, gx, gy, level), 1, Sum)]


def blur(name, f, domain, dx, dy, dz):
    g = Function(domain, Float, name)
    g.defn = [f(c, gx - 2 * dx, gy - 2 * dy, z - 2 * dz) + 4 * f(c, gx - dx, gy - dy, z - dz) + 6 * f(c, gx, gy, z) +
              4 * f(c, gx + dx, gy + dy, z + dz) + f(c, gx + 2 * dx, gy + 2 * dy, z + 2 * dz)]
    return g


blurz = blur("blurz", hist, cells(2, 2, 0), 0, 0, 1)
blurx = blur("blurx", blurz, cells(2, 0, 0), 0, 1, 0)
blury = blur("blury", blurx, cells(0, 0, 0), 1, 0, 0)

zv = pixel(x, y) / r_sigma
zi = Min(Max(Cast(Int, zv), 0), top)
zf = zv - zi


def lerp(a, b, w):
    return a + w * (b - a)


def plane(k):
    def cell(i, j):
        return blury(c, x / s + i, y / s + j, zi + k)
    xf, yf = Cast(Float, x % s) / s, Cast(Float, y % s) / s
    return lerp(lerp(cell(0, 0), cell(0, 1), yf), lerp(cell(1, 0), cell(1, 1), yf), xf)


interpolated = Function(([c, x, y], [planes, rows, cols]), Float, "interpolated")
interpolated.defn = [lerp(plane(0), plane(1), zf)]

filtered = Function(([x, y], [rows, cols]), Float, "filtered")
filtered.defn = [interpolated(0, x, y) / interpolated(1, x, y)]
