# Tuples where a value should be, of the wrong length, of what has none, and their elements.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R = Parameter(Int, "R")
img = Image(Int, "img", [R])
x = Variable(Int, "x")
r = ([x], [Interval(Int, 0, R - 1)])
f = Function(r, (Float, Int), "f")
# expected-error@+1:10 {{a stage of 2 values is given 1, it should be (…, …) of 2}}
f.defn = img(x)
# expected-error@+1:3 {{a stage of 2 values is given 3, it should be (…, …) of 2}}
f.defn = (img(x), 1, 2)
# expected-error@+1:3 {{the default is the integer 0, it should be a tuple of 2 numbers}}
f.default = 0
# expected-error@+1:10 {{an operand of '+' is a tuple, an element of it should be taken, as in f(x)[0]}}
a = f(x) + 1
# expected-error@+1:5 {{the element of a tuple is the integer 2, it should be an integer of 0 to 1}}
b = f(x)[2]
# expected-error@+1:5 {{the element of a tuple is the variable x, it should be an integer of 0 to 1}}
c = f(x)[x]
# expected-error@+1:5 {{a value of img is indexed, a list, a tuple or a dictionary should be}}
d = img(x)[0]
g = Function(r, Int, "g")
# expected-error@+1:23 {{a stage of one value is given a tuple, its type should be one too: (Float, Int)}}
g.defn = Case(x == 0, (1, 2))
# expected-error@+1:17 {{a TStencil reads tuples, it should read single values}}
t = TStencil(r, (Float, Int), "t", 2)
# expected-error@+1:11 {{an image has tuples, it should have single values}}
i = Image((Float, Int), "i", [R])
h = Reduction(r, r, Int, "h")
# expected-error@+1:10 {{ArgMin and ArgMax go to a reduction of single values, its type should be a tuple: (Float, Int)}}
h.defn = Reduce(h(x), img(x), ArgMin)
k = Reduction(r, r, (Int, Int), "k")
# expected-error@+1:10 {{3 operations are given, there should be one for each value, or one for all}}
k.defn = Reduce(k(x), (img(x), x), (Sum, Sum, Sum))
# expected-error@+1:36 {{the operation is argmin, it should be one of Sum Prod Mul Min Max And Or}}
k.defn = Reduce(k(x), (img(x), x), (ArgMin, Sum))
# expected-error@+1:13 {{the stencil lies on a stage of tuples, it should lie on one of single values}}
s = Stencil(f(x), 1, [1, 1])
