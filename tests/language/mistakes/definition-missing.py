# A stage that was never defined, and one without a domain.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:5 {{the stage f has no definition, defn should give it}}
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:5 {{the stage g has no domain, varDom or variableDomain should give it}}
g = Function(Float, "g")
g.defn = f(0, 0)
