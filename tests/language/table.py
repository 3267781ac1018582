# Table: constants in lists, of every type and of several dimensions, read at computed and at known indices; 65,536 values.
# RUN: %python %lib/values.py %s img=u8:0,2,1,255 chars uchars shorts ushorts ints uints longs ulongs floats doubles | FileCheck %s --match-full-lines
# RUN: %python %lib/values.py %s img=u8:0,2,1,255 matrix squares cube one flat | FileCheck %s --check-prefix=RANKS --match-full-lines
# RUN: %python %lib/values.py %s img=u8:0,2,1,255 implied fraction ranges wide twice border | FileCheck %s --check-prefix=MORE --match-full-lines
# RUN: %python %lib/values.py %s img=u8:0,2,1,255 kernel weighed | FileCheck %s --check-prefix=KERNEL --match-full-lines
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
# MORE: implied: 4 6 5 4
# MORE-NEXT: fraction: 1 2.5 2 1
# MORE-NEXT: ranges: 0 2 1 0
# MORE-NEXT: wide: 65535 65021 65278 0
# MORE-NEXT: twice: 8 2 6 8
# MORE-NEXT: border: 3 1 2 3
# KERNEL: kernel: 6 7 769 1276
# KERNEL-NEXT: weighed: 6 7 769 1276
# TINY: matrix: 7
# TINY-NEXT: squares: 40000
# TINY-NEXT: one: 9
N = Parameter(Int, "N")
img = Image(UChar, "img", [N], boundary="clamp")
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

# Int, or Float where a value is no integer, when no type is given.
implied, fraction = Table([4, 5, 6]), Table("halves", [1, 2, 2.5])
stage("implied", Int, implied(img(x) % 3))
stage("fraction", Float, fraction(img(x) % 3))
stage("ranges", Int, Table(Int, [range(2), range(2, 4), range(4, 6)])(img(x) % 3 / 2, img(x) % 3 % 2))
stage("wide", UShort, Table(UShort, "mirrored", range(65535, -1, -1))(img(x) * 257))
# The values of a table bound what is read with them.
codes = Table(UChar, [3, 2, 0])
stage("twice", Int, Table(Int, [2, 4, 6, 8])(codes(img(x) % 3)))
stage("border", Int, Table(Int, "edges", [1, 2, 3], boundary="mirror101")(img(x) % 3 - 2))

weights = Table(Int, [1, 2, 3])
stage("kernel", Int, sum([weights(k + 1) * img(x + k) for k in range(-1, 2)]))
k = Variable(Int, "k")
weighed = Reduction(([x], [Interval(Int, 0, N - 1)]), ([x, k], [Interval(Int, 0, N - 1), Interval(Int, 0, 2)]), Int, "weighed")
weighed.defn = Reduce(weighed(x), weights(k) * img(x + k - 1), Sum)
