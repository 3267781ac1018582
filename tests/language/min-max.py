# Min and Max of two and more, of mixed types, bare and behind a module's name.
# RUN: %python %lib/values.py %s img=i32:-5,0,7 a b c | FileCheck %s --match-full-lines
# CHECK: a: -52 0 37
# CHECK-NEXT: b: 0.5 1.5 8.5
# CHECK-NEXT: c: -4 1 8
import dsl
img = Image(Int, "img", [3])
x = Variable(Int, "x")
r = Interval(Int, 0, 2)
a = Function(([x], [r]), Int, "a")
a.defn = Min(img(x), 3) * 10 + Max(img(x), -2)
b = Function(([x], [r]), Float, "b")
b.defn = dsl.Max(img(x), 0.5) + dsl.Min(x, 1.5)
c = Function(([x], [r]), Int, "c")
c.defn = Max(img(x), x, 1) + Min(img(x), x, 1)
