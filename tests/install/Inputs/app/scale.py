import factors

N = Parameter(Int, "N")
img = Image(Float, "img", [N])
x = Variable(Int, "x")
scaled = Function(([x], [Interval(Int, 0, N-1)]), Float, "scaled")
scaled.defn = [ img(x) * factors.factor + 1 ]
