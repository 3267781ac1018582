# Loops over points: a stage is computed at all of them.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:16 {{range() is given the parameter R, it should be given integers that are known while the program is read; a stage is computed at all points of its intervals without a loop}}
for i in range(R):
    f.defn = img(i, y)
g = Function(([x, y], [r, c]), Float, "g")
# expected-error@+1:10 {{the variable x is gone through item by item, a list, a tuple, a dictionary or a range should be; a stage is computed at all points of its intervals without a loop}}
for i in x:
    g.defn = img(i, y)
# expected-error@+1:10 {{the image img is gone through item by item, a list, a tuple, a dictionary or a range should be; a stage is computed at all points of its intervals without a loop}}
for p in img:
    pass
# expected-error@+1:19 {{range() is given a value of img, it should be given integers that are known while the program is read; a stage is computed at all points of its intervals without a loop}}
for i in range(0, img(0, 0)):
    pass
