# def with positional, default and keyword arguments, nested functions that see the names around, lambda, return of several.
# RUN: %python %lib/values.py %s out | FileCheck %s --match-full-lines
# CHECK: out: 1341 1301 1047 1307 6 10
x = Variable(Int, "x")
base = 1000


def outer(a, b = 20, c = 300):
    def inner(k):
        return a + b * k + c + base
    return inner(2), inner(k = 0)


first, second = outer(1)
third, _ = outer(c = 5, a = 2)
fourth, _ = outer(b = 0, 7)
scale = lambda v, by = 3: v * by
out = Function(([x], [Interval(Int, 0, 5)]), Int, "out")
values = [first, second, third, fourth, scale(2), scale(2, by = 5)]
for i in range(6):
    out.defn = Case(Condition(x, '==', i), values[i])
