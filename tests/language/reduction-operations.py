# Every operation, of integers and of floats, from its default.
# RUN: %python %lib/values.py %s img=i32:6,-3,12,5 sum prod mul min_ max_ and_ or_ fsum fprod fmin fmax bytes | FileCheck %s --match-full-lines
# CHECK: sum: 120
# CHECK-NEXT: prod: 1080
# CHECK-NEXT: mul: -1080
# CHECK-NEXT: min_: -3
# CHECK-NEXT: max_: 12
# CHECK-NEXT: and_: 4
# CHECK-NEXT: or_: -1
# CHECK-NEXT: fsum: 20.25
# CHECK-NEXT: fprod: -540
# CHECK-NEXT: fmin: -3
# CHECK-NEXT: fmax: 12
# CHECK-NEXT: bytes: 14
img = Image(Int, "img", [4])
x, v = Variable(Int, "x"), Variable(Int, "v")


def reduce(name, op, start, type = Int):
    h = Reduction(([v], [Interval(Int, 0, 0)]), ([x], [Interval(Int, 0, 3)]), type, name)
    h.default = start
    h.defn = Reduce(h(0), img(x), op)


reduce("sum", Sum, 100)
reduce("prod", Prod, -1)
reduce("mul", Op.Mul, 1)
reduce("min", Min, 0)
reduce("max", Op.Max, 0)
reduce("and", And, 255)
reduce("or", Op.Or, 0)
reduce("fsum", Op.Sum, 0.25, Float)
reduce("fprod", Op.Prod, 0.5, Double)
reduce("fmin", Op.Min, 1e9, Float)
reduce("fmax", Max, -1e9, Double)
reduce("bytes", Sum, 250, UChar)
