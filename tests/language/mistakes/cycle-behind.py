# Stages that read each other, and one that reads them: no other reads it, so it would leave the pipeline.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R = Parameter(Int, "R")
img = Image(Float, "img", [R])
x = Variable(Int, "x")
points = ([x], [Interval(Int, 0, R - 1)])
# expected-error@+1:5 {{stages read one another in a circle: a is read by b, which is read by c, which is read by a; a stage may read itself at earlier points, all others should be read by stages that they do not need}}
a = Function(points, Float, "a")
# expected-note@+1:5 {{b is one of them}}
b = Function(points, Float, "b")
# expected-note@+1:5 {{c is one of them}}
c = Function(points, Float, "c")
out = Function(points, Float, "out")
a.defn = c(x)
b.defn = a(x)
c.defn = b(x) + img(x)
out.defn = c(x)
