# Select, nested and in an expression; its condition may join values and indices.
# RUN: %python %lib/values.py %s img=i32:5,-6,7,-8 abs sign pick | FileCheck %s --match-full-lines
# CHECK: abs: 5 6 7 8
# CHECK-NEXT: sign: 1 1 2.5 0
# CHECK-NEXT: pick: 20 10 10 20
img = Image(Int, "img", [4])
x = Variable(Int, "x")
r = Interval(Int, 0, 3)
abs = Function(([x], [r]), Int, "abs")
abs.defn = Select(Condition(img(x), '<', 0), -img(x), img(x))
sign = Function(([x], [r]), Float, "sign")
sign.defn = Select(img(x) > 6, 1.5, Select(img(x) < -7, -1, 0)) + 1
pick = Function(([x], [r]), Int, "pick")
pick.defn = Select(Condition(x, '==', 1) | Condition(img(x), '==', 7) & Condition(x, '>', 1), 1, 2) * 10
