# RUN: exits-with 1 pmc %s -o %t.c 2>&1 | FileCheck %s
# RUN: not test -e %t.c
R = Parameter(Int, "R")
x = Variable(Int, "x")
row = Interval(Int, 0, R-1)
# CHECK: boundaries-errors.py:[[@LINE+1]]:{{[0-9]+}}: error: the boundary is 'mirrored', it should be 'none', 'clamp', 'repeat', 'mirror', 'mirror101' or a number
img = Image(Float, "img", [R], boundary="mirrored")
# CHECK: boundaries-errors.py:[[@LINE+1]]:{{[0-9]+}}: error: the boundary is a dictionary, it should be
f = Function(([x], [row]), Float, "f", boundary={})
# CHECK: boundaries-errors.py:[[@LINE+1]]:{{[0-9]+}}: error: Parameter has no argument 'boundary', it should be
p = Parameter(Int, "p", boundary="clamp")
g = Function(([x], [row]), Float, "g")
# CHECK: boundaries-errors.py:[[@LINE+1]]:{{[0-9]+}}: error: the boundary is 'no', it should be
g.boundary = ["clamp", "no"]
