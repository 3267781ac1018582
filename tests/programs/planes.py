# RUN: %if gcc %{ %python %lib/schedules.py %s --live-out=out,top --sizes R=1,C=1 R=5,C=11 --tiles 4x8 %}
# RUN: %if long %{ %python %lib/schedules.py %s --live-out=out,top --sizes R=1,C=1 R=5,C=11 --tiles 4x8 --long %}
# RUN: synth --rows 75 --cols 141 --type f32 -o %t.npy
# RUN: pm-run %s --live-out=out,top --in img=%t.npy --check --fp=strict --threads 3 --tile=16x32 | FileCheck %s
# RUN: pmc %s --live-out=out,top --tile=16x32 --remarks=all -o %t.c 2>&1 | FileCheck %s --check-prefix=PLANES
# A plane of differences for each offset, sums over windows of it, weights, and what they sum to: each tile has memory for
# one plane. `top` needs all planes at once, of a stage that only it reads.
# CHECK: check: @out 75x141: equal
# CHECK: check: @top 75x141: equal
# PLANES-DAG: [tile-reductions] passed: a tile computes the terms of @{{norm|acc}} plane by plane: {{[0-9]+}} statements, and of 3 stages only one plane is stored
# PLANES-DAG: [storage] passed: @d lives in a ring of 1 of 9 slices
# PLANES-DAG: [storage] passed: @b lives in a ring of 1 of 9 slices
# PLANES-DAG: [storage] passed: @w lives in a ring of 1 of 9 slices
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C], boundary="clamp")
k, x, y = Variable(Int, "k"), Variable(Int, "x"), Variable(Int, "y")
planes, rows, cols, wide = Interval(Int, 0, 8), Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, -1, C)
tall = Interval(Int, -1, R)

d = Function(([k, x, y], [planes, tall, wide]), Float, "d")
e = img(x, y) - img(x + k / 3 - 1, y + k % 3 - 1)
d.defn = [e * e]
b = Function(([k, x, y], [planes, rows, wide]), Float, "b")
b.defn = [d(k, x - 1, y) + d(k, x, y) + d(k, x + 1, y)]
w = Function(([k, x, y], [planes, rows, cols]), Float, "w")
w.defn = [1.0 / (1.0 + 0.01 * (b(k, x, y - 1) + b(k, x, y) + b(k, x, y + 1)))]
acc = Reduction(([x, y], [rows, cols]), ([k, x, y], [planes, rows, cols]), Float, "acc")
acc.defn = [Reduce(acc(x, y), w(k, x, y) * img(x + k / 3 - 1, y + k % 3 - 1), Sum)]
norm = Reduction(([x, y], [rows, cols]), ([x, y, k], [rows, cols, planes]), Float, "norm")
norm.defn = [Reduce(norm(x, y), w(k, x, y), Sum)]
out = Function(([x, y], [rows, cols]), Float, "out")
out.defn = [acc(x, y) / norm(x, y)]

v = Function(([k, x, y], [planes, rows, cols]), Float, "v")
v.defn = [img(x, y) * (k + 1)]
m = Reduction(([x, y], [rows, cols]), ([k, x, y], [planes, rows, cols]), Float, "m")
m.defn = [Reduce(m(x, y), v(k, x, y) - v(8 - k, x, y), Max)]
top = Function(([x, y], [rows, cols]), Float, "top")
top.defn = [m(x, y) + out(x, y)]
