# Down by two three times and up again: scaled accesses, floors, stages of different sizes.
# RUN: synth --rows 48 --cols 80 --type f32 --scale255 -o %t.npy
# RUN: run-all-ways %s --in img=%t.npy
# RUN: %python %lib/chain.py %s --params R=3,C=4 --set tile=sizes=3x5
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [8*R, 8*C])
x, y = Variable(Int, "x"), Variable(Int, "y")

down = {0: img}
for l in range(1, 4):
    rows, cols = Interval(Int, 0, (8 >> l)*R - 1), Interval(Int, 0, (8 >> l)*C - 1)
    f = down[l-1]
    down[l] = Function(([x, y], [rows, cols]), Float, "down" + str(l))
    down[l].defn = [ (f(2*x, 2*y) + f(2*x+1, 2*y) + f(2*x, 2*y+1) + f(2*x+1, 2*y+1)) * 0.25 ]
up = down[3]
for l in range(2, -1, -1):
    rows, cols = Interval(Int, 0, (8 >> l)*R - 1), Interval(Int, 0, (8 >> l)*C - 1)
    f = up
    up = Function(([x, y], [rows, cols]), Float, "up" + str(l))
    up.defn = [ f(x/2, y/2) * 0.5 + down[l](x, y) * 0.5 ]
