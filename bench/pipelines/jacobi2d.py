# T steps of weighted Jacobi for the Poisson equation on N x N points; the ghosts around keep their values.
def jacobi(T=10):
    N = Parameter(Int, "N")
    V, F = Image(Double, "V", [N + 2, N + 2]), Image(Double, "F", [N + 2, N + 2])
    y, x = Variable(Int, "y"), Variable(Int, "x")
    all_points = Interval(Int, 0, N + 1)
    inside = (y >= 1) & (y <= N) & (x >= 1) & (x <= N)
    h = 1.0 / (N + 1)
    cj = 0.8 * h * h / 4

    U = TStencil(([y, x], [all_points, all_points]), Double, "U", T)
    U.defn = Case(inside, V(y, x) - cj * (Stencil(V, [y, x], [[0, -1, 0], [-1, 4, -1], [0, -1, 0]]) * (1 / (h * h)) - F(y, x)))
    return U
