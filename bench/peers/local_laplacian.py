# Halide's apps/local_laplacian: three planes of 16 bits, pyramids of 8 sizes, 8 intensities, borders replicated.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
alpha, beta = Parameter(Float, "alpha"), Parameter(Float, "beta")
img = Image(UShort, "img", [3, R, C], boundary="clamp")
SIZES, LEVELS = 8, 8
c, k, r = Variable(Int, "c"), Variable(Int, "k"), Variable(Int, "r")
y, x = Variable(Int, "y"), Variable(Int, "x")
planes, levels = Interval(Int, 0, 2), Interval(Int, 0, LEVELS - 1)
even_x, odd_x = Condition(x % 2, '==', 0), Condition(x % 2, '==', 1)
even_y, odd_y = Condition(y % 2, '==', 0), Condition(y % 2, '==', 1)


# Size l of the output's pyramid is needed in -1 .. last(n, l), the first one from 0 on.
def last(n, l):
    return (n + (1 << l) - 2) / (1 << l)


def narrow(n, l):
    return Interval(Int, 0 if l == 0 else -1, last(n, l))


# What the other pyramids need along a dimension of n points, by size: each twice the next and more.
def wide(n):
    low, high = {SIZES - 1: -1}, {SIZES - 1: last(n, SIZES - 1)}
    for l in range(SIZES - 2, -1, -1):
        low[l], high[l] = 2 * low[l + 1] - 1, 2 * high[l + 1] + 2
    return [Interval(Int, low[l], high[l]) for l in range(SIZES)]


wide_r, wide_c = wide(R), wide(C)


# One for each intensity k, or one picture.
def stage(name, copies, rows, cols, cases):
    f = Function(([k, y, x], [levels, rows, cols]) if copies else ([y, x], [rows, cols]), Float, name)
    f.defn = cases
    return f


def reader(f, copies):
    return (lambda i, j: f(k, i, j)) if copies else f


def down(name, f, copies):
    sizes = [f]
    for l in range(1, SIZES):
        above = reader(sizes[l - 1], copies)
        dy = stage("dy_%s_%d" % (name, l), copies, wide_r[l], wide_c[l - 1],
                   [(above(2 * y - 1, x) + 3.0 * (above(2 * y, x) + above(2 * y + 1, x)) + above(2 * y + 2, x)) / 8.0])
        d = reader(dy, copies)
        sizes.append(stage("%s_%d" % (name, l), copies, wide_r[l], wide_c[l],
                           [(d(y, 2 * x - 1) + 3.0 * (d(y, 2 * x) + d(y, 2 * x + 1)) + d(y, 2 * x + 2)) / 8.0]))
    return sizes


# Size l from size l + 1.
def up(name, f, l, copies):
    below = reader(f, copies)
    ux = stage("ux_%s_%d" % (name, l), copies, narrow(R, l + 1), narrow(C, l),
               [Case(even_x, 0.75 * below(y, x / 2) + 0.25 * below(y, x / 2 - 1)),
                Case(odd_x, 0.25 * below(y, (x + 1) / 2) + 0.75 * below(y, (x - 1) / 2))])
    u = reader(ux, copies)
    return stage("u_%s_%d" % (name, l), copies, narrow(R, l), narrow(C, l),
                 [Case(even_y, 0.75 * u(y / 2, x) + 0.25 * u(y / 2 - 1, x)),
                  Case(odd_y, 0.25 * u((y + 1) / 2, x) + 0.75 * u((y - 1) / 2, x))])


gray = stage("gray", False, wide_r[0], wide_c[0],
             [0.299 * (img(0, y, x) / 65535.0) + 0.587 * (img(1, y, x) / 65535.0) + 0.114 * (img(2, y, x) / 65535.0)])
fx = r / 256.0
remap = Function(([r], [Interval(Int, -256 * (LEVELS - 1), 256 * (LEVELS - 1))]), Float, "remap")
remap.defn = [alpha * fx * Exp(-fx * fx / 2.0)]
centre = k * (1.0 / (LEVELS - 1))
index = Min(Max(Cast(Int, gray(y, x) * (LEVELS - 1) * 256.0), 0), 256 * (LEVELS - 1))
remapped = stage("g_0", True, wide_r[0], wide_c[0],
                 [beta * (gray(y, x) - centre) + centre + remap(index - 256 * k)])

grays = down("gray", gray, False)
g = down("g", remapped, True)
details = [stage("lap_%d" % l, True, narrow(R, l), narrow(C, l), [g[l](k, y, x) - up("g", g[l + 1], l, True)(k, y, x)])
           for l in range(SIZES - 1)] + [g[SIZES - 1]]

# Between the two intensities next to that of the picture.
chosen = []
for l in range(SIZES):
    level = grays[l](y, x) * (LEVELS - 1)
    low = Min(Max(Cast(Int, level), 0), LEVELS - 2)
    part = level - low
    chosen.append(stage("chosen_%d" % l, False, narrow(R, l), narrow(C, l),
                        [(1.0 - part) * details[l](low, y, x) + part * details[l](low + 1, y, x)]))

out = chosen[SIZES - 1]
for l in range(SIZES - 2, -1, -1):
    smooth = up("out", out, l, False)
    out = stage("out_%d" % l, False, narrow(R, l), narrow(C, l), [smooth(y, x) + chosen[l](y, x)])

laplacian = Function(([c, y, x], [planes, Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), UShort, "laplacian")
laplacian.defn = [Min(Max(img(c, y, x) * (out(y, x) + 0.01) / (gray(y, x) + 0.01), 0.0), 65535.0)]
