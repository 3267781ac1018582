# A parameter that shifts a read; the program says nothing of its range, so the read may leave the domain.
# RUN: refused %t pmc %s -o %t/x.c 2>&1 | FileCheck %s --implicit-check-not=error:
R, C, k = Parameter(Int, "R"), Parameter(Int, "C"), Parameter(Int, "k")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")

moved = Function(([x, y], [Interval(Int, 0, R-1), Interval(Int, 0, C-1)]), Float, "moved")
# CHECK: parameters-in-indices.py:[[@LINE+1]]:[[#]]: error: img(-1, 0) is read for x = 0, y = 0, R = 1, C = 1, k =
moved.defn = [ img(x+k, y) ]
