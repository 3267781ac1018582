# Table: constants in lists, of every type and of several dimensions, read at computed indices; large ones in several cases.
# RUN: %python %lib/values.py %s img=u8:0,2,1,255 chars uchars shorts ushorts ints uints longs ulongs floats doubles | FileCheck %s --match-full-lines
# RUN: %python %lib/values.py %s img=u8:0,2,1,255 matrix squares cube one flat lut | FileCheck %s --check-prefix=RANKS --match-full-lines
# RUN: %python %lib/values.py %s img=u8:200 matrix squares one | FileCheck %s --check-prefix=TINY --match-full-lines
# CHECK: chars: -128 127 5 -128
# CHECK-NEXT: uchars: 0 255 1 0
# CHECK-NEXT: shorts: -32768 32767 5 -32768
# CHECK-NEXT: ushorts: 0 65535 1 0
# CHECK-NEXT: ints: -2147483648 2147483647 5 -2147483648
# CHECK-NEXT: uints: 0 4294967295 1 0
# CHECK-NEXT: longs: -9223372036854775808 9223372036854775807 5 -9223372036854775808
# CHECK-NEXT: ulongs: 0 9223372036854775807 1 0
# CHECK-NEXT: floats: 0.1 3 -1e+30 0.1
# CHECK-NEXT: doubles: 0.1 3 -1e+300 0.1
# RANKS: matrix: 1 8 4 8
# RANKS-NEXT: squares: 0 4 1 65025
# RANKS-NEXT: cube: 0 4 2 6
# RANKS-NEXT: one: 9 9 9 9
# RANKS-NEXT: flat: 7 7 7 7
# RANKS-NEXT: lut: 3 1 2
# TINY: matrix: 7
# TINY-NEXT: squares: 40000
# TINY-NEXT: one: 9
N = Parameter(Int, "N")
img = Image(UChar, "img", [N])
x = Variable(Int, "x")
least, most = -9223372036854775807 - 1, 9223372036854775807



def stage(name, type, value):
    f = Function(([x], [Interval(Int, 0, N - 1)]), type, name)
    f.defn = value


def each(name, type, values):
    stage(name, type, Table(type, name + "_table", values)(img(x) % 3))


each("chars", Char, [-128, 5, 127]), each("uchars", UChar, [0, 1, 255])
each("shorts", Short, [-32768, 5, 32767]), each("ushorts", UShort, [0, 1, 65535])
each("ints", Int, [-2147483648, 5, 2147483647]), each("uints", UInt, [0, 1, 4294967295])
each("longs", Long, [least, 5, most]), each("ulongs", ULong, [0, True, most])
each("floats", Float, [0.1, -1e30, 3]), each("doubles", Double, [0.1, -1e300, 3])
matrix = Table(Int, [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
stage("matrix", Int, matrix(Min(img(x), 2), img(x) / 2 % 2))
stage("squares", Int, Table(Int, "all_squares", [k * k for k in range(256)])(img(x)))
cube = Table(typ=UChar, values=[[[0, 1], [2, 3]], [[4, 5], [6, 7]]], name="bits")
stage("cube", UChar, cube((img(x) >> 1) & 1, img(x) & 1, 0))
stage("one", Int, Table(Int, "single", [9])(img(x) * 0))
stage("flat", Int, Table(Int, "constant", [7] * 100)(img(x) % 100))
lut = Table(Short, [3, 1, 2])
