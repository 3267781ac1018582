# Histogram of a gray picture.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])

x, y, v = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "v")
rows, cols, levels = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 255)

hist = Reduction(([v], [levels]), ([x, y], [rows, cols]), Int, "hist")
hist.defn = [Reduce(hist(img(x, y)), 1, Sum)]
