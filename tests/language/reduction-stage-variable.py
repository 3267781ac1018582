# In an update of h(k, …) a variable of the reduction's own domain stands for k.
# RUN: %python %lib/values.py %s img=i32:3,1,2,3 h | FileCheck %s --match-full-lines
# CHECK: h: 0 1 2 3
# CHECK-NEXT: h: 0 1 1 2
# CHECK-NEXT: h: 7 7 7 7
img = Image(Int, "img", [4])
x, c, v = Variable(Int, "x"), Variable(Int, "c"), Variable(Int, "v")
h = Reduction(([c, v], [Interval(Int, 0, 2), Interval(Int, 0, 3)]), ([x], [Interval(Int, 0, 3)]), Int, "h")
at = Max(Min(img(x), 3), 0)
h.defn = [Case(Condition(c, '==', 0), Reduce(h(0, at), x + c, Sum)),
          Case(Condition(c, '==', 1), Reduce(h(1, at), c, Sum)),
          Case(Condition(c, '==', 2), 7),
          Case(Condition(c, '==', 0), Reduce(h(1, at), 100, Sum))]
h.default = 0
