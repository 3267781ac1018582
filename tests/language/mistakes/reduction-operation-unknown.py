# An operation that is none, and one that is called.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
h = Reduction(([x], [r]), ([y], [c]), Float, "h")
# expected-error@+1:26 {{the operation is the function Sqrt, it should be one of Sum Prod Mul Min Max And Or ArgMin ArgMax}}
h.defn = Reduce(h(0), 1, Sqrt)
# expected-error@+1:10 {{Sum is called, it should be the operation of Reduce(h(x), value, Sum)}}
h.defn = Sum(img(0, y))
