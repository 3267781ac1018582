N = Parameter(Int, "N")
v = [Variable(Int, "x%d" % i) for i in range(9)]
img = Image(Short, "img", [N] * 9)
f = Function((v, [Interval(Int, 0, N - 1)] * 9), Short, "f")
f.defn = [img(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]) * 2]
