# An index that may be anything, since it is not clamped.
# RUN: pm-translate %s --verify-diagnostics --to=pmir --pass-pipeline=schedule
R, C = Parameter(Int, "R"), Parameter(Int, "C")
# expected-note@+1:7 {{the domain of img is { [i, j] : 0 <= i < R and 0 <= j < C }}}
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+2:10 {{img is read at a computed index without bounds, but it should stay inside the domain: clamp it, Min(Max(index, 0), R - 1)}}
# expected-note@+1:14 {{this may be any integer of 32 bits}}
f.defn = img(Cast(Int, img(x, y)), y)
