# 64 bits: Long and ULong values, products that do not fit 32 bits, indices from them.
# RUN: %python %lib/values.py %s img=i64:4000000000,-4000000000,9 mul index unsigned_ shifted | FileCheck %s --match-full-lines
# CHECK: mul: 8000000000 -7999999999 20
# CHECK-NEXT: index: 4000000000 -4000000000 9
# CHECK-NEXT: unsigned_: 4000000000 18446744069709551616 9
# CHECK-NEXT: shifted: 2e+09 9.223372e+18 4.5
img = Image(Long, "img", [3])
x = Variable(Int, "x")
r = Interval(Int, 0, 2)
mul = Function(([x], [r]), Long, "mul")
mul.defn = img(x) * 2 + x
index = Function(([x], [r]), Long, "index")
index.defn = img((img(x) * 3 + x) % 3)
unsigned = Function(([x], [r]), ULong, "unsigned")
unsigned.defn = img(x)
shifted = Function(([x], [r]), Double, "shifted")
shifted.defn = unsigned(x) / 2 + 0.5
