# Calls of functions of the program: an argument that is missing, unknown, too many; a number that is called.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
def f(a, b = 1): return a
# expected-error@+1:1 {{no argument is given for 'a'}}
f()
# expected-error@+1:6 {{the function has no parameter 'c'}}
f(1, c = 2)
# expected-error@+1:9 {{3 arguments are given, the function has 2 parameters}}
f(1, 2, 3)
a = 5
# expected-error@+1:1 {{an integer is called, a stage, an image or a function should be}}
a(1)
