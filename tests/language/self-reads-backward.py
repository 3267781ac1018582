# A stage that reads itself at later points is computed from its end: scans from the right and from below, with steps, along
# one dimension of two, over points to the left below, by a stencil, with a boundary, with conditions, and random numbers.
# RUN: %python %lib/values.py %s img=i32:3x4 line=i32:1,2,3,4,5,6 right below both diagonal back stepped guarded edge kernel | FileCheck %s --match-full-lines
# RUN: %python %lib/values.py %s img=i32:1x1 line=i32:7 right below both diagonal back stepped guarded edge kernel | FileCheck %s --check-prefix=TINY --match-full-lines
# RUN: %python %lib/values.py %s img=i32:1x4 line=i32:7,8 right stepped random forward | FileCheck %s --check-prefix=THIN --match-full-lines
# CHECK: right: 6 6 5 3
# CHECK-NEXT: right: 22 18 13 7
# CHECK-NEXT: right: 38 30 21 11
# CHECK-NEXT: below: 12 15 18 21
# CHECK-NEXT: below: 12 14 16 18
# CHECK-NEXT: below: 8 9 10 11
# CHECK-NEXT: both: 66 54 39 21
# CHECK-NEXT: both: 60 48 34 18
# CHECK-NEXT: both: 38 30 21 11
# CHECK-NEXT: diagonal: 0 5 15 18
# CHECK-NEXT: diagonal: 4 13 15 17
# CHECK-NEXT: diagonal: 8 9 10 11
# CHECK-NEXT: back: 21 20 18 15 11 6
# CHECK-NEXT: stepped: 9 -1 8 -1 5
# CHECK-NEXT: guarded: 3 2 12 11 9 6
# CHECK-NEXT: edge: 121 120 118 115 111 106
# CHECK-NEXT: kernel: 27 26 24 21 11 6
# TINY: right: 0
# TINY-NEXT: below: 0
# TINY-NEXT: both: 0
# TINY-NEXT: diagonal: 0
# TINY-NEXT: back: 7
# TINY-NEXT: stepped: 7
# TINY-NEXT: guarded: 7
# TINY-NEXT: edge: 107
# TINY-NEXT: kernel: 7
# THIN: right: 6 6 5 3
# THIN-NEXT: stepped: 7
# THIN-NEXT: random: [[R:.*]]
# THIN-NEXT: forward: [[R]]
R, C, N = Parameter(Int, "R"), Parameter(Int, "C"), Parameter(Int, "N")
img, line = Image(Int, "img", [R, C]), Image(Int, "line", [N])
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, cols, all = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, N - 1)
plane, points = ([x, y], [rows, cols]), ([x], [all])

right = Function(plane, Int, "right")
right.defn = [Case(y == C - 1, img(x, y)), Case(y < C - 1, right(x, y + 1) + img(x, y))]
below = Function(plane, Int, "below")
below.defn = [Case(x == R - 1, img(x, y)), Case(x < R - 1, below(1 + x, y) + img(x, y))]
# The sum of what is to the right and below.
both = Function(plane, Int, "both")
both.defn = [Case(x == R - 1, right(x, y)), Case(x < R - 1, both(x + 1, y) + right(x, y))]
# Rows from below, each from its left.
diagonal = Function(plane, Int, "diagonal")
diagonal.defn = [Case((x == R - 1) | (y == 0), img(x, y)), Case((x < R - 1) & (y > 0), diagonal(x + 1, y - 1) + img(x, y))]
back = Function(points, Int, "back")
back.defn = [Case(x == N - 1, line(x)), Case(x < N - 1, back(x - (-1)) + line(x))]
stepped = Function(([x], [Interval(Int, 0, N - 1, 2)]), Int, "stepped")
stepped.default = -1
stepped.defn = [Case(x + 2 > N - 1, line(x)), Case(x + 2 <= N - 1, stepped(x + 2) + line(x))]
# A test at each point, a variable as a value, and a read that has no distance.
guarded = Function(points, Int, "guarded")
guarded.defn = [Case((x < N - 1) & (line(x) > 2), guarded(Min(x + 1, N - 1)) * 0 + guarded(x + 1) + x - 1 + line(N - 1 - x) * 0),
                Case((x < N - 1) & (line(x) <= 2), line(x) * 0 + 3 - x), Case(x == N - 1, line(x))]
edge = Function(points, Int, "edge", boundary=100)
edge.defn = edge(x + 1) + line(x)
kernel = Function(points, Int, "kernel", boundary=0)
kernel.defn = Stencil(kernel(x), 1, [0, 1, 1], [0]) - kernel(x + 2) + line(x) + Select(x == 3, kernel(x + 2), 0) * 1
number = RandomFloat()
random = Function(points, Float, "random", boundary=0.0)
random.defn = number + random(x + 1) * 0
forward = Function(points, Float, "forward")
forward.defn = number
