# Parameters of several types in sizes, bounds, indices, conditions and values; without a type after it, a name from the variable.
# RUN: %python %lib/values.py %s img=i32:10,20,30,40,50 k=2 scale=0.5 big=4294967296 out late | FileCheck %s --match-full-lines
# CHECK: out: 0.5 0.5 7 12 17
# CHECK-NEXT: late: 8589934622 12884901928 17179869234
import dsl
N, k = Parameter(Int), Parameter(Int, "k")
scale = dsl.Parameter(dsl.Float, "scale")
big = Parameter(Long, "big")
img = Image(Int, "img", [N])
x = Variable()
out = Function(([x], [Interval(0, N - 1)]), Double)
out.defn = [Case(Condition(x, '>=', k), img(x - k) * scale + k), Case(Condition(x, '<', k), scale)]
late = Function(([x], [Interval(k, N - 1)]), Long)
late.defn = img(x) + big * x
