# The Python around the language, all of it in one program.
# RUN: pm-translate %s --to=pmir | FileCheck %s
# CHECK: stage.pipeline @out
# CHECK-COUNT-3: stage.func @b_{{[123]}} : f32
# CHECK: stage.func @out : f32 on #isl.set<"[R, C] -> { [x, y] : 3 <= x <= R + 1 - 3 and 3 <= y <= C + 1 - 3 }"> {
# CHECK-COUNT-2: stage.case(%x, %y)
# CHECK: stage.output @out
# CHECK-NEXT: stage.output @b_2
'''A docstring
over lines'''
from __init__ import *
import sys
from polymage.compiler import *
import polymage.constructs as pc
from math import (sin,
    cos)
print "hello %s" % x, 3
print("also", unknown)

def pipeline(pipe_data, app_data):
    # nested
    L = 3
    R = Parameter(Int, "R")  # Rows
    C = pc.Parameter(pc.Int, "C")
    pipe_data['R'] = R
    pipe_data['nested']['C'] = C
    assert pipe_data['R'] is R, "same"
    x = Variable(Int, "x"); y = Variable(Int, "y")
    img = Image(Float, "img", [R+2, C+2])

    def dom(k = 0, m = None):
        if m is None:
            m = k
        elif m == 2: m = 3
        else:
            pass
        return ([x, y], [Interval(Int, k, R + 1 - m, 1), Interval(Int, k, C + 1 - m)])

    def blur(f, name, k):
        g = Function(dom(k), Float, name)
        g.defn = [ (f(x-1, y) + f(x, y) +
                    f(x+1, y)) / 3 ]
        return g
    chain = {}
    chain[0], last = img, L
    i = 1
    while i <= last:
        chain[i] = blur(chain[i-1], k = i, "b_" + str(i))
        i += 1
        if i == 100: break
        continue
    names = [n + "_" for n in ("a", 'b') if n != 'b']
    sq = lambda f, p=2: f(x, y) * p
    assert ((lambda v: v) if last == L else sq)(7) == 7
    t = 0
    for key in chain:
        if not key in [1, 2] and key != 0: t = t + key * 2 ** 3 // 5 % 7 << 1 >> 1
    for a, b in [(1, 2), (3, 4)]:
        t += a - b
    u = v = 3
    w = 1 if t > 3 else 2
    z = [i for i in range(2) for j in range(3) if i != j]
    assert len(z) == 4 and z == [0, 0, 1, 1] and 7 / 2 == 3 and -7 / 2 == -4 and 7.0 / 2 == 3.5
    assert -7 % 3 == 2 and 2 ** 10 == 1024 and (1, 2) + (3,) == (1, 2, 3) and [0] * 2 == [0, 0]
    assert str(3) + "x" == '3x' and {1: 2}[1] == 2 and 0x1F == 31 and 1e3 == 1000 and 5L == 5
    assert not (1 < 2 < 2) or False, "chained"
    assert max(1, 2) == 2 and min([3, 4]) == 3 and abs(-2) == 2 and int(2.7) == 2 and len("abc") == 3
    total = sq(chain[L]) + \
        sq(chain[L],
           3) * t
    out = pc.Function(varDom = dom(L), pc.Float)
    out.definition = Case(Condition(x, '>', 10), total)
    out.definition = Case(Condition(x, '<=', 10), total -
        1)
    return out, chain[2]
