# Halide's apps/blur. Sums wrap at 16 bits.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UShort, "img", [R + 2, C + 2])
y, x = Variable(Int, "y"), Variable(Int, "x")

bx = Function(([y, x], [Interval(Int, 0, R + 1), Interval(Int, 0, C - 1)]), UShort, "bx")
bx.defn = [Cast(UShort, img(y, x) + img(y, x + 1) + img(y, x + 2)) / 3]
by = Function(([y, x], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), UShort, "by")
by.defn = [Cast(UShort, bx(y, x) + bx(y + 1, x) + bx(y + 2, x)) / 3]
