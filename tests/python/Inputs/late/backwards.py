R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
f = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "f")
f.defn = [Case(Condition(x, '>', 0), f(x - 1, y) + f(x, y + 1)), Case(Condition(x, '==', 0), img(x, y))]
k = Function(([x, y], [Interval(Int, 0, 10), Interval(Int, 0, C - 1)]), Float, "k")
k.defn = [f(2 * x, y // 2)]
