# Histogram, equalisation by its running sum, block maxima, and a summed-area table.
# RUN: synth --rows 11 --cols 300 --type u8 -o %t.npy
# RUN: run-all-ways %s --in img=%t.npy
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y, v = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "v")
row, col, levels = Interval(Int, 0, R-1), Interval(Int, 0, C-1), Interval(Int, 0, 255)

hist = Reduction(([v], [levels]), ([x, y], [row, col]), Int, "hist")
hist.defn = [ Reduce(hist(img(x, y)), 1, Sum) ]
cdf = Function(([v], [levels]), Int, "cdf")
cdf.defn = [ Case(Condition(v, '==', 0), hist(v)), Case(Condition(v, '>=', 1), cdf(v-1) + hist(v)) ]
equal = Function(([x, y], [row, col]), UChar, "equal")
equal.defn = [ cdf(img(x, y)) * 255 / (R * C) ]

blocks = Reduction(([x, y], [Interval(Int, 0, (R+7)/8 - 1), Interval(Int, 0, (C+7)/8 - 1)]),
                   ([x, y], [row, col]), UChar, "blocks")
blocks.defn = [ Reduce(blocks(x/8, y/8), img(x, y), Max) ]

sat = Function(([x, y], [Interval(Int, 0, R), Interval(Int, 0, C)]), Int, "sat")
sat.defn = [ Case(Condition(x, '>=', 1) & Condition(y, '>=', 1),
                  sat(x-1, y) + sat(x, y-1) - sat(x-1, y-1) + img(x-1, y-1)) ]
