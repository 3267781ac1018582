# ** of values, a string and a number, a list and a stage.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:15 {{'**' is applied to a value of img, Pow(base, exponent) should be written}}
g = img(x, y) ** 2
# expected-error@+1:9 {{the integer 1 is added to the string 'a', str() should make it a string}}
k = "a" + 1
# expected-error@+1:9 {{an operand of '+' is the list [1], it should be a number or an expression}}
l = [1] + img
