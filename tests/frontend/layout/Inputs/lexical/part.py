def f():
    x = Variable(Int, "x")
    g = Function(([x], [Interval(Int, 0, 3)]), Int, "g")
    g.defn = x + 3€
    return g
