# T steps of weighted Jacobi for the Poisson equation on N^3 points; the ghosts around keep their values.
def jacobi(T=10):
    N = Parameter(Int, "N")
    V, F = Image(Double, "V", [N + 2, N + 2, N + 2]), Image(Double, "F", [N + 2, N + 2, N + 2])
    z, y, x = Variable(Int, "z"), Variable(Int, "y"), Variable(Int, "x")
    all_points = Interval(Int, 0, N + 1)
    inside = (z >= 1) & (z <= N) & (y >= 1) & (y <= N) & (x >= 1) & (x <= N)
    h = 1.0 / (N + 1)
    cj = 8.0 / 9 * h * h / 6
    centre = [[0, -1, 0], [-1, 6, -1], [0, -1, 0]]
    side = [[0, 0, 0], [0, -1, 0], [0, 0, 0]]

    U = TStencil(([z, y, x], [all_points, all_points, all_points]), Double, "U", T)
    U.defn = Case(inside, V(z, y, x) - cj * (Stencil(V, [z, y, x], [side, centre, side]) * (1 / (h * h)) -
                                             F(z, y, x)))
    return U
