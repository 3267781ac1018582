import impipe
def histogram(pipe_data):
    R = impipe.Parameter(impipe.Int, "R"); C = impipe.Parameter(impipe.Int, "C")
    img = impipe.Image(impipe.UChar, "img", [R, C])
    x = impipe.Variable(impipe.Int, "x")
    y = impipe.Variable(impipe.Int, "y")
    v = impipe.Variable(impipe.Int, "v")
    hist = impipe.Accumulator(impipe.Int, "hist")
    hist.variableDomain = ([v], [impipe.Interval(impipe.Int, 0, 255)])
    hist.reductionDomain = ([x, y], [impipe.Interval(impipe.Int, 0, R - 1), impipe.Interval(impipe.Int, 0, C - 1)])
    hist.default = 1
    hist.definition = impipe.Accumulate(hist(img(x, y)), 2, impipe.Op.Sum)
    hist.definition = impipe.Case(impipe.Condition(x, '>', 3) & impipe.Condition(img(x, y), '<', 9),
                                  impipe.Accumulate(hist(y % 256), x, impipe.Op.Max))
    return hist
