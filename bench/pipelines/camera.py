# Camera pipeline: a raw picture of 10 bits behind a Bayer filter (green red / blue green) becomes B, G, R planes of 8 bits.
# process[2 - k][i][j] is colour k of the raw pixel (i + 12, j + 16). Arithmetic is of type int, stages are of 16 bits.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
colour_temp = Parameter(Float, "colour_temp")
contrast = Parameter(Float, "contrast")
gamma = Parameter(Float, "gamma")
img = Image(Short, "img", [R, C])
matrix_3200 = Image(Float, "matrix_3200", [3, 4])
matrix_7000 = Image(Float, "matrix_7000", [3, 4])

c, x, y = Variable(Int, "c"), Variable(Int, "x"), Variable(Int, "y")
i, j, v = Variable(Int, "i"), Variable(Int, "j"), Variable(Int, "v")
half_rows, half_cols = (R - 36) / 2, (C - 48) / 2


# The part of the half-size picture that is `wider` pixels larger than what the output needs.
def half(wider):
    return ([x, y], [Interval(Int, 6 - wider, half_rows + wider), Interval(Int, 8 - wider, half_cols + wider)])


def stage(name, domain, value):
    f = Function(domain, Short, name)
    f.defn = [value]
    return f


def smallest(values):
    return Min(Min(values[0], values[1]), Min(values[2], values[3]))


def largest(values):
    return Max(Max(values[0], values[1]), Max(values[2], values[3]))


def mean(a, b):
    return (a + b) / 2


def nearer(a, b, choice_a, choice_b):
    return Select(Condition(Abs(a), '<', Abs(b)), choice_a, choice_b)


around = [img(x - 2, y), img(x + 2, y), img(x, y - 2), img(x, y + 2)]
denoised = stage("denoised", ([x, y], [Interval(Int, 8, R - 31), Interval(Int, 12, C - 43)]),
                 Max(smallest(around), Min(largest(around), img(x, y))))

deinterleaved = Function(([c, x, y], [Interval(Int, 0, 3)] + half(2)[1]), Short, "deinterleaved")
deinterleaved.defn = [Case(Condition(c, '==', 2 * k + l), denoised(2 * x + k, 2 * y + l))
                      for k in range(2) for l in range(2)]
g_gr = stage("g_gr", half(2), deinterleaved(0, x, y))
r_r = stage("r_r", half(2), deinterleaved(1, x, y))
b_b = stage("b_b", half(2), deinterleaved(2, x, y))
g_gb = stage("g_gb", half(2), deinterleaved(3, x, y))

# Green where there is red or blue: from the direction in which it changes less.
g_r = stage("g_r", half(1), nearer(g_gr(x, y + 1) - g_gr(x, y), g_gb(x - 1, y) - g_gb(x, y),
                                   mean(g_gr(x, y + 1), g_gr(x, y)), mean(g_gb(x - 1, y), g_gb(x, y))))
g_b = stage("g_b", half(1), nearer(g_gb(x, y - 1) - g_gb(x, y), g_gr(x + 1, y) - g_gr(x, y),
                                   mean(g_gb(x, y - 1), g_gb(x, y)), mean(g_gr(x + 1, y), g_gr(x, y))))


# A colour where there is green, from two neighbours of that colour: green - mean of greens + mean of the colour.
def at_green(name, green, other_green, colour, dx, dy):
    return stage(name, half(0), green(x, y) - mean(other_green(x, y), other_green(x + dx, y + dy)) +
                 mean(colour(x, y), colour(x + dx, y + dy)))


r_gr = at_green("r_gr", g_gr, g_r, r_r, 0, -1)
b_gr = at_green("b_gr", g_gr, g_b, b_b, -1, 0)
r_gb = at_green("r_gb", g_gb, g_r, r_r, 1, 0)
b_gb = at_green("b_gb", g_gb, g_b, b_b, 0, 1)


# Red where there is blue or the reverse, from the diagonal of two neighbours that differ less.
def at_opposite(name, green, other_green, colour, dx, dy):
    p = green(x, y) - mean(other_green(x, y), other_green(x + dx, y + dy)) + mean(colour(x, y), colour(x + dx, y + dy))
    n = green(x, y) - mean(other_green(x, y + dy), other_green(x + dx, y)) + mean(colour(x, y + dy), colour(x + dx, y))
    return stage(name, half(0), nearer(colour(x, y) - colour(x + dx, y + dy),
                                       colour(x, y + dy) - colour(x + dx, y), p, n))


r_b = at_opposite("r_b", g_b, g_r, r_r, 1, -1)
b_r = at_opposite("b_r", g_r, g_b, b_b, -1, 1)

out_rows, out_cols = Interval(Int, 12, R - 37), Interval(Int, 16, C - 49)


def interleave_y(name, even, odd):
    f = Function(([x, y], [Interval(Int, 6, half_rows), out_cols]), Short, name)
    f.defn = [Case(Condition(y % 2, '==', 0), even(x, y / 2)), Case(Condition(y % 2, '==', 1), odd(x, y / 2))]
    return f


def interleave_x(name, even, odd):
    f = Function(([x, y], [out_rows, out_cols]), Short, name)
    f.defn = [Case(Condition(x % 2, '==', 0), even(x / 2, y)), Case(Condition(x % 2, '==', 1), odd(x / 2, y))]
    return f


red = interleave_x("red", interleave_y("red_even", r_gr, r_r), interleave_y("red_odd", r_b, r_gb))
green = interleave_x("green", interleave_y("green_even", g_gr, g_r), interleave_y("green_odd", g_b, g_gb))
blue = interleave_x("blue", interleave_y("blue_even", b_gr, b_r), interleave_y("blue_odd", b_b, b_gb))

alpha = (1 / colour_temp - 1.0 / 3200) / (1.0 / 7000 - 1.0 / 3200)
matrix = Function(([i, j], [Interval(Int, 0, 2), Interval(Int, 0, 3)]), Int, "matrix")
matrix.defn = [(matrix_3200(i, j) * alpha + matrix_7000(i, j) * (1 - alpha)) * 256]

corrected = Function(([c, x, y], [Interval(Int, 0, 2), out_rows, out_cols]), Short, "corrected")
corrected.defn = [(matrix(2 - c, 3) + matrix(2 - c, 0) * red(x, y) + matrix(2 - c, 1) * green(x, y) +
                   matrix(2 - c, 2) * blue(x, y)) / 256]

# A table for all values of 16 bits, in double precision.
level = Min(Max(Cast(Double, v) / 1024, 0), 1)
g = Pow(level, 1 / Cast(Double, gamma))
b = 2 - Pow(Cast(Double, 2), Cast(Double, contrast) / 100)
a = 2 - 2 * b
z = Select(Condition(g, '>', 0.5), 1 - (a * (1 - g) * (1 - g) + b * (1 - g)), a * g * g + b * g)
curve = Function(([v], [Interval(Int, -32768, 32767)]), UChar, "curve")
curve.defn = [Min(Max(256 * z, 0), 255)]

process = Function(([c, x, y], [Interval(Int, 0, 2), out_rows, out_cols]), UChar, "process")
process.defn = [curve(corrected(c, x, y))]
