# A read outside one stage of several, far from the first error of another kind there could be.
# RUN: refused %t pmc %s -o %t/x.c 2>&1 | FileCheck %s --implicit-check-not=error:
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
inner = Interval(Int, 1, R-2)
cols = Interval(Int, 0, C-1)

a = Function(([x, y], [inner, cols]), Short, "a")
a.defn = [ img(x-1, y) + img(x+1, y) ]
b = Function(([x, y], [inner, cols]), Short, "b")
# CHECK: outside-domain-far.py:[[@LINE+1]]:[[#]]: error: a(2, 0) is read
b.defn = [ a(x+1, y) - a(x, y) ]
