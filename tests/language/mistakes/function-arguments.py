# The domain in other orders: two lists, pairs, one pair, intervals first, parameters for intervals.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:22 {{argument 2 of Function is the list [an interval, an interval]; it should be Function(([variables], [intervals]), type, "name")}}
a = Function([x, y], [r, c], Float, "a")
# expected-error@+1:14 {{dimension 1 of the domain is named by an interval, it should be by a variable: ([variables], [intervals])}}
b = Function([(x, r), (y, c)], Float, "b")
# expected-error@+1:14 {{the domain is the tuple (x, an interval), it should be of two lists: ([variables], [intervals])}}
d = Function((x, r), Float, "d")
# expected-error@+1:14 {{dimension 0 of the domain is named by an interval, it should be by a variable: ([variables], [intervals])}}
e = Function(([r, c], [x, y]), Float, "e")
# expected-error@+1:14 {{dimension 0 of the domain goes over the parameter R, it should go over an interval: ([variables], [intervals])}}
f = Function(([x, y], [R, C]), Float, "f")
# expected-error@+1:37 {{argument 3 of Function is the string 'Float', the string 'g' is the name already; it should be Function(([variables], [intervals]), type, "name")}}
g = Function(([x, y], [r, c]), "g", "Float")
# expected-error@+1:44 {{argument 4 of Function is the image img; it should be Function(([variables], [intervals]), type, "name")}}
h = Function(([x, y], [r, c]), Float, "h", img)
