# An arm that reads outside of a domain where it is not chosen is computed only where it is: the case becomes two.
# RUN: %python %lib/values.py %s img=i32:5,-6,7,-8,9 before up nested shared guarded stencil stays | FileCheck %s --match-full-lines
# RUN: pm-translate %s --to=pmir | FileCheck %s --check-prefix=IR
# CHECK: before: 0 5 -6 7 -8
# CHECK-NEXT: up: 5 12 7 16 9
# CHECK-NEXT: nested: 1 -6 -6 -8 -8
# CHECK-NEXT: shared: 11 15 -18 21 -24
# CHECK-NEXT: guarded: 1 0 -6 0 -8
# CHECK-NEXT: stencil: 1 -2 2 -2 2
# CHECK-NEXT: stays: 10 -12 14 -16 18
# IR: stage.func @before
# IR-COUNT-2: stage.case
# IR: stage.func @half
# IR-COUNT-1: stage.case
# IR: stage.func @up
# IR-COUNT-2: stage.case
# IR: stage.func @nested
# IR-COUNT-3: stage.case
# IR: stage.func @shared
# IR-COUNT-2: stage.case
# IR: stage.func @guarded
# IR-COUNT-2: stage.case
# IR: stage.func @stencil
# IR-COUNT-3: stage.case
# IR: stage.func @stays
# IR-COUNT-1: stage.case
# IR-NOT: stage.case
N = Parameter(Int, "N")
img = Image(Int, "img", [N])
x = Variable(Int, "x")
r = Interval(Int, 0, N - 1)
first, last, even = Condition(x, '==', 0), Condition(x, '==', N - 1), Condition(x % 2, '==', 0)


def stage(name, value, domain=r):
    f = Function(([x], [domain]), Int, name)
    f.defn = value
    return f


before = stage("before", Select(Condition(x, '>', 0), img(x - 1), 0))
half = stage("half", Case(Condition(2 * x, '<=', N - 1), img(2 * x)), Interval(Int, 0, N / 2))
up = stage("up", Select(even, half(x / 2), half((x - 1) / 2) + half((x + 1) / 2)))
nested = stage("nested", Select(even, Select(first, 1, img(x - 1)), img(x)))
shared = stage("shared", Select(first, 1, img(x - 1)) + Select(first, 10, img(x - 1) * 2))
guarded = stage("guarded", Case(Condition(img(x), '>', 0), Select(first, 1, img(x - 1))))
stencil = stage("stencil", Select(first, 1, Select(last, 2, Stencil(img(x), 1, [1, 0, -1]))))
stays = stage("stays", Select(Condition(img(x), '>', 0), img(x), img(x)) + Select(even, img(x), img(x)))
