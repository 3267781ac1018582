# Harris corners in integers of 16 bits: derivatives, their products, three Gaussians and the response, 1 at a corner. Outside
# a picture is its nearest pixel.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
points = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])


def stage(name, value):
    f = Function(points, Short, name)
    f.defn = [value]
    return f


# The sum of weight[i][j] * f around a point.
def around(f, weight):
    total = None
    for i in range(-1, 2):
        for j in range(-1, 2):
            if weight[i + 1][j + 1] != 0:
                term = weight[i + 1][j + 1] * f(Min(Max(x + i, 0), R - 1), Min(Max(y + j, 0), C - 1))
                total = term if total is None else total + term
    return total


def gauss(name, f):
    return stage(name, around(f, [[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16)


dx = stage("dx", around(img, [[-1, 0, 1], [-1, 0, 1], [-1, 0, 1]]) / 6)
dy = stage("dy", around(img, [[-1, -1, -1], [0, 0, 0], [1, 1, 1]]) / 6)
sx = gauss("gx", stage("sx", dx(x, y) * dx(x, y)))(x, y)
sy = gauss("gy", stage("sy", dy(x, y) * dy(x, y)))(x, y)
sxy = gauss("gxy", stage("sxy", dx(x, y) * dy(x, y)))(x, y)

response = Cast(Float, sx * sy - sxy * sxy) - 0.04 * Cast(Float, (sx + sy) * (sx + sy))
corners = Function(points, UChar, "corners")
corners.defn = [Select(Condition(response, '>', 20000), 1, 0)]
