# An index with a product of what varies: bounds of such a product are no points that are read, so none is named.
# RUN: pm-translate %s --verify-diagnostics --to=pmir --pass-pipeline=schedule
R, C = Parameter(Int, "R"), Parameter(Int, "C")
# expected-note@+2:7 {{the domain of img is { [i, j] : 0 <= i < 4*(R) and 0 <= j < 4*(C) }}}
# expected-note@+1:7 {{the domain of img is { [i, j] : 0 <= i < 4*(R) and 0 <= j < 4*(C) }}}
img = Image(UChar, "img", [4 * R, 4 * C])
i, j, x, y = [Variable(Int, n) for n in ["i", "j", "x", "y"]]
t, rows, cols = Interval(Int, 0, 3), Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
s = Reduction(([i, j], [t, t]), ([i, j, x, y], [t, t, rows, cols]), Int, "s")
# expected-error@+2:28 {{img is read at an index with the product i * R, which is not known to stay inside, but s should read img only inside its domain}}
# expected-note@+1:28 {{clamp it, Min(Max(index, 0), 4R - 1); a boundary mode of img, such as boundary="clamp", gives all points outside a value}}
s.defn = [ Reduce(s(i, j), img(i * R + x, j * C + y), Sum) ]
square = Function(([x, y], [rows, cols]), Int, "square")
# expected-error@+2:17 {{img is read at an index with the product x * x, which is not known to stay inside, but square should read img only inside its domain}}
# expected-note@+1:17 {{clamp it, Min(Max(index, 0), 4R - 1); a boundary mode of img, such as boundary="clamp", gives all points outside a value}}
square.defn = [ img(x * x, y) ]
