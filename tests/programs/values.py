# Conditions on values, Select, and the arithmetic of narrow integers: promotion, wrapping, truncating division.
# RUN: synth --rows 40 --cols 90 -o %t.pgm
# RUN: run-all-ways %s --in img=%t.pgm --param k=3
R, C = Parameter(Int, "R"), Parameter(Int, "C")
k = Parameter(Int, "k")
img = Image(UChar, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
dom = ([x, y], [Interval(Int, 0, R-1), Interval(Int, 0, C-1)])

signed = Function(dom, Short, "signed")
signed.defn = [ img(x, y) - 128 ]
quotient = Function(dom, Char, "quotient")
quotient.defn = [ signed(x, y) / k + signed(x, y) % 7 ]
wraps = Function(dom, UChar, "wraps")
wraps.defn = [ img(x, y) * img(x, y) + quotient(x, y) ]
picked = Function(dom, Int, "picked")
picked.defn = [ Case(Condition(wraps(x, y), '>', 100), wraps(x, y) * k),
                Case(Condition(wraps(x, y), '<=', 100), Select(Condition(x, '<', y), -signed(x, y), quotient(x, y))) ]
