# An index that may be any number, and one that may be one too large.
# RUN: refused %t pmc %s -o %t/x.c 2>&1 | FileCheck %s
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
table = Image(Float, "table", [255])
x, y = Variable(Int, "x"), Variable(Int, "y")
dom = ([x, y], [Interval(Int, 0, R-1), Interval(Int, 0, C-1)])

tone = Function(dom, Float, "tone")
# CHECK: unbounded-index.py:[[@LINE+1]]:[[#]]: error: table(255) may be read at a computed index, for
tone.defn = [ table(img(x, y)) ]
next = Function(dom, Float, "next")
# CHECK: unbounded-index.py:[[@LINE+2]]:[[#]]: error: table is read at a computed index without bounds, but it should stay inside the domain: clamp it, Min(Max(index, 0), 254), or declare what table contains, --range table=0:257
# CHECK: unbounded-index.py:[[@LINE+1]]:[[#]]: note: this may be any integer of 32 bits
next.defn = [ table(Max(Cast(Int, tone(x, y)) - 3, 0)) ]
