# Kernels of one and three dimensions, on the last dimensions of more; weights of 0 read nothing, not even outside; factors of every kind.
# RUN: %python %lib/values.py %s img=i32:2x3x4 w=3 line slab zeros scaled floats symbolic | FileCheck %s --match-full-lines
# CHECK: line: 4 8
# CHECK-NEXT: line: 20 24
# CHECK-NEXT: line: 36 40
# CHECK-NEXT: line: 52 56
# CHECK-NEXT: line: 68 72
# CHECK-NEXT: line: 84 88
# CHECK-NEXT: slab: -24 -24
# CHECK-NEXT: slab: -24 -24
# CHECK-NEXT: zeros: 2 5 8
# CHECK-NEXT: zeros: 14 17 20
# CHECK-NEXT: zeros: 26 29 32
# CHECK-NEXT: zeros: 38 41 44
# CHECK-NEXT: zeros: 50 53 56
# CHECK-NEXT: zeros: 62 65 68
# CHECK-NEXT: scaled: 0.25 0.5
# CHECK-NEXT: scaled: 1.25 1.5
# CHECK-NEXT: scaled: 2.25 2.5
# CHECK-NEXT: scaled: 3.25 3.5
# CHECK-NEXT: scaled: 4.25 4.5
# CHECK-NEXT: scaled: 5.25 5.5
# CHECK-NEXT: floats: 2 4
# CHECK-NEXT: floats: 10 12
# CHECK-NEXT: floats: 18 20
# CHECK-NEXT: floats: 26 28
# CHECK-NEXT: floats: 34 36
# CHECK-NEXT: floats: 42 44
# CHECK-NEXT: symbolic: -12 -12
# CHECK-NEXT: symbolic: -12 -12
# CHECK-NEXT: symbolic: -12 -12
# CHECK-NEXT: symbolic: -12 -12
# CHECK-NEXT: symbolic: -12 -12
# CHECK-NEXT: symbolic: -12 -12
img = Image(Int, "img", [2, 3, 4])
w = Parameter(Int, "w")
z, x, y = Variable(Int, "z"), Variable(Int, "x"), Variable(Int, "y")


def stage(name, type, rows, cols, value):
    f = Function(([z, x, y], [Interval(Int, 0, 1), rows, cols]), type, name)
    f.defn = value


all = Interval(Int, 0, 2)
stage("line", Int, all, Interval(Int, 1, 2), Stencil(img(z, x, y), 1, [1, 2, 1]))
stage("slab", Int, Interval(Int, 1, 1), Interval(Int, 1, 2), Stencil(img(z, x, y), 1, [[[1, 1, 1], [0, 0, 0], [-1, -1, -1]]]))
stage("zeros", Int, all, Interval(Int, 0, 2), Stencil(img(z, x, y), 1, [0, 1, 2]))
stage("scaled", Float, all, Interval(Int, 1, 2), Stencil(img(z, x, y), 1.0 / 8, [1, 0, 1]))
stage("floats", Float, all, Interval(Int, 1, 2), Stencil(img(z, x, y), 2, [0.25, 0.5, 0.25]))
stage("symbolic", Int, all, Interval(Int, 1, 2), Stencil(img(z, x, y), w - 1, [w, 0, -w]))
