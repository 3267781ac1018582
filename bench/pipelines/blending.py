# Pyramid blending of two pictures by a mask, four levels. The pictures stand in the middle of arrays that are larger by 31
# before and 29 after, so that nothing reads outside; blend[c][i][j] is the pixel (i + 31, j + 31) of these.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img1 = Image(Float, "img1", [3, R + 60, C + 60])
img2 = Image(Float, "img2", [3, R + 60, C + 60])
mask = Image(Float, "mask", [R + 60, C + 60])
LAST = 3

c, x, y = Variable(Int, "c"), Variable(Int, "x"), Variable(Int, "y")
planes = Interval(Int, 0, 2)
rows = [(R + 60) / (1 << l) for l in range(LAST + 1)]
cols = [(C + 60) / (1 << l) for l in range(LAST + 1)]
even_x, odd_x = Condition(x % 2, '==', 0), Condition(x % 2, '==', 1)
even_y, odd_y = Condition(y % 2, '==', 0), Condition(y % 2, '==', 1)


# The part of level l that the levels above it need when they are put together.
def needed(extents, l):
    width = 1 << (LAST + 2 - l)
    return Interval(Int, width - 1, extents[l] - width + 2)


# A stage over the given points; one of a picture has planes, one of the mask has none. `value` takes f(x, y).
def stage(name, has_planes, x_points, y_points, cases):
    f = Function(([c, x, y], [planes, x_points, y_points]) if has_planes else ([x, y], [x_points, y_points]), Float, name)
    f.defn = cases
    return f


def reader(f, has_planes):
    if has_planes:
        return lambda i, j: f(c, i, j)
    return f


def five(f, at):
    return (f(at - 2) + 4 * f(at - 1) + 6 * f(at) + 4 * f(at + 1) + f(at + 2)) * 0.0625


def down(name, f, has_planes):
    levels = [f]
    for l in range(1, LAST + 1):
        above = reader(levels[l - 1], has_planes)
        x_points = Interval(Int, l, rows[l] - 2)
        dx = stage("dx_%s_%d" % (name, l), has_planes, x_points, Interval(Int, l - 1, cols[l - 1] - 2),
                   [five(lambda i: above(i, y), 2 * x)])
        halved = reader(dx, has_planes)
        levels.append(stage("%s_%d" % (name, l), has_planes, x_points, Interval(Int, l, cols[l] - 2),
                            [five(lambda j: halved(x, j), 2 * y)]))
    return levels


def between(f, at, even, odd, finish):
    return [Case(even, finish((f(at / 2 - 1) + 6 * f(at / 2) + f(at / 2 + 1)) * 0.125)),
            Case(odd, finish((4 * f((at - 1) / 2) + 4 * f((at + 1) / 2)) * 0.125))]


# Level l from level l + 1; `finish` makes the value of it.
def up(name, f, l, finish):
    ux = stage("ux_" + name, True, needed(rows, l), needed(cols, l + 1),
               between(lambda i: f(c, i, y), x, even_x, odd_x, lambda v: v))
    return stage(name, True, needed(rows, l), needed(cols, l),
                 between(lambda j: ux(c, x, j), y, even_y, odd_y, finish))


def details(name, levels):
    return [up("lap_%s_%d" % (name, l), levels[l + 1], l, lambda v: levels[l](c, x, y) - v)
            for l in range(LAST)] + [levels[LAST]]


masks = down("mask", mask, False)
details1 = details("img1", down("img1", img1, True))
details2 = details("img2", down("img2", img2, True))
mixed = [stage("res_%d" % l, True, needed(rows, l), needed(cols, l),
               [details1[l](c, x, y) * masks[l](x, y) + details2[l](c, x, y) * (1 - masks[l](x, y))])
         for l in range(LAST + 1)]

blend = mixed[LAST]
for l in range(LAST - 1, -1, -1):
    blend = up("out_%d" % l if l else "blend", blend, l, lambda v: mixed[l](c, x, y) + v)
