# Vectors of three numbers, each divided by its length.
N = Parameter(Int, "N")
v = Image(Float, "v", [3, N])
i, k = Variable(Int, "i"), Variable(Int, "k")
points, axes = Interval(Int, 0, N - 1), Interval(Int, 0, 2)

norm = Function(([i], [points]), Float, "norm")
norm.defn = [ Sqrt(v(0, i) * v(0, i) + v(1, i) * v(1, i) + v(2, i) * v(2, i)) ]

unit = Function(([k, i], [axes, points]), Float, "unit")
unit.defn = [ v(k, i) / norm(i) ]
