# & | ^ ~ << >> of integers as in C: operands are promoted, >> of a signed one keeps the sign. A shift by the width of
# the shifted operand or more, or by a negative amount, gives 0, and -1 for >> of a negative one.
# RUN: %python %lib/values.py %s a=i32:12,-7,255,0 s=i32:0,1,31,32 big=i64:-1,4294967296,64,3 u=u8:200,255,1,0 and_ or_ xor_ not_ left right uleft uright far wide bytes long_ mask | FileCheck %s --match-full-lines
# CHECK: and_: 8 8 10 0
# CHECK-NEXT: or_: 13 -7 255 3
# CHECK-NEXT: xor_: 212 -250 254 0
# CHECK-NEXT: not_: -13 6 -256 -1
# CHECK-NEXT: left: 12 -14 -2147483648 0
# CHECK-NEXT: right: 12 -4 0 0
# CHECK-NEXT: uleft: 51200 65280 256 0
# CHECK-NEXT: uright: 50 63 0 0
# CHECK-NEXT: far: 0 -1 0 0
# CHECK-NEXT: wide: 0 0 0 8
# CHECK-NEXT: bytes: 55 0 254 255
# CHECK-NEXT: long_: 1099511627776 1 0 0
# CHECK-NEXT: mask: 4294967295 4294967288 1 8
a, s, big, u = Image(Int, "a", [4]), Image(Int, "s", [4]), Image(Long, "big", [4]), Image(UChar, "u", [4])
x = Variable(Int, "x")


def stage(name, value, type=Int):
    f = Function(([x], [Interval(Int, 0, 3)]), type, name)
    f.defn = value


stage("and_", a(x) & 10 & ~(x & 1))
stage("or_", a(x) | (x ^ (x >> 1)) | 1 & a(x) | Select(Condition(x, '==', 0), 1, 0) | Select(Condition(x, '==', 3), 3, 0))
stage("xor_", a(x) ^ u(x) ^ (x * 0) ^ Select(Condition(x, '==', 0), 16, 0))
stage("not_", ~a(x))
stage("left", a(x) << s(x))
stage("right", a(x) >> s(x))
stage("uleft", u(x) << 8)
stage("uright", u(x) >> 2)
stage("far", a(x) >> big(1) | (a(x) >> 100) | (a(x) << -1))
stage("wide", 1 << big(x))
stage("bytes", ~u(x), UChar)
stage("long_", Cast(Long, 1) << Select(Condition(x, '==', 0), 40, x * 64 - 64), Long)
stage("mask", Select(Condition(x, '<', 2), Cast(UInt, -1) << (x * 3), Cast(UInt, 1) << (3 * (x - 2))), UInt)
