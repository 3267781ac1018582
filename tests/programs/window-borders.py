# Sums over windows that reach beyond the picture: the update is split into an interior without clamps, whose rows are
# vectors, and borders.
# RUN: %if gcc %{ %python %lib/schedules.py %s --live-out=box,weighted --sizes R=1,C=1 R=5,C=23 --tiles 4x8 %}
# RUN: %if long %{ %python %lib/schedules.py %s --live-out=box,weighted --sizes R=1,C=1 R=5,C=23 --tiles 4x8 --long %}
# RUN: rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for s in '1 1' '3 9' '9 40' '45 300'; do set -- $s; synth --rows $1 --cols $2 --type f32 -o %t.npy && pm-run %s --estimate R=40 --estimate C=300 --live-out=box,weighted --in img=%t.npy --check --fp strict --threads 3 || exit 1; done
# RUN: pm-translate %s --live-out=box,weighted --to=pmir -o %t.pmir && pm-opt %t.pmir --pass-pipeline='stage.pipeline(check-bounds,expand-boundaries,inline-stages,infer-domains,peel-borders)' --size=1000 --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=PEEL
# PEEL: an update of @box is split into an interior with {{.*}} of its points and 4 strips around it
# PEEL: an update of @weighted is split into an interior with {{.*}} of its points and 2 strips around it
# RUN: pm-translate %s --live-out=box,weighted --to=c -o - | FileCheck %s
# CHECK: box[i0 * C64 + [[I:i[0-9]+]]] = box[i0 * C64 + [[I]]] + img[(i0 + {{i[0-9]+}}) * C64 + [[I]] + {{i[0-9]+}}];
R, C = Parameter(Int, "R"), Parameter(Int, "C")
x, y, i, j = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "i"), Variable(Int, "j")
img = Image(Float, "img", [R, C], boundary="clamp")
rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
window = ([x, y, i, j], [rows, cols, Interval(Int, -3, 3), Interval(Int, -2, 2)])
box = Reduction(([x, y], [rows, cols]), window, Float, "box")
box.defn = [Reduce(box(x, y), img(x + i, y + j), Sum)]
# One element has the points of 2 x 2 pixels.
weighted = Reduction(([x, y], [Interval(Int, 0, (R - 1) / 2), Interval(Int, 0, (C - 1) / 2)]), window, Float, "weighted")
weighted.defn = [Reduce(weighted(x / 2, y / 2), img(x + 2 * i, y + j) * (i + 4), Sum)]
