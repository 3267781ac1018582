# Both ends are inside; the bounds are affine in parameters; the step is counted from the lower end. Points between the steps have
# the default, but are no points of the stage.
# RUN: %python %lib/values.py %s img=i32:0,1,2,3,4,5,6,7,8,9 plain typed stepped typed_step module one | FileCheck %s --match-full-lines
# CHECK: plain: 2 3 4 5 6 7
# CHECK-NEXT: typed: 5 6 7 8 9
# CHECK-NEXT: stepped: 1 -1 -1 4 -1 -1 7
# CHECK-NEXT: typed_step: 0 -1 -1 -1 4 -1 -1 -1 8
# CHECK-NEXT: module: 2 -1 4 -1 6 -1 8
# CHECK-NEXT: one: 9
import dsl
N = Parameter(Int, "N")
img = Image(Int, "img", [N])
x = Variable(Int, "x")


def stage(interval, name):
    f = Function(([x], [interval]), Int, name)
    f.defn = img(x)
    f.default = -1


stage(Interval(2, N - 3), "plain")
stage(Interval(Int, N / 2, N - 1, 1), "typed")
stage(Interval(1, N - 1, 3), "stepped")
stage(Interval(Int, 0, N - 1, 4), "typed_step")
stage(dsl.Interval(dsl.Int, 2, 8, 2), "module")
stage(Interval(N - 1, N - 1), "one")
