# Indices: affine in variables and parameters, reversed, swapped, divided (floor), remainders (not negative), of 64 bits.
# RUN: %python %lib/values.py %s img=i32:2x6 k=1 down up wrapped mirrored swapped shifted | FileCheck %s --match-full-lines
# CHECK: down: 1 5 9
# CHECK-NEXT: down: 13 17 21
# CHECK-NEXT: up: 1 2 2 3 3 4 4 5
# CHECK-NEXT: up: 7 8 8 9 9 10 10 11
# CHECK-NEXT: wrapped: 3 4 5 0 1 2 3 4
# CHECK-NEXT: wrapped: 9 10 11 6 7 8 9 10
# CHECK-NEXT: mirrored: 11 10 9 8 7 6
# CHECK-NEXT: mirrored: 5 4 3 2 1 0
# CHECK-NEXT: swapped: 0 6
# CHECK-NEXT: swapped: 1 7
# CHECK-NEXT: swapped: 2 8
# CHECK-NEXT: swapped: 3 9
# CHECK-NEXT: swapped: 4 10
# CHECK-NEXT: swapped: 5 11
# CHECK-NEXT: shifted: 0 0 1 2 3 4
# CHECK-NEXT: shifted: 0 6 7 8 9 10
img = Image(Int, "img", [2, 6])
k = Parameter(Int, "k")
x, y = Variable(Int, "x"), Variable(Int, "y")


def stage(name, rows, cols, value):
    f = Function(([x, y], [Interval(Int, 0, rows - 1), Interval(Int, 0, cols - 1)]), Int, name)
    f.defn = value


stage("down", 2, 3, img(x, 2 * y) + img(x, 2 * y + 1))
stage("up", 2, 8, img(x, (y + 3) / 2))
stage("wrapped", 2, 8, img(x, (y - 3) % 6))
stage("mirrored", 2, 6, img(1 - x, 5 - y))
stage("swapped", 6, 2, img(y, x))
shifted = Function(([x, y], [Interval(Int, 0, 1), Interval(Int, 0, 5)]), Int, "shifted")
shifted.defn = Case(Condition(y, '>=', k) & Condition(y - k, '<', 6) & Condition(k, '>=', 0), img(x, y - k))
