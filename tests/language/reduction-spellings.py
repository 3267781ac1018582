# Reduction and Accumulator, the two domains by name, by position, as attributes.
# RUN: %python %lib/values.py %s img=u8:0,3,1,3,3,2 a b c d | FileCheck %s --match-full-lines
# CHECK: a: 1 1 1 3
# CHECK-NEXT: b: 1 1 1 3
# CHECK-NEXT: c: 1 1 1 3
# CHECK-NEXT: d: 1 1 1 3
import dsl
img = Image(UChar, "img", [6])
x, v = Variable(Int, "x"), Variable(Int, "v")
points, bins = ([x], [Interval(Int, 0, 5)]), ([v], [Interval(Int, 0, 3)])
a = Reduction(redDom = points, varDom = bins, Int)
a.defn = Reduce(a(Min(img(x), 3)), 1, Sum)
b = Reduction(bins, points, Int, "b")
b.defn = [Reduce(b(Min(img(x), 3)), 1, Op.Sum)]
c = dsl.Accumulator(dsl.Int, "c")
c.variableDomain = bins
c.reductionDomain = points
c.definition = dsl.Accumulate(c(dsl.Min(img(x), 3)), 1, dsl.Op.Sum)
d = Accumulator(varDom = bins, redDom = points, Int, "d")
d.definition = Accumulate(d(Min(img(x), 3)), 1, Sum)
