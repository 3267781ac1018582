# Two levels of a wavelet transform, forward and back: the low and the high band of a picture read the same cells, and are
# one group with one pass over them.
# RUN: %if gcc %{ %python %lib/schedules.py %s --live-out=low2L,low2H,high2L,high2H,level1 --sizes R=1,C=1 R=5,C=9 --tiles 4x8 %}
# RUN: %if long %{ %python %lib/schedules.py %s --live-out=low2L,low2H,high2L,high2H,level1 --sizes R=1,C=1 R=5,C=9 --tiles 4x8 --long %}
# RUN: rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for s in '4 4' '4 36' '36 132' '72 260'; do set -- $s; synth --rows $1 --cols $2 --type f32 -o %t.npy && pm-run %s --estimate R=40 --estimate C=300 --live-out=low2L,low2H,high2L,high2H,level1 --in img=%t.npy --check --fp strict --threads 3 || exit 1; done
# RUN: pm-translate %s --live-out=low2L,low2H,high2L,high2H,level1 --to=pmir -o %t.pmir
# RUN: pm-opt %t.pmir --pass-pipeline='stage.pipeline(inline-stages,align-scale,group,tile,storage,share-storage,expand-statements,fuse-bands)' --size=512 --remarks -o /dev/null 2>&1 | FileCheck %s
# CHECK: 7 stages are one group{{.*}}, the last is @high2H;
# CHECK: 7 stages are one group{{.*}}, the last is @level1;
# CHECK: @cols2H shares the loops of the statement ahead: both have 2 of 2 reads
# CHECK: @low2H shares the loops of the statement ahead: both have 2 of 2 reads
# CHECK: @high2H shares the loops of the statement ahead: both have 2 of 2 reads
R, C = Parameter(Int, "R"), Parameter(Int, "C")
x, y = Variable(Int, "x"), Variable(Int, "y")
img = Image(Float, "img", [4 * R, 4 * C])


def plane(rows, cols):
    return ([x, y], [Interval(Int, 0, rows - 1), Interval(Int, 0, cols - 1)])


def stage(name, domain, value):
    f = Function(domain, Float, name)
    f.defn = [value]
    return f


def pair(name, domain, a, b):
    return stage(name + "L", domain, (a + b) * 0.5), stage(name + "H", domain, (a - b) * 0.5)


def forward(level, f, rows, cols):
    low, high = pair("cols" + str(level), plane(2 * rows, cols), f(x, 2 * y), f(x, 2 * y + 1))
    LL, LH = pair("low" + str(level), plane(rows, cols), low(2 * x, y), low(2 * x + 1, y))
    HL, HH = pair("high" + str(level), plane(rows, cols), high(2 * x, y), high(2 * x + 1, y))
    return LL, LH, HL, HH


def merge(name, domain, v, even, odd):
    f = Function(domain, Float, name)
    f.defn = [Case(Condition(v % 2, '==', 0), even), Case(Condition(v % 2, '==', 1), odd)]
    return f


def inverse(level, LL, LH, HL, HH, rows, cols):
    low = merge("rowsL" + str(level), plane(2 * rows, cols), x, LL(x / 2, y) + LH(x / 2, y), LL(x / 2, y) - LH(x / 2, y))
    high = merge("rowsH" + str(level), plane(2 * rows, cols), x, HL(x / 2, y) + HH(x / 2, y), HL(x / 2, y) - HH(x / 2, y))
    return merge("level" + str(level), plane(2 * rows, 2 * cols), y, low(x, y / 2) + high(x, y / 2),
                 low(x, y / 2) - high(x, y / 2))


first = forward(1, img, 2 * R, 2 * C)
second = forward(2, first[0], R, C)
LL2, LH2, HL2, HH2 = second
again = inverse(2, LL2, LH2, HL2, HH2, R, C)
back = inverse(1, again, first[1], first[2], first[3], 2 * R, 2 * C)
