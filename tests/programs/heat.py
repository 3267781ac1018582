# Time iteration in one stage that reads itself: T steps of a plate of N x M points, with a source.
# RUN: %python %lib/chain.py %s --params T=5,N=6,M=7 --set tile=sizes=4x5
T, N, M = Parameter(Int, "T"), Parameter(Int, "N"), Parameter(Int, "M")
V = Image(Float, "V", [N, M])
W = Image(Float, "W", [T])
t, y, x = Variable(Int, "t"), Variable(Int, "y"), Variable(Int, "x")
u = Function(([t, y, x], [Interval(Int, 0, T-1), Interval(Int, 0, N-1), Interval(Int, 0, M-1)]), Float, "u")
first, later = Condition(t, '==', 0), Condition(t, '>=', 1)
inside = Condition(y, '>=', 1) & Condition(y, '<=', N-2) & Condition(x, '>=', 1) & Condition(x, '<=', M-2)
u.defn = [ Case(first, V(y, x)),
           Case(later & inside, 0.5*u(t-1, y, x) + 0.125*(u(t-1, y-1, x) + u(t-1, y+1, x) + u(t-1, y, x-1) + u(t-1, y, x+1)) + W(t)) ]
