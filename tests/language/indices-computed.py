# Indices that are values: bounded by the type, by Min and Max, by a remainder; of images, of stages, of each other; of quotients of
# floats, which are not floored.
# RUN: %python %lib/values.py %s img=u8:3,0,255,9 table=i32:1x256 lut clamped remainder nested quotient | FileCheck %s --match-full-lines
# CHECK: lut: 6 0 510 18
# CHECK-NEXT: clamped: 3 3 9 9
# CHECK-NEXT: remainder: 255 0 255 3
# CHECK-NEXT: nested: 0 18 0 0
# CHECK-NEXT: quotient: 3 0 0 255
img = Image(UChar, "img", [4])
table = Image(Int, "table", [1, 256])
x = Variable(Int, "x")
r = Interval(Int, 0, 3)
lut = Function(([x], [r]), Int, "lut")
lut.defn = table(0, img(x)) * 2
clamped = Function(([x], [r]), Int, "clamped")
clamped.defn = img(Min(Max(img(x) - 3, 0), 3))
remainder = Function(([x], [r]), Int, "remainder")
remainder.defn = img((img(x) * 7 + 1) % 4)
nested = Function(([x], [r]), Int, "nested")
nested.defn = lut(img(Min(img(x), 3)) % 4)
quotient = Function(([x], [r]), Int, "quotient")
quotient.defn = img(Cast(Int, Cast(Float, x) / 2 + 0.5))
