# The condition does not keep the read inside, is not affine, or is in an update, whose order would change.
# RUN: exits-with 1 pmc %s -o %t.c 2>&1 | FileCheck %s
N = Parameter(Int, "N")
img = Image(Int, "img", [N])
x, v = Variable(Int, "x"), Variable(Int, "v")
r = Interval(Int, 0, N - 1)
f = Function(([x], [r]), Int, "f")
# CHECK: select-reads-outside.py:[[#@LINE+1]]:43: error: img(-1) is read for x = 0, N = {{[0-9]+}}, but f should read img only inside its domain
f.defn = Select(Condition(x, '<', N - 1), img(x - 1), 0)
g = Function(([x], [r]), Int, "g")
# CHECK: :[[#@LINE+1]]:44: error: img(-1) is read for x = 0
g.defn = Select(Condition(img(x), '>', 0), img(x - 1), 0)
h = Reduction(([v], [Interval(Int, 0, 0)]), ([x], [r]), Int, "h")
# CHECK: :[[#@LINE+1]]:52: error: img(-1) is read for x = 0
h.defn = Reduce(h(0), Select(Condition(x, '>', 0), img(x - 1), 0), Sum)
