# Corners of a gray picture (values 0..1), drawn on it: the strongest Harris responses of their surroundings get a red
# square. `corners` is the picture in three planes: red, green, blue.
R = Parameter(Int, "R")
C = Parameter(Int, "C")
img = Image(Float, "img", [R + 2, C + 2])

THRESHOLD = 0.0005  # of the response
REACH = 2           # a corner is the largest response up to this distance
MARK = 4            # from a corner to the sides of its square

c = Variable(Int, "c")
x = Variable(Int, "x")
y = Variable(Int, "y")
picture = ([x, y], [Interval(Int, 0, R + 1), Interval(Int, 0, C + 1)])
margin = ([x, y], [Interval(Int, -MARK, R + 1 + MARK), Interval(Int, -MARK, C + 1 + MARK)])


# Points at least n away from the picture's edge.
def inside(n):
    return (Condition(x, '>=', n) & Condition(x, '<=', R + 1 - n) &
            Condition(y, '>=', n) & Condition(y, '<=', C + 1 - n))


def stage(name, domain, distance, value, of=Float):
    f = Function(domain, of, name)
    f.defn = [Case(inside(distance), value)]
    return f


def box(f):
    return Stencil(f(x, y), 1, [[1, 1, 1]] * 3)


def largest(values):
    best = values[0]
    for i in range(1, len(values)):
        best = Max(best, values[i])
    return best


Ix = stage("Ix", picture, 1, Stencil(img(x, y), 1.0 / 12, [[-1, -2, -1], [0, 0, 0], [1, 2, 1]]))
Iy = stage("Iy", picture, 1, Stencil(img(x, y), 1.0 / 12, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]))
Ixx = stage("Ixx", picture, 1, Ix(x, y) * Ix(x, y))
Iyy = stage("Iyy", picture, 1, Iy(x, y) * Iy(x, y))
Ixy = stage("Ixy", picture, 1, Ix(x, y) * Iy(x, y))
Sxx = stage("Sxx", picture, 2, box(Ixx))
Syy = stage("Syy", picture, 2, box(Iyy))
Sxy = stage("Sxy", picture, 2, box(Ixy))
trace = stage("trace", picture, 2, Sxx(x, y) + Syy(x, y))
harris = stage("harris", picture, 2,
               Sxx(x, y) * Syy(x, y) - Sxy(x, y) * Sxy(x, y) - 0.04 * trace(x, y) * trace(x, y))

# The largest response of the square around a point, first along its rows.
reach = range(-REACH, REACH + 1)
across = stage("across", picture, REACH, largest([harris(x, y + d) for d in reach]))
around = stage("around", picture, 2 * REACH, largest([across(x + d, y) for d in reach]))
found = Condition(harris(x, y), '>', THRESHOLD) & Condition(harris(x, y), '==', around(x, y))
peak = stage("peak", margin, 2 * REACH, Select(found, 1, 0), UChar)

# Points on the square of a corner: on its upper or lower side, or on its left or right one.
side = range(-MARK, MARK + 1)
rows = Function(([x, y], [Interval(Int, -MARK, R + 1 + MARK), Interval(Int, 0, C + 1)]), UChar, "rows")
rows.defn = largest([peak(x, y + d) for d in side])
cols = Function(([x, y], [Interval(Int, 0, R + 1), Interval(Int, -MARK, C + 1 + MARK)]), UChar, "cols")
cols.defn = largest([peak(x + d, y) for d in side])
marked = stage("marked", picture, 0, largest([rows(x - MARK, y), rows(x + MARK, y),
                                              cols(x, y - MARK), cols(x, y + MARK)]), UChar)

gray = stage("gray", picture, 0, Cast(UChar, Min(Max(img(x, y), 0), 1) * 255 + 0.5), UChar)
corners = Function(([c, x, y], [Interval(Int, 0, 2)] + picture[1]), UChar, "corners")
on = Condition(marked(x, y), '!=', 0)
corners.defn = [Case(Condition(c, '==', 0), Select(on, 255, gray(x, y))),
                Case(Condition(c, '>', 0), Select(on, 0, gray(x, y)))]
