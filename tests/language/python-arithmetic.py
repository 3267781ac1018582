# Arithmetic while the program is read: / of integers floors, // % ** << >> & | ~, floats, comparisons, and or not, is.
# RUN: %python %lib/values.py %s out | FileCheck %s --match-full-lines
# CHECK: out: 3 -4 -4 2 1024 32 -5 2 7 -6 7 3 1 0 1 7 19 2 9 12
x = Variable(Int, "x")
values = [7 / 2, -7 / 2, -7 // 2, -7 % 3, 2 ** 10, 1 << 5, -9 >> 1, 6 & 3, 6 | 3, ~5, int(7.0 / 2 * 2), abs(-3),
          1 < 2 < 3, not 1, None is None, (0 or 5) + (1 and 2), 0x10 + 0b11, min(4, 2), max([4, 9]), int('12')]
out = Function(([x], [Interval(Int, 0, 19)]), Int, "out")
for i in range(20):
    out.defn = Case(Condition(x, '==', i), int(values[i]))
