# Two stores of a row by phases of its reads are no row at once. No pass says that it changed nothing then.
# RUN: pm-translate %s --to=pmir -o %t.pmir && pm-interp %t.pmir --param C=9 --size 200000000 --pass-pipeline=default
C = Parameter(Int, "C")
img = Image(Float, "img", [C + 8])
y = Variable(Int, "y")
a = Function(([y], [Interval(Int, 0, C-1)]), Float, "a")
a.defn = [img(y/2) + img(y/2+1)]
