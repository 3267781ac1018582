# Bits of floats; conditions and numbers in one; what conditions have not.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R = Parameter(Int, "R")
img = Image(Float, "img", [R])
x = Variable(Int, "x")
f = Function(([x], [Interval(Int, 0, R - 1)]), Int, "f")
# expected-error@+1:18 {{'&' joins a condition and a value of img, two conditions should be: parentheses around a comparison, or Select(condition, 1, 0) for a number}}
f.defn = (x > 2) & img(x)
# expected-error@+1:12 {{'|' joins a condition and the integer 1, two conditions should be: parentheses around a comparison, or Select(condition, 1, 0) for a number}}
f.defn = 1 | (x > 2)
# expected-error@+1:18 {{'^' is applied to two conditions, '&' or '|' should join them}}
f.defn = (x > 2) ^ (x > 3)
# expected-error@+1:10 {{'~' is applied to a condition, the opposite condition should be written}}
f.defn = ~(x > 2)
g = Function(([x], [Interval(Int, 0, R - 1)]), Int, "g")
