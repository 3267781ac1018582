# Halide's apps/harris: the response of a picture of three planes, where all that it needs is inside of the picture.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [3, R, C])
y, x = Variable(Int, "y"), Variable(Int, "x")


# Defined where n points around are inside.
def stage(name, n, value):
    f = Function(([y, x], [Interval(Int, n, R - 1 - n), Interval(Int, n, C - 1 - n)]), Float, name)
    f.defn = [value]
    return f


def sum3x3(f):
    return (f(y - 1, x - 1) + f(y, x - 1) + f(y + 1, x - 1) + f(y - 1, x) + f(y, x) + f(y + 1, x) +
            f(y - 1, x + 1) + f(y, x + 1) + f(y + 1, x + 1))


gray = stage("gray", 0, 0.299 * img(0, y, x) + 0.587 * img(1, y, x) + 0.114 * img(2, y, x))
Iy = stage("Iy", 1, gray(y - 1, x - 1) * (-1.0 / 12) + gray(y + 1, x - 1) * (1.0 / 12) +
           gray(y - 1, x) * (-2.0 / 12) + gray(y + 1, x) * (2.0 / 12) +
           gray(y - 1, x + 1) * (-1.0 / 12) + gray(y + 1, x + 1) * (1.0 / 12))
Ix = stage("Ix", 1, gray(y - 1, x - 1) * (-1.0 / 12) + gray(y - 1, x + 1) * (1.0 / 12) +
           gray(y, x - 1) * (-2.0 / 12) + gray(y, x + 1) * (2.0 / 12) +
           gray(y + 1, x - 1) * (-1.0 / 12) + gray(y + 1, x + 1) * (1.0 / 12))
Ixx = stage("Ixx", 1, Ix(y, x) * Ix(y, x))
Iyy = stage("Iyy", 1, Iy(y, x) * Iy(y, x))
Ixy = stage("Ixy", 1, Ix(y, x) * Iy(y, x))
Sxx = stage("Sxx", 2, sum3x3(Ixx))
Syy = stage("Syy", 2, sum3x3(Iyy))
Sxy = stage("Sxy", 2, sum3x3(Ixy))
det = stage("det", 2, Sxx(y, x) * Syy(y, x) - Sxy(y, x) * Sxy(y, x))
trace = stage("trace", 2, Sxx(y, x) + Syy(y, x))
corners = stage("corners", 3, det(y, x) - 0.04 * trace(y, x) * trace(y, x))
