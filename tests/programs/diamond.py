# A producer with two consumers that meet again, shifted against each other, over domains that shrink and move.
# RUN: synth --rows 61 --cols 47 --type f32 --scale255 -o %t.npy
# RUN: %if !long %{ env PM_TEST_OPENCL= %} run-all-ways %s --in img=%t.npy
# RUN: %python %lib/chain.py %s --params R=11,C=9 --set tile=sizes=3x4
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")

a = Function(([x, y], [Interval(Int, 1, R-2), Interval(Int, 0, C-1)]), Float, "a")
a.defn = [ img(x-1, y) + img(x+1, y) ]
b = Function(([x, y], [Interval(Int, 2, R-2), Interval(Int, 3, C-1)]), Float, "b")
b.defn = [ a(x-1, y-3) - a(x, y) ]
c = Function(([x, y], [Interval(Int, 1, R-4), Interval(Int, 0, C-3)]), Float, "c")
c.defn = [ a(x+2, y) * a(x, y+2) ]
d = Function(([x, y], [Interval(Int, 2, R-5), Interval(Int, 3, C-4)]), Float, "d")
d.defn = [ b(x+1, y) + c(x, y+1) + b(x, y-0) ]
