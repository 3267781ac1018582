# Parity and other remainders cut the domain; quotients too.
# RUN: %python %lib/values.py %s even thirds half checker | FileCheck %s --match-full-lines
# CHECK: even: 2 1 2 1 2 1 2 1 2
# CHECK-NEXT: thirds: 0 2 1 0 2 1 0 2 1
# CHECK-NEXT: half: 0 1 1 0 0 2 2 2 2
# CHECK-NEXT: checker: 1 0 1 0
# CHECK-NEXT: checker: 0 1 0 1
# CHECK-NEXT: checker: 1 0 1 0
x, y = Variable(Int, "x"), Variable(Int, "y")
r = Interval(Int, -3, 5)
even = Function(([x], [r]), Int, "even")
even.defn = [Case(Condition(x % 2, '==', 0), 1), Case(Condition(x % 2, '==', 1), 2)]
thirds = Function(([x], [r]), Int, "thirds")
thirds.defn = [Case(Condition((x + 1) % 3, '==', 0), 1), Case(Condition((x + 1) % 3, '>', 1), 2)]
half = Function(([x], [r]), Int, "half")
half.defn = [Case(Condition(x / 2, '==', -1), 1), Case(Condition(x / 2, '>=', 1), 2)]
checker = Function(([x, y], [Interval(Int, 0, 2), Interval(Int, 0, 3)]), Int, "checker")
checker.defn = Case(Condition((x + y) % 2, '==', 0), 1)
