# Indices that are computed: values bounded by their type, by a clamp, by a scaled fraction; clamps of coordinates, which are
# exact accesses and are tiled.
# RUN: synth --rows 40 --cols 90 -o %t.pgm
# RUN: %if !long %{ env PM_TEST_OPENCL= %} run-all-ways %s --in img=%t.pgm
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y, v = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "v")
dom = ([x, y], [Interval(Int, 0, R-1), Interval(Int, 0, C-1)])

table = Function(([v], [Interval(Int, 0, 255)]), Float, "table")
table.defn = [ Cast(Float, v * v) / 65025.0 ]
tone = Function(dom, Float, "tone")
tone.defn = [ table(img(x, y)) ]
again = Function(dom, Float, "again")
again.defn = [ tone(x, y) + table(Min(Max(Cast(Int, tone(x, y) * 300) - 3, 0), 255)) ]
bins = Function(dom, Float, "bins")
bins.defn = [ table(Cast(Int, Min(Max(again(x, y), 0.0), 1.0) * 255.0)) ]
blur = Function(dom, Float, "blur")
blur.defn = [ bins(Max(x - 1, 0), y) + bins(x, y) + bins(Min(x + 1, R - 1), y) ]
torus = Function(dom, Float, "torus")
torus.defn = [ blur(x, Min(y + 1, C - 1)) * 2 + blur(x, Max(y - 2, 0)) ]
