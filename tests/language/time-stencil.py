# A TStencil applies its definition T times; points where a step cannot be made keep their value.
# RUN: %python %lib/values.py %s img=f64:0,0,8,0,0,0 three plus | FileCheck %s --match-full-lines
# CHECK: three: 0 2 0 3 0 0
# CHECK-NEXT: plus: 0 -16 24 -16 8 0
img = Image(Double, "img", [6])
x = Variable(Int, "x")
three = TStencil(([x], [Interval(Int, 0, 5)]), Double, "three", 3)
three.defn = Stencil(img, 0.5, [1, 0, 1])
plus = TStencil(([x], [Interval(Int, 0, 5)]), Double, "plus", 2)
plus.defn = [img(x) + Stencil(img(x), 1, [1, -2, 1])]
