from polymage import impipe
def gradient(pipe_data):
    R = impipe.Parameter(impipe.Int, "R"); C = impipe.Parameter(impipe.Int, "C")
    pipe_data['R'] = R
    img = impipe.Image(impipe.Float, "img", [R+2, C+2])
    x = impipe.Variable(impipe.Int, "x")
    y = impipe.Variable(impipe.Int, "y")
    rows = impipe.Interval(impipe.Int, 0, R + 1)
    cols = impipe.Interval(impipe.Int, 0, C + 1)
    inside = impipe.Condition(x, '>=', 1) & impipe.Condition(x, '<=', R) & \
             impipe.Condition(y, '>=', 1) & impipe.Condition(y, '<=', C)
    gx = impipe.Function(impipe.Float, "gx")
    gx.variableDomain = ([x, y], [rows, cols])
    gx.definition = impipe.Case(inside, impipe.Stencil(img, [x, y], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], [1, 1]) * (1.0/8)) \
        if False else impipe.Case(inside, impipe.Stencil(img, 1.0/8, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], [1, 1]))
    out = impipe.Function(impipe.UChar, "out")
    out.variableDomain = ([x, y], [rows, cols])
    out.definition = impipe.Case(inside, gx(x, y) *
                                 255)
    out.definition = impipe.Case(impipe.Condition(x, '<', 1), 1)
    return out
