# What buildPipeline is given as estimates.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
def build():
    N, x = Parameter(Int, "N"), Variable(Int, "x")
    img = Image(Float, "img", [N])
    f = Function(([x], [Interval(Int, 0, N - 1)]), Float, "f")
    f.defn = img(x)
    # expected-error@+1:24 {{an estimate is the integer 3, it should be (parameter, value)}}
    buildPipeline([f], param_estimates=[3])
