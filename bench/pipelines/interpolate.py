# Multiscale interpolation, ten levels: where a picture is transparent its colours come from coarser levels. img has the
# planes B, G, R and alpha, inside a ring of one pixel; interpolate[c][i][j] is the pixel (i + 1, j + 1) of it.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [4, R + 2, C + 2])
LEVELS = 10

c, x, y = Variable(Int, "c"), Variable(Int, "x"), Variable(Int, "y")
planes = Interval(Int, 0, 3)
rows = [R / (1 << l) for l in range(LEVELS)]
cols = [C / (1 << l) for l in range(LEVELS)]


# Rows of level lx and columns of level ly with one more on each side, which are 0.
def stage(name, lx, ly, value):
    f = Function(([c, x, y], [planes, Interval(Int, 0, rows[lx] + 1), Interval(Int, 0, cols[ly] + 1)]), Float, name)
    f.defn = [Case((x >= 1) & (x <= rows[lx]) & (y >= 1) & (y <= cols[ly]), value)]
    return f


weighted = Function(([c, x, y], [planes, Interval(Int, 0, R + 1), Interval(Int, 0, C + 1)]), Float, "ds_0")
weighted.defn = [img(c, x, y) * img(3, x, y)]

ds = [weighted]
for l in range(1, LEVELS):
    f = ds[l - 1]
    dx = stage("dx_%d" % l, l, l - 1, (f(c, 2 * x - 2, y) + 2 * f(c, 2 * x - 1, y) + f(c, 2 * x, y)) * 0.25)
    ds.append(stage("ds_%d" % l, l, l, (dx(c, x, 2 * y - 2) + 2 * dx(c, x, 2 * y - 1) + dx(c, x, 2 * y)) * 0.25))

filled = ds[LEVELS - 1]
for l in range(LEVELS - 2, -1, -1):
    f = filled
    ux = stage("ux_%d" % l, l, l + 1, (f(c, (x + 1) / 2, y) + f(c, (x + 2) / 2, y)) / 2)
    filled = stage("filled_%d" % l, l, l,
                   ds[l](c, x, y) + (1 - ds[l](3, x, y)) * ((ux(c, x, (y + 1) / 2) + ux(c, x, (y + 2) / 2)) / 2))

interpolate = Function(([c, x, y], [Interval(Int, 0, 2), Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float,
                       "interpolate")
interpolate.defn = [filled(c, x + 1, y + 1) / filled(3, x + 1, y + 1)]
