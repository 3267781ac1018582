# The mean of nine pixels; at borders, the nearest pixels stand for those outside.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Double, "img", [R, C], boundary="clamp")
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, columns = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)

across = Function(([x, y], [rows, columns]), Double, "across", boundary="clamp")
across.defn = [ img(x, y - 1) + img(x, y) + img(x, y + 1) ]

blur = Function(([x, y], [rows, columns]), Double, "blur")
blur.defn = [ (across(x - 1, y) + across(x, y) + across(x + 1, y)) / 9 ]
