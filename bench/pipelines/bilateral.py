# Bilateral grid as PolyMage's text has it: a histogram over space (8 x 8 pixels a cell) and value (10 levels), blurred,
# and read back at each pixel between the cells. img is in 0..1. That text is not complete: the blurs are defined on part of the
# cells only, but read one and two beyond it, at the last rows, columns and levels. Here such cells are 0.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
s, q = 8, 10

c, gx, gy, z = Variable(Int, "c"), Variable(Int, "gx"), Variable(Int, "gy"), Variable(Int, "z")
x, y = Variable(Int, "x"), Variable(Int, "y")
planes, rows, cols = Interval(Int, 0, 1), Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
cells = ([c, gx, gy, z], [planes, Interval(Int, 0, R / s + 3), Interval(Int, 0, C / s + 3), Interval(Int, 0, q + 3)])
level = Min(Max(Cast(Int, img(x, y) * q), 0), q)

grid = Reduction(cells, ([x, y], [rows, cols]), Float, "grid")
grid.default = 0
grid.defn = [Reduce(grid(0, 2 + x / s, 2 + y / s, 2 + level), img(x, y), Sum),
             Reduce(grid(1, 2 + x / s, 2 + y / s, 2 + level), 1, Sum)]

inside = (gx >= 2) & (gx <= R / s + 1) & (gy >= 2) & (gy <= C / s + 1) & (z >= 2) & (z <= q + 1)


def blur(name, f, dx, dy, dz):
    g = Function(cells, Float, name)
    g.defn = [Case(inside, f(c, gx - 2 * dx, gy - 2 * dy, z - 2 * dz) + 4 * f(c, gx - dx, gy - dy, z - dz) +
                   6 * f(c, gx, gy, z) + 4 * f(c, gx + dx, gy + dy, z + dz) +
                   f(c, gx + 2 * dx, gy + 2 * dy, z + 2 * dz))]
    return g


blurz = blur("blurz", grid, 0, 0, 1)
blurx = blur("blurx", blurz, 1, 0, 0)
blury = blur("blury", blurx, 0, 1, 0)


def lerp(a, b, w):
    return a + w * (b - a)


def cell(i, j, k):
    return blury(c, 2 + x / s + i, 2 + y / s + j, 2 + level + k)


xf, yf = Cast(Float, x % s) / s, Cast(Float, y % s) / s
zf = img(x, y) * q - level


def plane(k):
    return lerp(lerp(cell(0, 0, k), cell(1, 0, k), xf), lerp(cell(0, 1, k), cell(1, 1, k), xf), yf)


interpolated = Function(([c, x, y], [planes, rows, cols]), Float, "interpolated")
interpolated.defn = [lerp(plane(0), plane(1), zf)]

filtered = Function(([x, y], [rows, cols]), Float, "filtered")
filtered.defn = [Select(Condition(interpolated(1, x, y), '>', 0), interpolated(0, x, y) / interpolated(1, x, y),
                        img(x, y))]
