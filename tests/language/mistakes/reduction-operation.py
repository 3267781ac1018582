# A bitwise operation of floats.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
h = Reduction(([x], [r]), ([y], [c]), Float, "h")
# expected-error@+1:10 {{the operation 'and' is one of integers, the type of h should be one: Int, UChar …}}
h.defn = Reduce(h(0), img(0, y), And)
