# A point-wise stage with a root and a sine, read at five points: it is stored, since to make it again costs more.
# RUN: %if gcc %{ %python %lib/schedules.py %s --sizes R=3,C=3 R=9,C=19 --tiles 4x8 %}
# RUN: %if long %{ %python %lib/schedules.py %s --sizes R=3,C=3 R=9,C=19 --tiles 4x8 --long %}
# RUN: rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for s in '3 3' '5 40' '45 131'; do set -- $s; synth --rows $1 --cols $2 --type f32 -o %t.npy && pm-run %s --estimate R=40 --estimate C=300 --in img=%t.npy --check --fp strict --threads 3 || exit 1; done
# RUN: pm-translate %s --to=pmir -o %t.pmir && pm-opt %t.pmir --pass-pipeline='stage.pipeline(inline-stages,align-scale,group)' --size=2048 --remarks -o /dev/null 2>&1 | FileCheck %s
# CHECK: [inline-stages] passed: @cheap
# CHECK: [inline-stages] missed: @slow
# CHECK: 2 stages are one group
R, C = Parameter(Int, "R"), Parameter(Int, "C")
x, y = Variable(Int, "x"), Variable(Int, "y")
img = Image(Float, "img", [R, C])
plane = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])
cheap = Function(plane, Float, "cheap")
cheap.defn = [img(x, y) * 2 + 1]
slow = Function(plane, Float, "slow")
slow.defn = [Sin(cheap(x, y)) * Sqrt(cheap(x, y) * cheap(x, y) + 1)]
out = Function(([x, y], [Interval(Int, 1, R - 2), Interval(Int, 1, C - 2)]), Float, "out")
out.defn = [slow(x, y) * 4 - slow(x - 1, y) - slow(x + 1, y) - slow(x, y - 1) - slow(x, y + 1)]
