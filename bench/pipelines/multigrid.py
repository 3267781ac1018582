# One cycle of geometric multigrid for the Poisson equation, -div grad u = F, in DIM dimensions with one layer of ghosts.
# The coarsest of the L + 1 grids has n points a dimension; U is the next iterate. --const: DIM 2 or 3, CYCLE 1 (V) or 2 (W),
# PRE, COARSE and POST smoothing steps; with NORM=1 there are also the norms of the residual F - A U and of U.
def multigrid(DIM=2, CYCLE=1, L=3, PRE=4, COARSE=4, POST=4, NORM=0):
    n = Parameter(Int, "n")
    size = [(n + 1) * (1 << l) - 1 for l in range(L + 1)]
    V = Image(Double, "V", [size[L] + 2] * DIM)
    F = Image(Double, "F", [size[L] + 2] * DIM)
    point = [Variable(Int, "zyx"[3 - DIM + d]) for d in range(DIM)]
    names = {}

    def inside(l):
        condition = (point[0] >= 1) & (point[0] <= size[l])
        for d in range(1, DIM):
            condition = condition & (point[d] >= 1) & (point[d] <= size[l])
        return condition

    def outside(l):
        condition = (point[0] == 0) | (point[0] == size[l] + 1)
        for d in range(1, DIM):
            condition = condition | (point[d] == 0) | (point[d] == size[l] + 1)
        return condition

    def numbered(name):
        names[name] = names[name] + 1 if name in names else 0
        return name + "_" + str(names[name])

    # `value` at the points of level l; on the ghosts what `ghosts` has, or 0. The last one is U.
    def stage(name, l, cases, ghosts=None, last=False):
        title = "U" if last else numbered(name + "_" + str(l))
        f = Function((point, [Interval(Int, 0, size[l] + 1)] * DIM), Double, title)
        f.defn = cases + ([] if ghosts is None else [Case(outside(l), at(ghosts, point))])
        return f

    def at(f, indices):
        return f(indices[0], indices[1]) if DIM == 2 else f(indices[0], indices[1], indices[2])

    def moved(d, shift):
        return [point[i] + shift if i == d else point[i] for i in range(DIM)]

    def spacing(l):
        return 1.0 / (size[l] + 1)

    def operator(f, l):
        total = 2 * DIM * at(f, point)
        for d in range(DIM):
            total = total - at(f, moved(d, -1)) - at(f, moved(d, 1))
        return total * (1.0 / (spacing(l) * spacing(l)))

    def smooth(u, f, l, steps, last=False):
        omega = 4.0 / 5 if DIM == 2 else 8.0 / 9
        weight = omega * (spacing(l) * spacing(l)) / (2 * DIM)
        for i in range(steps):
            value = weight * at(f, point) if u is None else at(u, point) - weight * (operator(u, l) - at(f, point))
            u = stage("smooth", l, [Case(inside(l), value)], u if l == L else None, last and i == steps - 1)
        return u

    def defect(u, f, l):
        return stage("defect", l, [Case(inside(l), at(f, point) - operator(u, l))])

    def offsets(d):
        return [[]] if d == 0 else [o + [i] for o in offsets(d - 1) for i in range(-1, 2)]

    # Full weighting: halves for each dimension in which the neighbour is the point itself, quarters in others.
    def restrict(f, l):
        total = None
        for o in offsets(DIM):
            distance = sum([abs(i) for i in o])
            term = at(f, [2 * point[d] + o[d] for d in range(DIM)]) * (1.0 / (1 << (DIM + distance)))
            total = term if total is None else total + term
        return stage("restrict", l - 1, [Case(inside(l - 1), total)])

    def parities(d):
        return [[]] if d == 0 else [p + [i] for p in parities(d - 1) for i in range(2)]

    # The mean of the coarse points around a point whose indices have these parities.
    def between(e, parity):
        total, count = None, 0
        for o in parities(DIM):
            if all_at_most(o, parity):
                term = at(e, [point[d] / 2 + o[d] for d in range(DIM)])
                total = term if total is None else total + term
                count += 1
        return total * (1.0 / count)

    def all_at_most(o, parity):
        for d in range(DIM):
            if o[d] > parity[d]:
                return False
        return True

    def correct(u, e, l, last):
        cases = []
        for parity in parities(DIM):
            condition = inside(l)
            for d in range(DIM):
                condition = condition & Condition(point[d] % 2, '==', parity[d])
            cases.append(Case(condition, at(u, point) + between(e, parity)))
        return stage("correct", l, cases, u if l == L else None, last)

    def cycle(v, f, l):
        if l == 0:
            return smooth(v, f, l, COARSE)
        coarser = l > 1 or COARSE > 0
        u = smooth(v, f, l, PRE, l == L and POST == 0 and not coarser)
        e = None
        if coarser:
            coarse = restrict(defect(u, f, l), l)
            for i in range(CYCLE):
                e = cycle(e, coarse, l - 1)
            u = correct(u, e, l, l == L and POST == 0)
        return smooth(u, f, l, POST, l == L)

    # Root of the mean of squares of the interior of f, of N points a dimension.
    def norm(name, f, N):
        only, one = Variable(Int, "only"), Interval(Int, 0, 0)
        squares = Reduction(([only], [one]), (point, [Interval(Int, 1, N)] * DIM), Double, name + "_squares")
        squares.defn = [Reduce(squares(0), at(f, point) * at(f, point), Sum)]
        mean = squares(only)
        for d in range(DIM):
            mean = mean / N
        root = Function(([only], [one]), Double, name)
        root.defn = [Sqrt(mean)]
        return root

    U = cycle(V, F, L)
    if not NORM:
        return U
    return [U, norm("residual", defect(U, F, L), size[L]), norm("error", U, size[L])]
