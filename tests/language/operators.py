# + - * / // % and unary -: of integers as in C, / and % truncating and // flooring; of floats.
# RUN: %python %lib/values.py %s a=i32:7,-7,7,-7 b=i32:2,2,-2,-2 f=f32:7,-7,7,-7 add sub mul div floor_ rem neg fdiv ffloor zero | FileCheck %s --match-full-lines
# CHECK: add: 9 -5 5 -9
# CHECK-NEXT: sub: 5 -9 9 -5
# CHECK-NEXT: mul: 14 -14 -14 14
# CHECK-NEXT: div: 3 -3 -3 3
# CHECK-NEXT: floor_: 3 -4 -4 3
# CHECK-NEXT: rem: 1 -1 1 -1
# CHECK-NEXT: neg: -5 9 -9 5
# CHECK-NEXT: fdiv: 3.5 -3.5 -3.5 3.5
# CHECK-NEXT: ffloor: 3 -4 -4 3
# CHECK-NEXT: zero: 0 0 0 0
a, b, f = Image(Int, "a", [4]), Image(Int, "b", [4]), Image(Float, "f", [4])
x = Variable(Int, "x")


def stage(name, type, value):
    g = Function(([x], [Interval(Int, 0, 3)]), type, name)
    g.defn = value


stage("add", Int, a(x) + b(x))
stage("sub", Int, a(x) - b(x))
stage("mul", Int, a(x) * b(x))
stage("div", Int, a(x) / b(x))
stage("floor", Int, a(x) // b(x))
stage("rem", Int, a(x) % b(x))
stage("neg", Int, -a(x) - -b(x))
stage("fdiv", Float, f(x) / b(x))
stage("ffloor", Float, f(x) // b(x))
stage("zero", Int, a(x) / 0 + a(x) % 0)
