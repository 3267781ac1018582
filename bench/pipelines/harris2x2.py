# Harris response from Sobel derivatives and sums over 2 x 2 points; outside a picture is 0.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
k = Parameter(Float, "k")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
inside = (x >= 0) & (x < R) & (y >= 0) & (y < C)


def stage(name, row_interval, col_interval, cases):
    f = Function(([x, y], [row_interval, col_interval]), Float, name)
    f.defn = cases
    return f


p = stage("padded", Interval(Int, -1, R), Interval(Int, -1, C), [Case(inside, img(x, y))])


# The derivative in the direction of columns of p, which is given as a function of row and column shifts.
def sobel(p):
    return ((p(-1, 1) - p(-1, -1)) + 2 * (p(0, 1) - p(0, -1)) + (p(1, 1) - p(1, -1))) / 8


dx = stage("dx", Interval(Int, 0, R), Interval(Int, 0, C), [Case(inside, sobel(lambda i, j: p(x + i, y + j)))])
dy = stage("dy", Interval(Int, 0, R), Interval(Int, 0, C), [Case(inside, sobel(lambda i, j: p(x + j, y + i)))])


def square_sum(a, b):
    total = None
    for i in range(2):
        for j in range(2):
            term = a(x + i, y + j) * b(x + i, y + j)
            total = term if total is None else total + term
    return total


xx, yy, xy = square_sum(dx, dx), square_sum(dy, dy), square_sum(dx, dy)
harris = stage("harris", rows, cols, [xx * yy - xy * xy - k * (xx + yy) * (xx + yy)])
