# One dimension.
# RUN: synth --planes 0 --rows 1 --cols 1000 --type f32 -o %t.npy
# RUN: %python -c "import numpy as np; np.save('%t.npy', np.load('%t.npy')[0])"
# RUN: run-all-ways %s --in a=%t.npy
# RUN: %python %lib/chain.py %s --params N=23 --set tile=sizes=5
N = Parameter(Int, "N")
a = Image(Float, "a", [N])
i = Variable(Int, "i")
n = Interval(Int, 0, N-1)
inner = Condition(i, '>=', 1) & Condition(i, '<=', N-2)

s = Function(([i], [n]), Float, "s")
s.defn = [ Case(inner, a(i-1) + a(i) * 2 + a(i+1)) ]
d = Function(([i], [n]), Float, "d")
d.defn = [ Case(inner, s(i+1) - s(i-1)), Case(Condition(i, '==', 0), 7.0) ]
