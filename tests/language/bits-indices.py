# Shifts by known amounts and masks of the lowest bits are affine: in indices, intervals and the conditions of cases.
# RUN: %python %lib/values.py %s img=i32:10,11,12,13,14,15,16,17,18 lut=i32:0,1,2,3,4,5,6,7 up wrapped looked odd mixed | FileCheck %s --match-full-lines
# RUN: pm-translate %s --to=pmir | FileCheck %s --check-prefix=SETS
# CHECK: up: 10 10 11 11 12 12 13 13 14
# CHECK-NEXT: wrapped: 13 10 11 12 13 10
# CHECK-NEXT: looked: 2 3 4 5 6 7 0 1 2
# CHECK-NEXT: odd: 0 11 0 13 0 15 0 17 0
# CHECK-NEXT: mixed: 7 7 6 6 5 5 4 4 3
# SETS: stage.func @up
# SETS: stage.read @img[%x floordiv 2]
# SETS: stage.func @wrapped
# SETS: stage.read @img[(%x - 1) mod 4]
# SETS: stage.func @looked
# SETS: stage.read @lut[%{{.*}} mod 8]
# SETS: stage.func @odd
# SETS: stage.case(%x) on #isl.set<"[R] -> { [x] : (1 + x) mod 2 = 0 and 0 <= x < R }">
# SETS-NOT: stage.guard
R = Parameter(Int, "R")
img, lut = Image(Int, "img", [R]), Image(Int, "lut", [8])
x = Variable(Int, "x")
all = Interval(Int, 0, ((R << 1) >> 1) - 1)
up = Function(([x], [all]), Int, "up")
up.defn = img(x >> 1)
wrapped = Function(([x], [Interval(Int, 0, 5)]), Int, "wrapped")
wrapped.defn = Case(Condition(R, '>=', 4), img((x - 1) & 3))
looked = Function(([x], [all]), Int, "looked")
looked.defn = lut(img(x) & 7)
odd = Function(([x], [all]), Int, "odd")
odd.defn = Case(Condition(x & 1, '==', 1), img(x))
mixed = Function(([x], [all]), Int, "mixed")
mixed.defn = lut(~(x >> 1) & 7)
