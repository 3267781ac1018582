# Large coefficients that fit 64 bits for all sizes: the values are right where the sizes are at their ends, too.
# RUN: synth --rows 1 --cols 13 --type f32 -o %t.npy
# RUN: for way in --naive --tile=4 --tile=none; do for t in 1 -1 0 1099511627776 -1099511627776; do for s in 2147483647 -2147483648 1; do pm-run %s --in im=%t.npy --param R=13 --param S=$s --param T=$t $way --cflags=-O0 --check || exit 1; done; done; done | FileCheck %s
# CHECK-COUNT-45: check: @f 13: equal
# RUN: exits-with 1 pm-run %s --in im=%t.npy --param R=13 --param S=1 --param T=1099511627777 --check --cflags=-O0 2>&1 | FileCheck %s --check-prefix=REFUSED
# REFUSED: pm-run: error:
R, S, T = Parameter(Int, "R"), Parameter(Int, "S"), Parameter(Long, "T")
im = Image(Float, "im", [1, R])
x = Variable(Int, "x")
f = Function(([x], [Interval(Int, 0, R-1)]), Float, "f")
f.defn = [ Case(Condition(x, '<', 1000000*T) & Condition(1048577*x, '<', 1073741824*S) & Condition(1000003*x, '<=', 999999*R), im(0, x)+1) ]
