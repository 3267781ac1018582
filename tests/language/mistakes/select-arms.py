# Arms that are no values.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:35 {{an arm is the string 'none', it should be a number or an expression}}
f.defn = Select(x > 1, img(x, y), "none")
# expected-error@+1:24 {{an arm is the image img without indices, they should follow in parentheses: img(…)}}
f.defn = Select(x > 1, img, 0)
# expected-error@+1:26 {{an arm is a condition, Select(condition, 1, 0) should make a value of it}}
f.defn = Select(x > 1, x > 2, 0)
# expected-error@+1:24 {{an arm is None, it should be a number or an expression}}
f.defn = Select(x > 1, None, 0)
# expected-error@+1:10 {{Min has 1 argument, it should be Min(a, b)}}
f.defn = Min(img(x, y))
# expected-error@+1:10 {{Pow has 3 arguments, it should be Pow(base, exponent)}}
f.defn = Pow(img(x, y), 2, 3)
# expected-error@+1:10 {{Sqrt has 2 arguments, it should be Sqrt(expression)}}
f.defn = Sqrt(img(x, y), 2)
