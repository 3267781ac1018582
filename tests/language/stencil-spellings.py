# A stencil of the point, of the consumer's variables, of given variables with an origin; the middle is (size - 1) / 2.
# RUN: %python %lib/values.py %s img=i32:5x5 a b c d e | FileCheck %s --match-full-lines
# CHECK: a: 7 8 9
# CHECK-NEXT: a: 12 13 14
# CHECK-NEXT: a: 17 18 19
# CHECK-NEXT: b: 7 8 9
# CHECK-NEXT: b: 12 13 14
# CHECK-NEXT: b: 17 18 19
# CHECK-NEXT: c: 7 8 9
# CHECK-NEXT: c: 12 13 14
# CHECK-NEXT: c: 17 18 19
# CHECK-NEXT: d: 108 120 132
# CHECK-NEXT: d: 168 180 192
# CHECK-NEXT: d: 228 240 252
# CHECK-NEXT: e: 12 16 20
# CHECK-NEXT: e: 32 36 40
# CHECK-NEXT: e: 52 56 60
img = Image(Int, "img", [5, 5])
x, y = Variable(Int, "x"), Variable(Int, "y")
dom = ([x, y], [Interval(Int, 1, 3), Interval(Int, 1, 3)])
kernel = [[0, 1, 0], [1, -4, 2], [0, 1, 0]]


def stage(name, value):
    f = Function(dom, Int, name)
    f.defn = [value]


stage("a", Stencil(img(x, y), 1, kernel))
stage("b", Stencil(img, 1, kernel))
stage("c", Stencil(img, [x, y], kernel, [1, 1]))
stage("d", Stencil(img(x, y), 3, [[1, 1], [1, 1]]))
stage("e", Stencil(img, [x, y], [[1, 1], [1, 1]], [1, 1]))
