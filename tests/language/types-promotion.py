# C's conversions: what is narrower than 32 bits becomes an i32, mixed integers as in C, any float wins.
# RUN: %python %lib/values.py %s a=u8:200 b=i8:-100 c=u32:4000000000 e=i64:-1 f=f32:0.5 sum product mixed unsigned_ wide real quotient | FileCheck %s --match-full-lines
# CHECK: sum: 400
# CHECK-NEXT: product: -20000
# CHECK-NEXT: mixed: -1
# CHECK-NEXT: unsigned_: 3705032604
# CHECK-NEXT: wide: 3999999999
# CHECK-NEXT: real: 66.5
# CHECK-NEXT: quotient: 0.5
a, b, c = Image(UChar, "a", [1]), Image(Char, "b", [1]), Image(UInt, "c", [1])
e, f = Image(Long, "e", [1]), Image(Float, "f", [1])
x = Variable(Int, "x")


def stage(type, name, value):
    g = Function(([x], [Interval(Int, 0, 0)]), type, name)
    g.defn = value


stage(Int, "sum", a(x) + a(x))
stage(Int, "product", a(x) * b(x))
stage(Int, "mixed", a(x) - 201)
stage(Long, "unsigned", c(x) + b(x) + c(x))
stage(Long, "wide", c(x) + e(x))
stage(Double, "real", a(x) / 3 + f(x))
stage(Double, "quotient", a(x) / 400 + a(x) / 400.0)
