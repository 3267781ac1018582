# One iteration of NAS MG: a V-cycle for the discrete Poisson problem on 2^LT points a dimension with a layer of ghosts. MG_U
# is the new solution, MG_R the residual before the last smoothing; with NORM=1 there are, in place of MG_R, RES, the residual
# of the new solution, which is R of the next iteration, and its norm rnm2. --const: LT 5 (class S), 7 (W), 8 (A, B), 9 (C), 10 (D);
# SMOOTHER 0 for the classes S, W and A and 1 for B, C and D; PERIODIC 1 where the ghosts are those of a periodic grid, else
# they are 0.
def nas_mg(LT=5, SMOOTHER=0, PERIODIC=1, NORM=0):
    extent = (1 << LT) + 2
    U, V, R = [Image(Double, name, [extent, extent, extent]) for name in ["U", "V", "R"]]
    z, y, x = Variable(Int, "z"), Variable(Int, "y"), Variable(Int, "x")
    a = [-8.0 / 3, 0.0, 1.0 / 6, 1.0 / 12]
    smoother = [-3.0 / 8, 1.0 / 32, -1.0 / 64] if SMOOTHER == 0 else [-3.0 / 17, 1.0 / 33, -1.0 / 61]
    offsets = [[i, j, k] for i in range(-1, 2) for j in range(-1, 2) for k in range(-1, 2)]

    def size(l):
        return 1 << l

    def array(name, l, cases):
        points = Interval(Int, 0, size(l) + 1)
        f = Function(([z, y, x], [points, points, points]), Double, name)
        f.defn = cases
        return f

    # `value` at the points of level l, and the ghosts.
    def stage(name, l, value):
        n = size(l)
        inside = (z >= 1) & (z <= n) & (y >= 1) & (y <= n) & (x >= 1) & (x <= n)
        if not PERIODIC:
            return array(name, l, [Case(inside, value)])
        core = array(name + "_core", l, [Case(inside, value)])
        return array(name, l, [core((z - 1) % n + 1, (y - 1) % n + 1, (x - 1) % n + 1)])

    # The sum of the neighbours of f whose offsets have `distance` components that are not 0.
    def around(f, distance, scale=1):
        total = None
        for o in offsets:
            if abs(o[0]) + abs(o[1]) + abs(o[2]) == distance:
                term = f(scale * z + o[0], scale * y + o[1], scale * x + o[2])
                total = term if total is None else total + term
        return total

    def resid(name, u, v, l):
        return stage(name, l, v(z, y, x) - a[0] * around(u, 0) - a[2] * around(u, 2) - a[3] * around(u, 3))

    def psinv(name, r, u, l):
        value = smoother[0] * around(r, 0) + smoother[1] * around(r, 1) + smoother[2] * around(r, 2)
        return stage(name, l, value if u is None else u(z, y, x) + value)

    def restrict(name, r, l):
        return stage(name, l, 0.5 * around(r, 0, 2) + 0.25 * around(r, 1, 2) + 0.125 * around(r, 2, 2) +
                     0.0625 * around(r, 3, 2))

    # The mean of the coarse points around a point whose indices have these parities.
    def between(g, parity):
        total = None
        for o in [[i, j, k] for i in range(parity[0] + 1) for j in range(parity[1] + 1) for k in range(parity[2] + 1)]:
            term = g(z / 2 + o[0], y / 2 + o[1], x / 2 + o[2])
            total = term if total is None else total + term
        return total * (1.0 / (1 << sum(parity)))

    def interp(name, g, u, l):
        cases = []
        for p in [[i, j, k] for i in range(2) for j in range(2) for k in range(2)]:
            condition = Condition(z % 2, '==', p[0]) & Condition(y % 2, '==', p[1]) & Condition(x % 2, '==', p[2])
            value = between(g, p)
            cases.append(Case(condition, value if u is None else u(z, y, x) + value))
        return array(name, l, cases)

    r = {LT: R}
    for l in range(LT - 1, 0, -1):
        r[l] = restrict("r_%d" % l, r[l + 1], l)
    s = psinv("s_1", r[1], None, 1)
    for l in range(2, LT):
        i = interp("i_%d" % l, s, None, l)
        s = psinv("s_%d" % l, resid("q_%d" % l, i, r[l], l), i, l)
    i = interp("i_%d" % LT, s, U, LT)
    MG_R = resid("MG_R", i, V, LT)
    MG_U = psinv("MG_U", MG_R, i, LT)
    if not NORM:
        return [MG_U, MG_R]
    RES = resid("RES", MG_U, V, LT)
    only = Variable(Int, "only")
    one, inside = Interval(Int, 0, 0), Interval(Int, 1, size(LT))
    squares = Reduction(([only], [one]), ([z, y, x], [inside, inside, inside]), Double, "squares")
    squares.defn = [Reduce(squares(0), RES(z, y, x) * RES(z, y, x), Sum)]
    rnm2 = Function(([only], [one]), Double, "rnm2")
    rnm2.defn = [Sqrt(squares(only) / (1.0 * size(LT) * size(LT) * size(LT)))]
    return [MG_U, RES, rnm2]
