# Halide's apps/camera_pipe: a raw frame of 10 bits (green red / blue green) becomes 3 planes of 8 bits, sharpened.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
color_temp, gamma = Parameter(Float, "color_temp"), Parameter(Float, "gamma")
contrast, strength = Parameter(Float, "contrast"), Parameter(Float, "strength")
black, white = Parameter(Int, "black"), Parameter(Int, "white")
img = Image(UShort, "img", [R, C])
m3200, m7000 = Image(Float, "m3200", [3, 4]), Image(Float, "m7000", [3, 4])
c, y, x, v = Variable(Int, "c"), Variable(Int, "y"), Variable(Int, "x"), Variable(Int, "v")
i, j = Variable(Int, "i"), Variable(Int, "j")
rows, cols = ((R - 24) / 32) * 32, ((C - 32) / 32) * 32
planes = Interval(Int, 0, 2)


# The output, and n pixels around.
def box(n):
    return [Interval(Int, -n, rows - 1 + n), Interval(Int, -n, cols - 1 + n)]


# The same in pixels of one colour.
def half(n):
    return [Interval(Int, -n, rows / 2 - 1 + n), Interval(Int, -n, cols / 2 - 1 + n)]


def stage(name, type, domain, value):
    f = Function(([y, x], domain), type, name)
    f.defn = [value]
    return f


def stages(name, type, domain, value):
    f = Function(([c, y, x], [planes] + domain), type, name)
    f.defn = [value]
    return f


def avg(a, b):
    return (a + b + 1) / 2


def blur121(a, b, c):
    return avg(avg(a, c), b)


def nearer(a, b, choice_a, choice_b):
    return Select(Condition(Abs(a), '<', Abs(b)), choice_a, choice_b)


def raw(y, x):
    return img(y + 12, x + 16)


largest = Max(Max(raw(y, x - 2), raw(y, x + 2)), Max(raw(y - 2, x), raw(y + 2, x)))
denoised = stage("denoised", UShort, box(6), Max(Min(raw(y, x), largest), 0))
g_gr = stage("g_gr", UShort, half(3), denoised(2 * y, 2 * x))
r_r = stage("r_r", UShort, half(3), denoised(2 * y, 2 * x + 1))
b_b = stage("b_b", UShort, half(3), denoised(2 * y + 1, 2 * x))
g_gb = stage("g_gb", UShort, half(3), denoised(2 * y + 1, 2 * x + 1))

# Green where there is red or blue: from the direction in which it changes less.
g_r = stage("g_r", UShort, half(2), nearer(g_gr(y, x + 1) - g_gr(y, x), g_gb(y - 1, x) - g_gb(y, x),
                                           avg(g_gr(y, x + 1), g_gr(y, x)), avg(g_gb(y - 1, x), g_gb(y, x))))
g_b = stage("g_b", UShort, half(2), nearer(g_gb(y, x - 1) - g_gb(y, x), g_gr(y + 1, x) - g_gr(y, x),
                                           avg(g_gb(y, x - 1), g_gb(y, x)), avg(g_gr(y + 1, x), g_gr(y, x))))


# A colour where there is another one: that of two neighbours, with what green differs from that of theirs.
def between(green, other, colour, a, b):
    return green(y, x) - avg(other(y + a[0], x + a[1]), other(y + b[0], x + b[1])) + \
        avg(colour(y + a[0], x + a[1]), colour(y + b[0], x + b[1]))


def at_green(name, green, other, colour, dy, dx):
    return stage(name, UShort, half(1), between(green, other, colour, [0, 0], [dy, dx]))


def at_opposite(name, green, other, colour, dy, dx):
    return stage(name, UShort, half(1),
                 nearer(colour(y, x) - colour(y + dy, x + dx), colour(y, x + dx) - colour(y + dy, x),
                        between(green, other, colour, [0, 0], [dy, dx]),
                        between(green, other, colour, [0, dx], [dy, 0])))


r_gr = at_green("r_gr", g_gr, g_r, r_r, 0, -1)
b_gr = at_green("b_gr", g_gr, g_b, b_b, -1, 0)
r_gb = at_green("r_gb", g_gb, g_r, r_r, 1, 0)
b_gb = at_green("b_gb", g_gb, g_b, b_b, 0, 1)
r_b = at_opposite("r_b", g_b, g_r, r_r, 1, -1)
b_r = at_opposite("b_r", g_r, g_b, b_b, -1, 1)


def interleave(name, f00, f01, f10, f11):
    f = Function(([y, x], box(1)), Short, name)
    f.defn = [Case(Condition(y % 2, '==', k) & Condition(x % 2, '==', l), g(y / 2, x / 2))
              for k, l, g in [(0, 0, f00), (0, 1, f01), (1, 0, f10), (1, 1, f11)]]
    return f


red = interleave("red", r_gr, r_r, r_b, r_gb)
green = interleave("green", g_gr, g_r, g_b, g_gb)
blue = interleave("blue", b_gr, b_r, b_b, b_gb)

# The colour matrix in fixed point, and the curve of brightness as a table.
alpha = (1.0 / color_temp - 1.0 / 3200) / (1.0 / 7000 - 1.0 / 3200)
matrix = Function(([i, j], [Interval(Int, 0, 2), Interval(Int, 0, 3)]), Short, "matrix")
matrix.defn = [(m3200(i, j) * alpha + m7000(i, j) * (1 - alpha)) * 256.0]
corrected = stages("corrected", Short, box(1), (matrix(c, 3) + matrix(c, 0) * red(y, x) + matrix(c, 1) * green(y, x) +
                                                matrix(c, 2) * blue(y, x)) // 256)
scaled = Min(Max(Cast(Float, v - black) * (1.0 / (white - black)), 0.0), 1.0)
g = Pow(scaled, 1.0 / gamma)
b = 2.0 - Pow(2.0, contrast / 100.0)
a = 2.0 - 2.0 * b
bent = Select(Condition(g, '>', 0.5), 1.0 - (a * (1.0 - g) * (1.0 - g) + b * (1.0 - g)), a * g * g + b * g)
curve = Function(([v], [Interval(Int, 0, 1023)]), UChar, "curve")
curve.defn = [Select(Condition(v, '<=', black), 0,
                     Select(Condition(v, '>', white), 255, Cast(Int, Min(Max(bent * 255.0 + 0.5, 0.0), 255.0))))]
curved = stages("curved", UChar, box(1), curve(Min(Max(corrected(c, y, x), 0), 1023)))

unsharp_y = stages("unsharp_y", UChar, [box(0)[0], box(1)[1]],
                   blur121(curved(c, y - 1, x), curved(c, y, x), curved(c, y + 1, x)))
unsharp = stages("unsharp", UChar, box(0), blur121(unsharp_y(c, y, x - 1), unsharp_y(c, y, x), unsharp_y(c, y, x + 1)))
x32 = Cast(Int, Min(Max(strength * 32, 0), 255))
mask = stages("mask", Short, box(0), curved(c, y, x) - unsharp(c, y, x))
processed = stages("processed", UChar, box(0), Min(Max(curved(c, y, x) + (mask(c, y, x) * x32) // 32, 0), 255))
