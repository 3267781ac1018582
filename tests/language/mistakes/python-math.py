# The functions of math: their domains, and values of stages, which have functions of their own.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
import math
x = Variable(Int, "x")
# expected-error@+1:10 {{log() is given 0, it should be given more than 0}}
a = math.log(0)
# expected-error@+1:17 {{the base of log() is 1, it should be above 0 and not 1}}
b = math.log(8, 1)
# expected-error@+1:10 {{sqrt() is given -1, it should be given 0 or more}}
c = math.sqrt(-1)
# expected-error@+1:10 {{the result of ceil() does not fit 64 bits, it should}}
d = math.ceil(1e30)
# expected-error@+1:16 {{floor() is given the variable x, it should be given a number; Cast(Int, …) is for values of stages}}
e = math.floor(x)
# expected-error@+1:15 {{sqrt() is given the variable x, it should be given a number; Sqrt is for values of stages}}
g = math.sqrt(x)
# expected-error@+1:5 {{the integer 3 is gone through item by item, a list, a tuple, a dictionary or a range should be}}
h = reversed(3)
