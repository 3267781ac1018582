# Rows that are divided by their sums, and columns by their greatest values: a tile needs the sums of its rows, which it has for
# itself where it has whole rows (or makes again for each part of them).
# RUN: synth --rows 11 --cols 300 --type f32 -o %t.npy
# RUN: run-all-ways %s --live-out=rows,columns --in img=%t.npy --threads 2
# RUN: pm-translate %s --fp=strict --live-out=rows -o %t.pmir
# RUN: pm-opt %t.pmir --pass-pipeline='stage.pipeline(align-scale,group{strategy=dp cost=roofline},tile,storage,verify-schedule)' --machine=%lib/machines/xeon.json --remarks 2>&1 >/dev/null | FileCheck %s
# RUN: pm-interp %t.pmir --param R=43 --param C=300 --pass-pipeline='stage.pipeline(align-scale,group{strategy=dp cost=roofline},tile,storage,parallelize,expand-statements,verify-schedule),lower-poly' --machine=%lib/machines/xeon.json
# RUN: pm-opt %t.pmir --pass-pipeline='stage.pipeline(align-scale,group{strategy=greedy},tile,storage,verify-schedule)' --size=2000 --remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=GREEDY
# CHECK: 2 stages computed in tiles of {{[0-9]+}}x1073741824, the last is @rows
# CHECK: @sums lives in a scratchpad
# GREEDY: @sums is not computed together with @rows: too much of a tile would be recomputed
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
row, col = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)

sums = Reduction(([x], [row]), ([x, y], [row, col]), Float, "sums")
sums.defn = [Reduce(sums(x), img(x, y), Sum)]
rows = Function(([x, y], [row, col]), Float, "rows")
rows.defn = [img(x, y) / (sums(x) + 1)]

greatest = Reduction(([y], [col]), ([x, y], [row, col]), Float, "greatest")
greatest.defn = [Reduce(greatest(y), img(x, y), Max)]
columns = Function(([x, y], [row, col]), Float, "columns")
columns.defn = [img(x, y) / (greatest(y) + 1)]
