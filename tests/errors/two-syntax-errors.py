# A syntax error in the middle of a file does not hide a second one further down.
# RUN: refused %t pmc %s -o %t/x.c 2>&1 | FileCheck %s
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
row, col = Interval(Int, 0, R-1), Interval(Int, 0, C-1)

f = Function(([x, y], [row, col]), Float, "f")
# CHECK: two-syntax-errors.py:[[@LINE+1]]:[[#]]: error:
f.defn = [ img(x, y) * * 0.5 ]
g = Function(([x, y], [row, col]), Float, "g")
g.defn = [ f(x, y) + 1.0 ]
h = Function(([x, y], [row, col]), Float, "h")
# CHECK: two-syntax-errors.py:[[@LINE+1]]:[[#]]: error:
h.defn = [ f(x, y) + ] 
