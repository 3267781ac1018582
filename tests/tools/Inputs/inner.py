def build(first=3, last=3, rows=None):
    R, C = Parameter(Int, "R"), Parameter(Int, "C")
    img = Image(Float, "img", [R, C])
    x, y = Variable(Int, "x"), Variable(Int, "y")
    n = R if rows is None else rows
    inner = Function(([x, y], [Interval(Int, first, n - 1 - last), Interval(Int, 0, C - 1)]), Float, "inner")
    inner.defn = img(x, y) * 2
    return inner
