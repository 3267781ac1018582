# A condition that holds at no point of the domain.
# RUN: pm-translate %s --to=pmir 2>&1 | FileCheck %s
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
f = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "f")
# CHECK: :[[#@LINE+1]]:10: warning: the case applies to no point of f: its condition holds nowhere in the domain
f.defn = Case((x > R - 1) & (y >= 0), img(x - 1, y))
