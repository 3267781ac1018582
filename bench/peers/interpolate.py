# Halide's apps/interpolate: pixels of four planes, the last of which is alpha; ten levels, borders replicated.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [4, R, C], boundary="clamp")
LEVELS = 10
CLAMPED = 4  # the level that is made of one whose borders are replicated
c, y, x = Variable(Int, "c"), Variable(Int, "y"), Variable(Int, "x")
planes, colours = Interval(Int, 0, 3), Interval(Int, 0, 2)


# Level l of the interpolated pyramid is needed in 0 .. last(n, l).
def last(n, l):
    return (n + (1 << l) - 2) / (1 << l)


# Level l of the downsampled pyramid begins at low(l), for the next level that is clamped, or the last one.
def low(l):
    top = LEVELS - 1 if l >= CLAMPED else CLAMPED - 1
    return 1 - (1 << (top - l))


# Where the levels of the downsampled pyramid end, along a dimension of n points.
def ends(n):
    high = {}
    for l in range(LEVELS - 1, -1, -1):
        high[l] = last(n, l) if l in [LEVELS - 1, CLAMPED - 1] else 2 * high[l + 1] + 1
    return high


high_r, high_c = ends(R), ends(C)


def stage(name, rows, cols, cases):
    f = Function(([c, y, x], [planes, rows, cols]), Float, name)
    f.defn = cases
    return f


def halved(l, f):
    def at(c, y, x):
        return f(c, Min(Max(y, 0), R / 8), Min(Max(x, 0), C / 8)) if l == CLAMPED else f(c, y, x)
    cols = Interval(Int, low(l), high_c[l])
    dx = stage("dx_%d" % l, Interval(Int, 2 * low(l) - 1, 2 * high_r[l] + 1), cols,
               [(at(c, y, 2 * x - 1) + 2.0 * at(c, y, 2 * x) + at(c, y, 2 * x + 1)) * 0.25])
    return stage("ds_%d" % l, Interval(Int, low(l), high_r[l]), cols,
                 [(dx(c, 2 * y - 1, x) + 2.0 * dx(c, 2 * y, x) + dx(c, 2 * y + 1, x)) * 0.25])


# Level l: where its alpha leaves something, it is filled up from the level above.
def filled_up(l, f):
    cols = Interval(Int, 0, last(C, l))
    ux = stage("ux_%d" % l, Interval(Int, 0, last(R, l + 1)), cols, [(f(c, y, x / 2) + f(c, y, (x + 1) / 2)) / 2.0])
    return stage("filled_%d" % l, Interval(Int, 0, last(R, l)), cols,
                 [ds[l](c, y, x) + (1.0 - ds[l](3, y, x)) * ((ux(c, y / 2, x) + ux(c, (y + 1) / 2, x)) / 2.0)])


ds = [stage("ds_0", Interval(Int, low(0), high_r[0]), Interval(Int, low(0), high_c[0]),
            [Case(Condition(c, '<', 3), img(c, y, x) * img(3, y, x)), Case(Condition(c, '==', 3), img(3, y, x))])]
for l in range(1, LEVELS):
    ds.append(halved(l, ds[l - 1]))
filled = ds[LEVELS - 1]
for l in range(LEVELS - 2, -1, -1):
    filled = filled_up(l, filled)

interpolate = Function(([c, y, x], [colours, Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "interpolate")
interpolate.defn = [filled(c, y, x) / filled(3, y, x)]
