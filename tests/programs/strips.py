# RUN: %if gcc %{ %python %lib/schedules.py %s --live-out=out,turned,peak --sizes R=3,C=3 R=9,C=21 --tiles 4x8 %}
# RUN: %if long %{ %python %lib/schedules.py %s --live-out=out,turned,peak --sizes R=3,C=3 R=9,C=21 R=21,C=9 --tiles 4x8,3x5 --long %}
# RUN: rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for s in '3 3' '3 40' '40 3' '17 33' '75 141'; do set -- $s; synth --rows $1 --cols $2 --type f32 -o %t.npy && pm-run %s --estimate R=40 --estimate C=300 --live-out=out,turned,peak --in img=%t.npy --check --fp strict --threads 3 || exit 1; done
# RUN: rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for s in '17 33' '75 141'; do set -- $s; synth --rows $1 --cols $2 --type f32 -o %t.npy && pm-run %s --estimate R=40 --estimate C=300 --live-out=out,turned,peak --in img=%t.npy --check --fp strict --threads 3 --set='group{strategy=all}' || exit 1; done
# RUN: pmc %s --live-out=out,turned,peak --remarks=all --machine=%lib/machines/slow-memory.json -o %t.c 2>&1 | FileCheck %s
# Recursive filters down the columns and back with what they read and what reads them, in strips of columns; along the
# rows of three channels, in strips of rows, and a transpose; a running maximum of a reversed picture.
# CHECK-DAG: [group] passed: 3 stages are one group, in tiles of allx{{[0-9]+}}, {{.*}} the last is @turned
# CHECK-DAG: [group] passed: 3 stages are one group, in tiles of allx{{[0-9]+}}, {{.*}} the last is @out
# CHECK-DAG: [group] passed: 2 stages are one group, in tiles of allx{{[0-9]+}}, {{.*}} the last is @peak
# CHECK-DAG: [storage] passed: @down lives in a scratchpad of allx{{[0-9]+}} ({{[0-9]+}} bytes times all, heap)
# CHECK-DAG: [storage] passed: @most lives in a scratchpad of allx{{[0-9]+}} ({{.*}} heap)
# CHECK-DAG: [storage] passed: @along lives in a scratchpad of 3x{{[0-9]+}}xall ({{[0-9]+}} bytes times all, heap)
R, C = Parameter(Int, "R"), Parameter(Int, "C")
x, y, k = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "k")
img = Image(Float, "img", [R, C])
rows, cols = Interval(Int, 1, R - 2), Interval(Int, 1, C - 2)

blurred = Function(([x, y], [rows, cols]), Float, "blurred")
blurred.defn = [(img(x - 1, y) + img(x, y - 1) + 2 * img(x, y) + img(x, y + 1) + img(x + 1, y)) / 6.0]
down = Function(([x, y], [rows, cols]), Float, "down")
down.defn = [Case(x == 1, blurred(x, y)), Case(x == 2, 0.5 * (blurred(x, y) + down(x - 1, y))),
             Case(x >= 3, 0.5 * blurred(x, y) + 0.75 * down(x - 1, y) - 0.25 * down(x - 2, y))]
up = Function(([x, y], [rows, cols]), Float, "up")
up.defn = [Case(x == R - 2, down(x, y)), Case(x <= R - 3, 0.5 * (down(x, y) + up(x + 1, y)))]
inner = Interval(Int, 2, C - 3)
out = Function(([x, y], [rows, inner]), Float, "out")
out.defn = [img(x, y) - 0.5 * (up(x, y - 1) + up(x, y + 1))]

planes, all_rows, all_cols = Interval(Int, 0, 2), Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
gained = Function(([k, x, y], [planes, all_rows, all_cols]), Float, "gained")
gained.defn = [img(x, y) / (1.0 + k) + img(R - 1 - x, y)]
along = Function(([k, x, y], [planes, all_rows, all_cols]), Float, "along")
along.defn = [Case(y == 0, gained(k, x, y)), Case(y >= 1, 0.25 * gained(k, x, y) + 0.75 * along(k, x, y - 1))]
back = Function(([k, x, y], [planes, all_rows, all_cols]), Float, "back")
back.defn = [Case(y == C - 1, along(k, x, y)), Case(y <= C - 2, 0.25 * along(k, x, y) + 0.75 * back(k, x, y + 1))]
turned = Function(([x, y, k], [all_cols, all_rows, planes]), Float, "turned")
turned.defn = [back(k, y, x) * 2.0]

level = Function(([x, y], [all_rows, all_cols]), Int, "level")
level.defn = [Cast(Int, img(R - 1 - x, y) * 255.0) + 16 * (x % 3)]
most = Function(([x, y], [all_rows, all_cols]), Int, "most")
most.defn = [Case(x == 0, level(x, y)), Case(x >= 1, Max(level(x, y), most(x - 1, y) - 1))]
peak = Function(([x, y], [all_rows, Interval(Int, 0, C - 2)]), Int, "peak")
peak.defn = [most(x, y) - most(R - 1 - x, y + 1)]
