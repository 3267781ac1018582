R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
levels = []
for i in range(3):
    f = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "level" + str(i))
    f.defn = [img(x, y) if i == 0 else levels[i - 1](x + i, y)]
    levels.append(f)
