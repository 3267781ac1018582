# Every thousandth value of a row that may be long.
N = Parameter(Int, "N")
row = Image(Float, "row", [N])
x = Variable(Int, "x")

sampled = Function(([x], [Interval(Int, 0, (N - 1) / 1000)]), Float, "sampled")
sampled.defn = [ 2.0 * row(1000 * x) ]
