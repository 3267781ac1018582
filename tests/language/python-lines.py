# Lines: docstrings, comments, backslashes, brackets, a line that ends in an operator, several statements, print, import, assert.
# RUN: %python %lib/values.py %s out | FileCheck %s --match-full-lines
# CHECK: out: 10 3
"""A docstring
over two lines."""
from __init__ import *
import sys
import polymage.constructs as pc
print "read", 1
print("read")
x = pc.Variable(pc.Int, "x"); y = 3  # two on a line
total = 1 + \
    2
total = (total +
         3)
total = total +
    4
assert total == 10, "the sum"
values = [
    total,  # a comment inside
    y,
]
out = pc.Function(([x], [pc.Interval(pc.Int, 0, 1)]), pc.Int, "out")
out.defn = [pc.Case(pc.Condition(x, '==', 0), values[0]), pc.Case(pc.Condition(x, '==', 1), values[1])]
