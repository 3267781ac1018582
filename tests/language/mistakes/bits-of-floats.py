# Operations on bits have integer operands only.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R = Parameter(Int, "R")
img = Image(Float, "img", [R])
x = Variable(Int, "x")


def stage(name, value):
    f = Function(([x], [Interval(Int, 0, R - 1)]), Int, name)
    f.defn = value


# expected-error@+1:19 {{'>>' has an operand that is not an integer, both should be integers, Cast(Int, …) makes one}}
stage("f", img(x) >> 1)
# expected-error@+1:14 {{'<<' has an operand that is not an integer, both should be integers, Cast(Int, …) makes one}}
stage("g", 1 << 1.5 * x)
# expected-error@+1:12 {{'~' has an operand that is not an integer, it should be one, Cast(Int, …) makes one}}
stage("h", ~img(x))
