# An operation that is a string or missing, and a default that the type does not have.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
h = Reduction(([x], [r]), ([x, y], [r, c]), Float, "h")
# expected-error@+1:34 {{the operation is the string 'sum', it should be one of Sum Prod Mul Min Max And Or ArgMin ArgMax}}
h.defn = Reduce(h(x), img(x, y), "sum")
k = Reduction(([x], [r]), ([x, y], [r, c]), Float, "k")
# expected-error@+1:10 {{Reduce has 2 arguments, it should be Reduce(h(x), value, Sum)}}
k.defn = Reduce(k(x), img(x, y))
l = Reduction(([x], [r]), ([x, y], [r, c]), UChar, "l")
# expected-warning@+1:3 {{the default is the integer -1, it should be one that the type UChar holds}}
l.default = -1
m = Reduction(([x], [r]), ([x, y], [r, c]), Float, "m")
# expected-error@+1:10 {{the update goes to another stage, it should go to the one that it defines}}
m.defn = Reduce(img(x, y), m(x), Sum)
