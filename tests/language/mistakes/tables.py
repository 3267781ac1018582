# Tables with values that their type does not hold, of no rectangle, empty, or without a type; lists that are read like one.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
N = Parameter(Int, "N")
img = Image(UChar, "img", [N])
x = Variable(Int, "x")
# expected-error@+1:18 {{a table of UChar has 256, which is out of its range}}
a = Table(UChar, [0, 256])
# expected-error@+1:17 {{a table of Char has -129, which is out of its range}}
b = Table(Char, [-129])
# expected-error@+1:18 {{a table of ULong has -1, which is out of its range}}
c = Table(ULong, [-1])
# expected-error@+1:16 {{a table of Int has a number, it should have integers}}
d = Table(Int, [1, 1.5])
# expected-error@+1:18 {{a table of Float has 1e+39, which is out of its range}}
e = Table(Float, [1e39])
# expected-error@+1:18 {{a table of Float has a parameter, it should have numbers}}
f = Table(Float, [N])
# expected-error@+1:16 {{the rows of a table differ in length, they should be equally long}}
g = Table(Int, [[1, 2], [3]])
# expected-error@+1:16 {{a table is empty or nested too deep, it should be a list of numbers, or of lists}}
h = Table(Int, [])
# expected-error@+1:5 {{a table has no type, it should be Table(type, "name", [values])}}
i = Table([1, 2])
# expected-error@+1:5 {{a table has no values, it should be Table(type, "name", [values])}}
j = Table(Int)
# expected-error@+1:20 {{a table has more than 1024 values, an Image should give them}}
k = Table(Int, [1] * 20000)
lut = [3, 4]
# expected-error@+1:5 {{a list is called, Table(type, values) should make what is read at points}}
l = lut(img(x))
# expected-error@+1:5 {{the index is an expression over stages, Table(type, values) should make what is read there}}
m = lut[img(x)]
