# Min and Max of NaN and of zeros: the second operand, by every target (docs/polymage.md).
# RUN: %python -c "import numpy as np; n = np.nan; np.save('%t.a.npy', np.array([n, 1, n, 0, -0.0, 2] * 7, 'f4')); np.save('%t.b.npy', np.array([1, n, n, -0.0, 0, 3] * 7, 'f4'))"
# RUN: run-all-ways %s --in a=%t.a.npy --in b=%t.b.npy --threads 2
# RUN: pm-run %s --in a=%t.a.npy --in b=%t.b.npy --out least=%t.0.npy --out greatest=%t.1.npy --out clamped=%t.2.npy --out kept=%t.3.npy
# RUN: %python -c "import numpy as np; [print(*np.load('%t.%%d.npy' %% i)[-6:]) for i in range(4)]" | FileCheck %s --match-full-lines
# CHECK: 1.0 nan nan -0.0 0.0 2.0
# CHECK-NEXT: 1.0 nan nan -0.0 0.0 3.0
# CHECK-NEXT: 0.0 1.0 0.0 0.0 0.0 1.5
# CHECK-NEXT: nan 1.0 nan 0.5 0.5 2.0
N = Parameter(Int, "N")
a, b = Image(Float, "a", [N]), Image(Float, "b", [N])
x = Variable(Int, "x")
points = ([x], [Interval(Int, 0, N - 1)])
least, greatest, clamped, kept = [Function(points, Float, name) for name in ("least", "greatest", "clamped", "kept")]
least.defn = Min(a(x), b(x))
greatest.defn = Max(a(x), b(x))
clamped.defn = Min(Max(a(x), 0.0), 1.5)
kept.defn = Max(0.5, a(x))
