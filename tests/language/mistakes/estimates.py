# Estimates that are no integers, or not of the parameter's type.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:25 {{the estimate is the number 25.5, it should be an integer}}
R = Parameter(Int, "R", estimate=25.5)
# expected-error@+1:25 {{the estimate is the string 'big', it should be an integer}}
C = Parameter(Int, "C", estimate="big")
# expected-error@+1:27 {{the estimate is 70000, it should be a value of type Short}}
K = Parameter(Short, "K", estimate=70000)
# expected-error@+1:26 {{the estimate is -1, it should be a value of type UInt}}
U = Parameter(UInt, "U", estimate=-1)
# expected-error@+1:33 {{a parameter of type Float has an estimate, only one of integers should}}
gain = Parameter(Float, "gain", estimate=2)
# expected-error@+1:25 {{Parameter has no argument 'about', it should be Parameter(type, "name")}}
B = Parameter(Int, "B", about=3)
# expected-error@+1:24 {{Variable has no argument 'estimate', it should be Variable(Int, "name")}}
v = Variable(Int, "v", estimate=3)
