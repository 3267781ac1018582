# Gaussian of 5 x 5 pixels (sigma 1.1) in two passes. What lies outside the picture is, by --const MODE: 0 not read, the result
# is smaller; 1 the nearest pixel; 2 the picture again; 3 its mirror image, with the edge twice; 4 the constant BORDER. With
# --const FLOATS=1 pixels are floats.
def gauss5(MODE=1, BORDER=0, FLOATS=0):
    R, C = Parameter(Int, "R"), Parameter(Int, "C")
    img = Image(Float if FLOATS else UChar, "img", [R, C])
    x, y = Variable(Int, "x"), Variable(Int, "y")
    ring = 2 if MODE == 0 else 0
    rows, cols = Interval(Int, ring, R - 1 - ring), Interval(Int, ring, C - 1 - ring)
    weights = [0.070766, 0.244461, 0.369546, 0.244461, 0.070766]

    # The index `shift` after i, brought into 0..n-1.
    def bounded(i, shift, n):
        at = i + shift
        if MODE == 0 or shift == 0:
            return at
        if MODE == 2:
            return Select(at < 0, at + n, at) if shift < 0 else Select(at >= n, at - n, at)
        if MODE == 3:
            return Max(at, -at - 1) if shift < 0 else Min(at, 2 * n - 1 - at)
        return Max(at, 0) if shift < 0 else Min(at, n - 1)

    def value(f, i, shift, n):
        v = f(bounded(i, shift, n))
        if MODE != 4 or shift == 0:
            return v
        return Select(i + shift < 0 if shift < 0 else i + shift >= n, BORDER, v)

    def weighted(f, i, n):
        total = weights[0] * value(f, i, -2, n)
        for k in range(1, 5):
            total = total + weights[k] * value(f, i, k - 2, n)
        return total

    along = Function(([x, y], [Interval(Int, 0, R - 1), cols]), Float, "along")
    along.defn = [weighted(lambda j: img(x, j), y, C)]
    gauss = Function(([x, y], [rows, cols]), Float if FLOATS else UChar, "gauss")
    gauss.defn = [weighted(lambda i: along(i, y), x, R) + (0 if FLOATS else 0.5)]
    return gauss
