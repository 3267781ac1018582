# Tables with values that their type does not hold, of no rectangle, empty, or without a type; lists that are read like one.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
N = Parameter(Int, "N")
img = Image(UChar, "img", [N])
x = Variable(Int, "x")
# expected-error@+1:18 {{a table of UChar has 256, which is out of its range: another type should hold it}}
a = Table(UChar, [0, 256])
# expected-error@+1:17 {{a table of Char has -129, which is out of its range: another type should hold it}}
b = Table(Char, [-129])
# expected-error@+1:18 {{a table of ULong has -1, which is out of its range: another type should hold it}}
c = Table(ULong, [-1])
# expected-error@+1:16 {{a table of Int has the number 1.5, it should have integers}}
d = Table(Int, [1, 1.5])
# expected-error@+1:18 {{a table of Float has 1e+39, which is out of its range: Double should hold it}}
e = Table(Float, [1e39])
# expected-error@+1:18 {{a table of Float has the parameter N, it should have numbers}}
f = Table(Float, [N])
# expected-error@+1:16 {{the rows of a table differ in length, they should be equally long}}
g = Table(Int, [[1, 2], [3]])
# expected-error@+1:16 {{a table is empty or nested too deep, it should be a list of numbers, or of lists}}
h = Table(Int, [])
# expected-error@+1:11 {{a table of Int has 2147483648, which is out of its range}}
i = Table([2147483648, 2])
# expected-error@+1:5 {{a table has no values, it should be Table(type, "name", [values])}}
j = Table(Int)
# expected-error@+1:20 {{a table has more than 1048576 values, an Image should give them}}
k = Table(Int, [1] * 1048577)
# expected-error@+1:30 {{a table has more than 1048576 values, an Image should give them}}
n = Table(Int, [range(1024)] * 1025)
# expected-error@+1:26 {{argument 3 of Table is the list [0, 1]; it should be Table(type, "name", [values])}}
o = Table(Int, range(2), range(2))
# expected-error@+1:24 {{the boundary is 'mirrored', it should be 'none', 'clamp', 'repeat', 'mirror', 'mirror101' or a number}}
p = Table(Int, [1, 2], boundary="mirrored")
# expected-error@+1:5 {{a table is read with 2 indices, it should be with 1, one a dimension}}
q = Table(Int, [1, 2])(x, x)
# expected-error@+1:20 {{the attribute 'defn' of a table is set, it should be that of a stage}}
Table(Int, [1, 2]).defn = x
lut = [3, 4]
# expected-error@+1:5 {{the list [3, 4] is called, Table(type, values) should make what is read at points}}
l = lut(img(x))
# expected-error@+1:5 {{the index of a list is a value of img, Table(type, values) should make what is read there}}
m = lut[img(x)]
