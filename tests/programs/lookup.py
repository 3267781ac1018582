# Data-dependent indices are refused so far, at each read, also where the type or a clamp bounds them.
# RUN: refused %t pmc %s -o %t/x.c 2>&1 | FileCheck %s
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
table = Image(Float, "table", [256])
x, y = Variable(Int, "x"), Variable(Int, "y")
dom = ([x, y], [Interval(Int, 0, R-1), Interval(Int, 0, C-1)])

tone = Function(dom, Float, "tone")
# CHECK: lookup.py:[[@LINE+1]]:[[#]]: error: {{.*}}@table{{.*}}data-dependent reads are not supported
tone.defn = [ table(img(x, y)) ]
next = Function(dom, Float, "next")
# CHECK: lookup.py:[[@LINE+1]]:[[#]]: error: {{.*}}@table{{.*}}data-dependent reads are not supported
next.defn = [ tone(x, y) + table(Min(Max(Cast(Int, tone(x, y)) - 3, 0), 255)) ]
