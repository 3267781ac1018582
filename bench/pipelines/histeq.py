# Histogram equalisation of a gray picture: each value becomes the share of pixels that are not brighter, of 255.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])

x, y, v = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "v")
rows, cols, levels = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 255)

hist = Reduction(([v], [levels]), ([x, y], [rows, cols]), Int, "hist")
hist.defn = [Reduce(hist(img(x, y)), 1, Sum)]

cdf = Function(([v], [levels]), Int, "cdf")
cdf.defn = [Case(Condition(v, '==', 0), hist(v)), Case(Condition(v, '>=', 1), cdf(v - 1) + hist(v))]

equalised = Function(([x, y], [rows, cols]), UChar, "equalised")
equalised.defn = [Min(Cast(Float, cdf(img(x, y))) * (255.0 / (Cast(Float, R) * C)), 255)]
