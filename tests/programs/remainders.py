# Points that are several lattices together, with more than isl has operations for (lower-poly): their loops go over all
# points, under conditions. The sizes are around those of the lattices and of a tile.
# UNSUPPORTED: asan
# RUN: rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for n in 1 2 7 23 64 601; do synth --planes 0 --rows 1 --cols $n --type f32 -o %t.rows.npy && %python -c "import numpy as np; np.save('%t.npy', np.load('%t.rows.npy')[0])" && pm-run %s --in im=%t.npy --estimate R=64 --check --threads 2 || exit 1; done
# RUN: pmc %s --remarks=all -o %t.c 2>&1 | FileCheck %s
# CHECK: remainders.py:[[# @LINE + 7]]:{{.*}}: remark: [lower-poly] missed: the loops of @f, and of what is in the same loops, go over convex sets around the points, with conditions inside: exact loops take more than 500000 operations of isl
R = Parameter(Int, "R")
im = Image(Float, "im", [R])
x = Variable(Int, "x")
chosen = Condition(x % 2, "==", 1)
for n in (3, 5, 7, 9, 11):
    chosen = chosen | Condition(x % n, "==", 1)
f = Function(([x], [Interval(Int, 0, R - 1)]), Float, "f")
f.defn = [Case(chosen, im(x))]
