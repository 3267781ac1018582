R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C], boundary="clamp")
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, columns = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
blur = Function(([x, y], [rows, columns]), Float, "blur")
blur.defn = [(img(x, y - 1) + 2 * img(x, y) + img(x, y + 1)) * 0.25]
