# Chains of enlargements by two, along columns and then along rows, each level with a picture added (SKIP=1) or without: one
# group up to four levels, two of six.
# RUN: %if gcc %{ %python %lib/schedules.py %s --const LEVELS=3 --const SKIP=1 --sizes R=0,C=0 R=13,C=22 --tiles 4x8 %}
# RUN: %if long %{ %python %lib/schedules.py %s --const LEVELS=3 --const SKIP=1 --sizes R=0,C=0 R=13,C=22 --tiles 4x8 --long %}
# RUN: %if gcc %{ %python %lib/schedules.py %s --const LEVELS=6 --const SKIP=0 --sizes R=70,C=5 --tiles 7x12 %}
# RUN: %if long %{ %python %lib/schedules.py %s --const LEVELS=6 --const SKIP=0 --sizes R=70,C=5 --tiles 7x12 --long %}
# RUN: for l in 2 3 4 5; do pm-translate %s --const LEVELS=$l --const SKIP=1 --fp strict --to=pmir -o %t.pmir && pm-interp %t.pmir --param R=33 --param C=70 --pass-pipeline=default || exit 1; done
# RUN: synth --rows 12 --cols 70 --type f32 -o %t.npy
# RUN: pm-run %s --const LEVELS=4 --const SKIP=0 --in img=%t.npy --param R=167 --param C=1097 --check --fp strict --threads 2
# RUN: pm-translate %s --const LEVELS=2 --const SKIP=1 --to=pmir -o %t.pmir && pm-opt %t.pmir --pass-pipeline='stage.pipeline(inline-stages,align-scale,group)' --machine=%lib/machines/server.json --size=2048 --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWO
# RUN: pm-translate %s --const LEVELS=3 --const SKIP=0 --to=pmir -o %t.pmir && pm-opt %t.pmir --pass-pipeline='stage.pipeline(inline-stages,align-scale,group)' --machine=%lib/machines/server.json --size=2048 --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=THREE
# RUN: pm-translate %s --const LEVELS=4 --const SKIP=1 --to=pmir -o %t.pmir && pm-opt %t.pmir --pass-pipeline='stage.pipeline(inline-stages,align-scale,group)' --machine=%lib/machines/server.json --size=2048 --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=FOUR
# RUN: pm-translate %s --const LEVELS=6 --const SKIP=1 --to=pmir -o %t.pmir && pm-opt %t.pmir --pass-pipeline='stage.pipeline(inline-stages,align-scale,group)' --machine=%lib/machines/server.json --size=2048 --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=SIX
# RUN: pm-opt %t.pmir --pass-pipeline='stage.pipeline(inline-stages,align-scale,group{strategy=all})' | FileCheck %s --check-prefix=ALL
# TWO: 4 stages are one group{{.*}} in steps of 1
# THREE: 6 stages are one group{{.*}} in steps of 1
# FOUR: 8 stages are one group{{.*}} in steps of 1
# SIX: 6 stages are one group{{.*}} in steps of 1
# SIX: 6 stages are one group{{.*}} in steps of 1
# ALL: poly.mark "group" {
# ALL-NOT: "group"
R, C = Parameter(Int, "R"), Parameter(Int, "C")
x, y = Variable(Int, "x"), Variable(Int, "y")


def upto(n, margin):
    return Interval(Int, 0, n + margin)


def stage(name, rows, cols, value):
    f = Function(([x, y], [rows, cols]), Float, name)
    f.defn = [value]
    return f


img = Image(Float, "img", [R / (1 << LEVELS) + 2, C / (1 << LEVELS) + 2])
up = img
for k in range(1, LEVELS + 1):
    rows, cols, margin = R / (1 << (LEVELS - k)), C / (1 << (LEVELS - k)), 1 if k < LEVELS else 0
    tall = stage("tall" + str(k), upto(rows, margin), upto(C / (1 << (LEVELS - k + 1)), 1),
                 (3 * up(x / 2, y) + up((x + 1) / 2, y)) * 0.25)
    value = (3 * tall(x, y / 2) + tall(x, (y + 1) / 2)) * 0.25
    if SKIP:
        value = value + Image(Float, "added" + str(k), [rows + 2, cols + 2])(x, y)
    up = stage("up" + str(k), upto(rows, margin), upto(cols, margin), value)
