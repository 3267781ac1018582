# Least and greatest value, mean and variance of a gray picture: five numbers from sums over all of it.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])

x, y, i = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "i")
rows, cols, one = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 0)


def total(name, kind, value, operation, start=0):
    f = Reduction(([i], [one]), ([x, y], [rows, cols]), kind, name)
    f.default = start
    f.defn = [Reduce(f(0), value, operation)]
    return f


least = total("least", UChar, img(x, y), Min, 255)
greatest = total("greatest", UChar, img(x, y), Max)
sums = total("sums", Long, img(x, y), Sum)
squares = total("squares", Long, Cast(Int, img(x, y)) * img(x, y), Sum)

pixels = Cast(Double, R) * Cast(Double, C)
mean = Cast(Double, sums(0)) / pixels
statistics = Function(([i], [Interval(Int, 0, 3)]), Double, "statistics")
statistics.defn = [Case(Condition(i, '==', 0), least(0)), Case(Condition(i, '==', 1), greatest(0)),
                   Case(Condition(i, '==', 2), mean),
                   Case(Condition(i, '==', 3), Cast(Double, squares(0)) / pixels - mean * mean)]
