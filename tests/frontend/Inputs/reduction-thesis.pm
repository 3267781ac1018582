R, C = Parameter(Int), Parameter(Int)
img = Image(UChar, [R, C])
x, y, v = Variable(), Variable(), Variable()
rows, cols, bins = Interval(0, R-1, 1), Interval(0, C-1, 1), Interval(0, 255, 1)
hist = Reduction(redDom = ([x, y], [rows, cols]), varDom = ([v], [bins]), Int)
hist.default = 1
hist.defn = Reduce(hist(img(x, y)), 2, Sum)
hist.defn = Case(Condition(x, '>', 3), Case(Condition(img(x, y), '<', 9), Reduce(hist(y % 256), x, Max)))
