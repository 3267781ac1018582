# Computed indices: bounded by the type of a picture, and by a clamp.
# RUN: synth --rows 37 --cols 44 --type u8 -o %t.img.npy
# RUN: synth --rows 1 --cols 256 --type f32 --scale255 -o %t.table.npy
# RUN: %if !long %{ env PM_TEST_OPENCL= %} run-all-ways %s --in img=%t.img.npy --in table=%t.table.npy
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
table = Image(Float, "table", [1, 256])
x, y = Variable(Int, "x"), Variable(Int, "y")
dom = ([x, y], [Interval(Int, 0, R-1), Interval(Int, 0, C-1)])

tone = Function(dom, Float, "tone")
tone.defn = [ table(0, img(x, y)) * 255 ]
next = Function(dom, Float, "next")
next.defn = [ tone(x, y) + table(0, Min(Max(Cast(Int, tone(x, y)) - 3, 0), 255)) ]
