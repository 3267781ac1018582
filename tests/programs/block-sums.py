# Sums and maxima of blocks of a computed picture, at a size that is no multiple of the blocks, and what neighbouring blocks
# give: a tile sums the blocks that it needs.
# RUN: synth --rows 43 --cols 85 --type u8 -o %t.npy
# RUN: run-all-ways %s --in img=%t.npy --threads 2
# RUN: synth --rows 1 --cols 3 --type u8 -o %t.npy
# RUN: %if long %{ run-all-ways %s --in img=%t.npy --threads 1 %} %else %{ pm-run %s --in img=%t.npy --threads 1 --check --fp=strict "--cflags=-O0 -fopenmp" --strategy=all --tile=3x5 %}
# RUN: pm-run %s --in img=%t.npy --check --strategy all --remarks=all 2>&1 | FileCheck %s
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y, z, c = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "z"), Variable(Int, "c")
rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
block_rows, block_cols = Interval(Int, 0, R / 8), Interval(Int, 0, C / 8)
inside = Condition(x, '>=', 1) & Condition(x, '<=', R - 2) & Condition(y, '>=', 1) & Condition(y, '<=', C - 2)

blurred = Function(([x, y], [rows, cols]), Int, "blurred")
blurred.defn = [Case(inside, img(x - 1, y) + 2 * img(x, y - 1) + img(x, y) + 2 * img(x, y + 1) + img(x + 1, y))]

# CHECK-DAG: @sums lives in a scratchpad of
sums = Reduction(([x, y], [block_rows, block_cols]), ([x, y], [rows, cols]), Int, "sums")
sums.default = 5
sums.defn = [Reduce(sums(x / 8, y / 8), blurred(x, y), Sum), Reduce(sums(x / 8, y / 8), img(x, y), Max)]

# Of each block, how many pixels have a value: the block follows from the place, the value does not.
# CHECK-DAG: @values lives in a scratchpad of
values = Reduction(([x, y, z], [block_rows, block_cols, Interval(Int, 0, 7)]), ([x, y], [rows, cols]), Int, "values")
values.defn = [Reduce(values(x / 8, y / 8, img(x, y) / 32), 1, Sum)]

around = Condition(x, '>=', 1) & Condition(x, '<=', R / 8 - 1) & Condition(y, '>=', 1) & Condition(y, '<=', C / 8 - 1)
smooth = Function(([x, y], [block_rows, block_cols]), Int, "smooth")
smooth.defn = [Case(around, sums(x - 1, y) + sums(x, y - 1) + sums(x + 1, y) + sums(x, y + 1) +
                    values(x, y - 1, 3) + values(x - 1, y, 4))]

out = Function(([x, y], [rows, cols]), Int, "out")
out.defn = [smooth(x / 8, y / 8) + blurred(x, y) * values(x / 8, y / 8, img(x, y) / 32)]
