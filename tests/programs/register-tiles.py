# Reductions in registers, some of whose rows share what they read, and transposes, in vectors of few and of many elements.
# RUN: synth --rows 21 --cols 75 --type f32 -o %t.a.npy && synth --rows 75 --cols 83 --type f32 -o %t.b.npy && synth --rows 21 --cols 75 --type u8 -o %t.u.npy
# RUN: for m in tiny server; do for t in 1 3; do pm-run %s --live-out=mm,more,widest,sides,turned,bytes --in a=%t.a.npy --in b=%t.b.npy --in u=%t.u.npy --machine=%lib/machines/$m.json --check --fp strict --threads $t || exit 1; done; done
# RUN: pm-run %s --live-out=mm,more,widest,sides,turned,bytes --in a=%t.a.npy --in b=%t.b.npy --in u=%t.u.npy --machine=%lib/machines/tiny.json --check --fp strict --tile 6x20 --inner 1
# RUN: pm-run %s --live-out=mm,more,widest,sides,turned,bytes --in a=%t.a.npy --in b=%t.b.npy --in u=%t.u.npy --machine=%lib/machines/tiny.json --check --fp strict --tile none
# RUN: synth --rows 1 --cols 2 --type f32 -o %t.a.npy && synth --rows 2 --cols 3 --type f32 -o %t.b.npy && synth --rows 1 --cols 2 --type u8 -o %t.u.npy
# RUN: pm-run %s --live-out=mm,more,widest,sides,turned,bytes --in a=%t.a.npy --in b=%t.b.npy --in u=%t.u.npy --machine=%lib/machines/tiny.json --check --fp strict
# RUN: pmc %s --live-out=mm,more,widest,sides,turned,bytes --machine=%lib/machines/xeon.json --remarks=all -o %t.c 2>&1 | FileCheck %s
R, C, K = Parameter(Int, "R"), Parameter(Int, "C"), Parameter(Int, "K")
a = Image(Float, "a", [R, K])
b = Image(Float, "b", [K, C])
u = Image(UChar, "u", [R, K])
x, y, k, p = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "k"), Variable(Int, "p")
rows, cols, inner = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, K - 1)

mm = Reduction(([x, y], [rows, cols]), ([x, y, k], [rows, cols, inner]), Float, "mm")
mm.defn = [Reduce(mm(x, y), a(x, k) * b(k, y), Sum)]

# In a tile, where rows share those of b.
# CHECK: :[[@LINE+2]]:{{.*}} the reduction accumulates {{[2-9]}} rows of {{[0-9]+}} vectors of 8 elements in registers
near = Reduction(([x, y], [rows, cols]), ([x, y, k], [rows, cols, Interval(Int, 0, 1)]), Float, "near")
near.defn = [Reduce(near(x, y), a(x, k) * b(k, y), Sum)]
more = Function(([x, y], [rows, cols]), Float, "more")
more.defn = [near(x, y) + 1.0]

# Bytes, accumulated in 32 bits.
widest = Reduction(([y], [inner]), ([x, y], [rows, inner]), Int, "widest")
widest.defn = [Reduce(widest(y), Cast(Int, u(x, y)) - 3, Max)]

# A window of columns, over rows.
within = Interval(Int, 0, K - 2)
sides = Reduction(([x, y], [rows, within]), ([x, y, p], [rows, within, Interval(Int, 0, 1)]), Float, "sides")
sides.defn = [Reduce(sides(x, y), a(x, y + p), Sum)]

# CHECK: :[[@LINE+2]]:{{.*}} the loop transposes blocks of 8x8 elements in registers
turned = Function(([y, x], [cols, inner]), Float, "turned")
turned.defn = [b(x, y) * 2.0 + y]
# CHECK: :[[@LINE+2]]:{{.*}} the loop transposes blocks of 16x16 elements in registers
bytes = Function(([y, x], [inner, rows]), UChar, "bytes")
bytes.defn = [u(x, y)]
