# Reads of every kind.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y, b = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "b")
rows, cols, bins = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 255)

half = Function(([x, y], [Interval(Int, 0, R / 2 - 1), cols]), Int, "half")
half.defn = img(2 * x, y) + img(2 * x + 1, y)
edge = Function(([x, y], [rows, cols]), Int, "edge")
edge.defn = [Case(Condition(x, '>=', 1), img(x - 1, y) + img(x, y)), Case(Condition(x, '==', 0), img(x, y))]
swapped = Function(([x, y], [cols, rows]), Int, "swapped")
swapped.defn = edge(y, x)
hist = Reduction(([b], [bins]), ([x, y], [rows, cols]), Int, "hist")
hist.defn = Reduce(hist(img(x, y)), 1, Sum)
hist.default = 1
looked = Function(([x, y], [rows, cols]), Int, "looked")
looked.defn = hist(img(x, y))
scan = Function(([x, y], [rows, cols]), Int, "scan")
scan.defn = [Case(Condition(y, '>=', 1), scan(x, y - 1) + looked(x, y)), Case(Condition(y, '==', 0), looked(x, y))]
