# Bilateral grid as PolyMage's authors time it: the sums are made cell by cell, over windows of 9 x 9 pixels that overlap by
# one. The picture of R x C values in 0..1 stands in the middle of an array with 24 rows and columns before it and 32 after
# it, which repeat its edges, so every cell that counts is defined: this variant has one meaning, and check values.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R + 56, C + 56])
s, q, before = 8, 10, 24

c, gx, gy, z = Variable(Int, "c"), Variable(Int, "gx"), Variable(Int, "gy"), Variable(Int, "z")
x, y, i, j = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "i"), Variable(Int, "j")
planes, window = Interval(Int, 0, 1), Interval(Int, 0, s)
last_x, last_y = (R + 55) / s - 1, (C + 55) / s - 1
cell_rows, cell_cols, levels = Interval(Int, 1, last_x), Interval(Int, 1, last_y), Interval(Int, 0, q + 4)
cells = ([c, gx, gy, z], [planes, cell_rows, cell_cols, levels])

v = img(s * gx - s // 2 + i, s * gy - s // 2 + j)
bin = 2 + Min(Max(Cast(Int, v * q + 0.5), 0), q)

grid = Reduction(cells, ([gx, gy, i, j], [cell_rows, cell_cols, window, window]), Float, "grid")
grid.default = 0
grid.defn = [Reduce(grid(0, gx, gy, bin), v, Sum), Reduce(grid(1, gx, gy, bin), 1, Sum)]


# `condition` is where the five points of the window are; other cells are 0.
def blur(name, f, condition, dx, dy, dz):
    g = Function(cells, Float, name)
    g.defn = [Case(condition, f(c, gx - 2 * dx, gy - 2 * dy, z - 2 * dz) + 4 * f(c, gx - dx, gy - dy, z - dz) +
                   6 * f(c, gx, gy, z) + 4 * f(c, gx + dx, gy + dy, z + dz) +
                   f(c, gx + 2 * dx, gy + 2 * dy, z + 2 * dz))]
    return g


in_levels = (z >= 2) & (z <= q + 2)
in_rows = in_levels & (gx >= 3) & (gx <= last_x - 2)
blurz = blur("blurz", grid, in_levels, 0, 0, 1)
blurx = blur("blurx", blurz, in_rows, 1, 0, 0)
blury = blur("blury", blurx, in_rows & (gy >= 3) & (gy <= last_y - 2), 0, 1, 0)


def lerp(a, b, w):
    return a + w * (b - a)


pixel = img(x + before, y + before)
level = Min(Max(Cast(Int, pixel * q), 0), q)
xf, yf, zf = Cast(Float, x % s) / s, Cast(Float, y % s) / s, pixel * q - level


def plane(k):
    def cell(di, dj):
        return blury(c, (x + before) / s + di, (y + before) / s + dj, 2 + level + k)
    return lerp(lerp(cell(0, 0), cell(1, 0), xf), lerp(cell(0, 1), cell(1, 1), xf), yf)


rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
interpolated = Function(([c, x, y], [planes, rows, cols]), Float, "interpolated")
interpolated.defn = [lerp(plane(0), plane(1), zf)]

filtered = Function(([x, y], [rows, cols]), Float, "filtered")
filtered.defn = [Select(Condition(interpolated(1, x, y), '>', 0), interpolated(0, x, y) / interpolated(1, x, y), pixel)]
