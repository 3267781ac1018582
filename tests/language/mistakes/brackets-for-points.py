# Square brackets for points, and points that are assigned.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:10 {{the image img is indexed by brackets, parentheses should read it: img(…)}}
f.defn = img[x, y]
# expected-error@+1:10 {{the image img is indexed by brackets, parentheses should read it: img(…)}}
f.defn = img[x][y]
# expected-error@+1:1 {{a point of the stage f is set, the definition of all points should be: f.defn = …}}
f[x, y] = img(x, y)
# expected-error@+1:3 {{a point of the definition of a stage is set, the definition of all points should be: f.defn = …}}
f.defn[x, y] = img(x, y)
# expected-error@+1:5 {{a value of img is indexed, a list, a tuple or a dictionary should be}}
k = img(x, y)[0]
