# Three dimensions, 64-bit floats, a 7-point stencil twice.
# RUN: synth --planes 9 --rows 17 --cols 40 --type f64 --scale255 -o %t.npy
# RUN: run-all-ways %s --in u=%t.npy
# RUN: %python %lib/chain.py %s --params L=5,R=4,C=6 --set tile=sizes=2x3
L, R, C = Parameter(Int, "L"), Parameter(Int, "R"), Parameter(Int, "C")
u = Image(Double, "u", [L, R, C])
z, x, y = Variable(Int, "z"), Variable(Int, "x"), Variable(Int, "y")
dom = ([z, x, y], [Interval(Int, 0, L-1), Interval(Int, 0, R-1), Interval(Int, 0, C-1)])

def within(k):
    return (Condition(z, '>=', k) & Condition(z, '<=', L-1-k) & Condition(x, '>=', k) & Condition(x, '<=', R-1-k) &
            Condition(y, '>=', k) & Condition(y, '<=', C-1-k))

def step(f, name, k):
    g = Function(dom, Double, name)
    g.defn = [ Case(within(k), f(z, x, y) * 0.4 + (f(z-1, x, y) + f(z+1, x, y) + f(z, x-1, y) + f(z, x+1, y) +
                                                  f(z, x, y-1) + f(z, x, y+1)) * 0.1) ]
    return g

once = step(u, "once", 1)
twice = step(once, "twice", 2)
