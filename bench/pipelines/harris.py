# Harris corner response. The sums are written out, so that their order is the one of the text.
R = Parameter(Int, "R")
C = Parameter(Int, "C")
img = Image(Float, "img", [R + 2, C + 2])

x = Variable(Int, "x")
y = Variable(Int, "y")
row = Interval(Int, 0, R + 1)
col = Interval(Int, 0, C + 1)
domain = ([x, y], [row, col])

inside = (Condition(x, '>=', 1) & Condition(x, '<=', R) &
          Condition(y, '>=', 1) & Condition(y, '<=', C))
inner = (Condition(x, '>=', 2) & Condition(x, '<=', R - 1) &
         Condition(y, '>=', 2) & Condition(y, '<=', C - 1))
w1 = 1.0 / 12
w2 = 2.0 / 12


def stage(name, condition, value):
    f = Function(domain, Float, name)
    f.defn = [Case(condition, value)]
    return f


def box(f):
    total = f(x - 1, y - 1)
    for i in range(-1, 2):
        for j in range(-1, 2):
            if i != -1 or j != -1:
                total = total + f(x + i, y + j)
    return total


Iy = stage("Iy", inside, img(x - 1, y - 1) * -w1 + img(x - 1, y + 1) * w1 -
           img(x, y - 1) * w2 + img(x, y + 1) * w2 -
           img(x + 1, y - 1) * w1 + img(x + 1, y + 1) * w1)
Ix = stage("Ix", inside, img(x - 1, y - 1) * -w1 + img(x + 1, y - 1) * w1 -
           img(x - 1, y) * w2 + img(x + 1, y) * w2 -
           img(x - 1, y + 1) * w1 + img(x + 1, y + 1) * w1)

Ixx = stage("Ixx", inside, Ix(x, y) * Ix(x, y))
Iyy = stage("Iyy", inside, Iy(x, y) * Iy(x, y))
Ixy = stage("Ixy", inside, Ix(x, y) * Iy(x, y))

Sxx = stage("Sxx", inner, box(Ixx))
Syy = stage("Syy", inner, box(Iyy))
Sxy = stage("Sxy", inner, box(Ixy))

det = stage("det", inner, Sxx(x, y) * Syy(x, y) - Sxy(x, y) * Sxy(x, y))
trace = stage("trace", inner, Sxx(x, y) + Syy(x, y))
harris = stage("harris", inner, det(x, y) - 0.04 * trace(x, y) * trace(x, y))
