# A stage with a step is read at its points, by a factor.
# RUN: %python %lib/values.py %s img=i32:0,1,2,3,4,5,6,7,8,9 up | FileCheck %s --match-full-lines
# CHECK: up: 10 30 50 70 90
N = Parameter(Int, "N")
img = Image(Int, "img", [N])
x = Variable(Int, "x")
odd = Function(([x], [Interval(Int, 1, N - 1, 2)]), Int, "odd")
odd.defn = img(x) * 10
up = Function(([x], [Interval(Int, 0, N / 2 - 1)]), Int, "up")
up.defn = odd(2 * x + 1)
