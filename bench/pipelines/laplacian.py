# Local Laplacian filter, eight levels of size and eight of intensity. img_colour has the planes B, G, R inside a ring of
# two pixels; laplacian[c][i][j] is the pixel (i + 2, j + 2) of it. alpha is the amplification over LEVELS - 1.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
alpha, beta = Parameter(Float, "alpha"), Parameter(Float, "beta")
img_colour = Image(UShort, "img_colour", [3, R + 4, C + 4])
SIZES, LEVELS = 8, 8

c, k, r = Variable(Int, "c"), Variable(Int, "k"), Variable(Int, "r")
x, y = Variable(Int, "x"), Variable(Int, "y")
rows = [R / (1 << l) for l in range(SIZES)]
cols = [C / (1 << l) for l in range(SIZES)]
levels = Interval(Int, 0, LEVELS - 1)
even_x, odd_x = Condition(x % 2, '==', 0), Condition(x % 2, '==', 1)
even_y, odd_y = Condition(y % 2, '==', 0), Condition(y % 2, '==', 1)


# Rows of size lx and columns of size ly with two more on each side; with a copy for each intensity or without.
def stage(name, replicated, lx, ly, cases):
    intervals = [Interval(Int, 0, rows[lx] + 3), Interval(Int, 0, cols[ly] + 3)]
    f = Function(([k, x, y], [levels] + intervals) if replicated else ([x, y], intervals), Float, name)
    f.defn = cases
    return f


def reader(f, replicated):
    if replicated:
        return lambda i, j: f(k, i, j)
    return f


# The border of two cells is 0.
def inside(lx, ly):
    return (x >= 2) & (x <= rows[lx] + 1) & (y >= 2) & (y <= cols[ly] + 1)


def halve(f, at):
    return (f(2 * (at - 1) - 1) + 3 * f(2 * (at - 1)) + 3 * f(2 * (at - 1) + 1) + f(2 * (at - 1) + 2)) * 0.125


def down(name, f, replicated):
    sizes = [f]
    for l in range(1, SIZES):
        above = reader(sizes[l - 1], replicated)
        dx = stage("dx_%s_%d" % (name, l), replicated, l, l - 1, [Case(inside(l, l - 1), halve(lambda i: above(i, y), x))])
        halved = reader(dx, replicated)
        sizes.append(stage("%s_%d" % (name, l), replicated, l, l, [Case(inside(l, l), halve(lambda j: halved(x, j), y))]))
    return sizes


def between(f, at, condition, even, odd):
    return [Case(condition & even, 0.25 * f(at / 2) + 0.75 * f(at / 2 + 1)),
            Case(condition & odd, 0.25 * f(at / 2 + 2) + 0.75 * f(at / 2 + 1))]


# Size l from size l + 1.
def up(name, f, l, replicated):
    below = reader(f, replicated)
    ux = stage("ux_%s_%d" % (name, l), replicated, l, l + 1,
               between(lambda i: below(i, y), x, inside(l, l + 1), even_x, odd_x))
    doubled = reader(ux, replicated)
    return stage("u_%s_%d" % (name, l), replicated, l, l, between(lambda j: doubled(x, j), y, inside(l, l), even_y, odd_y))


img = stage("img", False, 0, 0, [(0.299 * img_colour(2, x, y) + 0.587 * img_colour(1, x, y) +
                                  0.114 * img_colour(0, x, y)) / 65535.0])

fx = r / 256.0
remap = Function(([r], [Interval(Int, -256 * (LEVELS - 1), 256 * (LEVELS - 1))]), Float, "remap")
remap.defn = [alpha * fx * Exp(-fx * fx / 2)]

centre = k * 0.142857142857
index = Min(Max(Cast(Int, img(x, y) * 1792), 0), 256 * (LEVELS - 1))
remapped = stage("g_0", True, 0, 0, [beta * (img(x, y) - centre) + centre + remap(index - 256 * k)])

gray = down("gray", img, False)
g = down("g", remapped, True)
details = []
for l in range(SIZES - 1):
    smooth = up("g", g[l + 1], l, True)
    details.append(stage("lap_%d" % l, True, l, l, [g[l](k, x, y) - smooth(k, x, y)]))
details.append(g[SIZES - 1])

chosen = []
for l in range(SIZES):
    level = gray[l](x, y) * (LEVELS - 1)
    low = Min(Max(Cast(Int, level), 0), LEVELS - 2)
    part = level - low
    chosen.append(stage("chosen_%d" % l, False, l, l,
                        [details[l](low, x, y) * (1 - part) + details[l](low + 1, x, y) * part]))

out = chosen[SIZES - 1]
for l in range(SIZES - 2, -1, -1):
    smooth = up("out", out, l, False)
    out = stage("out_%d" % l, False, l, l, [smooth(x, y) + chosen[l](x, y)])

laplacian = Function(([c, x, y], [Interval(Int, 0, 2), Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), UShort,
                     "laplacian")
laplacian.defn = [65535 * Min(Max(out(x + 2, y + 2) * (img_colour(c, x + 2, y + 2) / 65535.0 + 0.01) /
                                  (img(x + 2, y + 2) + 0.01), 0.0), 1.0)]
