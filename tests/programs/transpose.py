# Swapped and reversed dimensions: nothing here can be tiled together without thought.
# RUN: synth --rows 30 --cols 44 --type f32 --scale255 -o %t.npy
# RUN: run-all-ways %s --in img=%t.npy
# RUN: %python %lib/chain.py %s --params R=6,C=9 --set tile=sizes=3x4
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, cols = Interval(Int, 0, R-1), Interval(Int, 0, C-1)

flipped = Function(([x, y], [cols, rows]), Float, "flipped")
flipped.defn = [ img(y, C-1-x) * 2.0 ]
back = Function(([x, y], [rows, cols]), Float, "back")
back.defn = [ flipped(C-1-y, x) + flipped(y, R-1-x) ]
