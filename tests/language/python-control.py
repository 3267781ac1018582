# for over ranges, lists and keys; while, break, continue, else-less if and elif, pass; a conditional expression.
# RUN: %python %lib/values.py %s out | FileCheck %s --match-full-lines
# CHECK: out: 731112
x = Variable(Int, "x")
total = 0
for i in range(1, 10, 3):
    total += i
for i in [5, 6]:
    if i == 5:
        total += 100
    elif i == 6:
        total += 1000
    else:
        pass
for key in {1: 'a', 2: 'b'}:
    total += key * 10000
n = 0
while True:
    n += 1
    if n % 2 == 0:
        continue
    if n > 6: break
total += n * 100000
out = Function(([x], [Interval(Int, 0, 0)]), Int, "out")
out.defn = total if n == 7 else 0
