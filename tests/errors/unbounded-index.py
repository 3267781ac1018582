# An index that may be any number, and one that may be one too large.
# RUN: refused %t pmc %s -o %t/x.c 2>&1 | FileCheck %s
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
table = Image(Float, "table", [255])
x, y = Variable(Int, "x"), Variable(Int, "y")
dom = ([x, y], [Interval(Int, 0, R-1), Interval(Int, 0, C-1)])

tone = Function(dom, Float, "tone")
# CHECK: unbounded-index.py:[[@LINE+1]]:[[#]]: error: {{.*}}of @table, by a computed index, maybe at [255] for
tone.defn = [ table(img(x, y)) ]
next = Function(dom, Float, "next")
# CHECK: unbounded-index.py:[[@LINE+2]]:[[#]]: error: {{.*}}of @table has a computed index without bounds, but {{.*}} clamp it, Min(Max(index, lo), hi)
# CHECK: unbounded-index.py:[[@LINE+1]]:[[#]]: note: 'arith.cast' here may give any i32
next.defn = [ table(Max(Cast(Int, tone(x, y)) - 3, 0)) ]
