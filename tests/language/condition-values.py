# Conditions on values are tested at each point; what follows is computed only there.
# RUN: %python %lib/values.py %s img=u8:9,0,200,3,255 t=100 out | FileCheck %s --match-full-lines
# CHECK: out: 7 -1 3 -1 7
img = Image(UChar, "img", [5])
t = Parameter(Int, "t")
x = Variable(Int, "x")
out = Function(([x], [Interval(Int, 0, 4)]), Int, "out")
out.defn = [Case(Condition(img(x), '>', t) & Condition(x, '<', 4), img(x + 1)), Case(Condition(img(x), '<=', 5), -1)]
out.default = 7
