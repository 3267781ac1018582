# What the program asserts of parameters holds in every call: other sizes are refused, and reads are proved for those left.
# RUN: %python %lib/values.py %s img=u8:6x4 f | FileCheck %s --match-full-lines
# RUN: %python %lib/values.py %s img=u8:8x8 f | FileCheck %s --check-prefix=LARGE --match-full-lines
# RUN: synth --rows 7 --cols 4 --type u8 -o %t.odd.npy
# RUN: exits-with 1 pm-run %s --in img=%t.odd.npy --check 2>&1 | FileCheck %s --check-prefix=ODD
# RUN: synth --rows 4 --cols 4 --type u8 -o %t.small.npy
# RUN: exits-with 1 pm-run %s --in img=%t.small.npy --check 2>&1 | FileCheck %s --check-prefix=SMALL
# RUN: synth --rows 6 --cols 3 --type u8 -o %t.thin.npy
# RUN: exits-with 1 pm-run %s --in img=%t.thin.npy --check 2>&1 | FileCheck %s --check-prefix=THIN
# CHECK: f: 14 16
# CHECK-NEXT: f: 26 28
# CHECK-NEXT: f: 38 40
# LARGE: f: 26 28 30 32 34 36
# LARGE-NEXT: f: 50 52 54 56 58 60
# LARGE-NEXT: f: 74 76 78 80 82 84
# LARGE-NEXT: f: 98 100 102 104 106 108
# ODD: should have R mod 2 = 0 and R >= 6 and C >= 4; they are R = 7, C = 4
# SMALL: they are R = 4, C = 4
# THIN: they are R = 6, C = 3
R, C = Parameter(Int, "R"), Parameter(Int, "C")
assert 2 + 2 == 4 and R >= 5 and C > 2, "too small"
assert (R % 2 == 0)


def two_dimensional(rows, cols):
    assert (rows == cols) | (cols > 3)


two_dimensional(R, C)
img = Image(UChar, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
f = Function(([x, y], [Interval(Int, 0, R / 2 - 1), Interval(Int, 0, C - 3)]), Int, "f")
f.defn = img(2 * x + 1, y) + img(x + 2, y + 2)
