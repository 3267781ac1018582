# Halide's apps/unsharp: a Gaussian of seven points in both directions, borders replicated.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [3, R, C], boundary="clamp")
c, y, x = Variable(Int, "c"), Variable(Int, "y"), Variable(Int, "x")
planes, rows, cols = Interval(Int, 0, 2), Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
wide_rows, wide_cols = Interval(Int, -3, R + 2), Interval(Int, -3, C + 2)
sigma = 1.5
k = [exp(-i * i / (2 * sigma * sigma)) / (sqrt(2 * pi) * sigma) for i in range(4)]


def stage(name, rows, cols, value):
    f = Function(([y, x], [rows, cols]), Float, name)
    f.defn = [value]
    return f


gray = stage("gray", wide_rows, wide_cols, 0.299 * img(0, y, x) + 0.587 * img(1, y, x) + 0.114 * img(2, y, x))
blur_y = stage("blur_y", rows, wide_cols,
               k[0] * gray(y, x) + k[1] * (gray(y - 1, x) + gray(y + 1, x)) + k[2] * (gray(y - 2, x) + gray(y + 2, x)) +
               k[3] * (gray(y - 3, x) + gray(y + 3, x)))
blur_x = stage("blur_x", rows, cols,
               k[0] * blur_y(y, x) + k[1] * (blur_y(y, x - 1) + blur_y(y, x + 1)) +
               k[2] * (blur_y(y, x - 2) + blur_y(y, x + 2)) + k[3] * (blur_y(y, x - 3) + blur_y(y, x + 3)))
sharpen = stage("sharpen", rows, cols, 2 * gray(y, x) - blur_x(y, x))
ratio = stage("ratio", rows, cols, sharpen(y, x) / gray(y, x))
unsharp = Function(([c, y, x], [planes, rows, cols]), Float, "unsharp")
unsharp.defn = [ratio(y, x) * img(c, y, x)]
