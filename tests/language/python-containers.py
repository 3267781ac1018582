# Lists, tuples, dictionaries: indexing from both ends, len, in, append, comprehensions, unpacking, nesting, operators.
# RUN: %python %lib/values.py %s out | FileCheck %s --match-full-lines
# CHECK: out: 8 7 6 10 6 1 100 0 1 1
x = Variable(Int, "x")
squares = [i * i for i in range(5) if i != 3]
squares.append(100)
squares.extend((7, 8))
a, (b, c) = 1, (2, 3)
grid = {}
for i in range(2):
    for j in range(2):
        grid[i, j] = 10 * i + j
values = [squares[-1], len(squares), a + b + c, grid[1, 0], sum([1, 2, 3]), [k for k in grid][3][1], max(squares), 3 in squares]
values = values + [1] * 2
out = Function(([x], [Interval(Int, 0, 9)]), Int, "out")
for i, value in enumerate(values):
    out.defn = Case(Condition(x, '==', i), int(value))
