R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C], boundary="mirror101")
x, y = Variable(Int, "x"), Variable(Int, "y")
mean = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "mean")
mean.defn = [Stencil(img(x, y), 1.0 / 81, [[1] * 9] * 9)]
