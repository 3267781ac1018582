# A stencil over rows that are divided by their sums: what it reads is in a scratchpad, whose rows cannot be as long as any picture's.
# RUN: synth --rows 37 --cols 41 --type f32 -o %t.npy
# RUN: pm-run %s --in img=%t.npy --check --fp strict --threads 2
# RUN: pm-translate %s --fp=strict -o %t.pmir
# RUN: pm-opt %t.pmir --pass-pipeline='stage.pipeline(align-scale,group{strategy=dp cost=roofline},tile,storage,verify-schedule)' --machine=%lib/machines/xeon.json --size=40 --remarks 2>&1 >/dev/null | FileCheck %s
# CHECK: 3 stages computed in tiles of {{[0-9]+}}x4{{[0-9]}}, the last is @edges
# CHECK: @rows lives in a scratchpad of {{[0-9]+}}x4{{[0-9]}} (
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
row, col = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)

sums = Reduction(([x], [row]), ([x, y], [row, col]), Float, "sums")
sums.defn = [Reduce(sums(x), img(x, y), Sum)]
rows = Function(([x, y], [row, col]), Float, "rows")
rows.defn = [img(x, y) / (sums(x) + 1)]
edges = Function(([x, y], [row, col]), Float, "edges")
inside = Condition(x, '>', 0) & Condition(x, '<', R - 1) & Condition(y, '>', 0) & Condition(y, '<', C - 1)
edges.defn = [Case(inside, rows(x - 1, y) + rows(x + 1, y) - rows(x, y - 1) - rows(x, y + 1))]
