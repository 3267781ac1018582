# Calls of functions of the program: an argument that is missing, unknown, too many; a number that is called.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
def f(a, b = 1): return a
# expected-error@+1:1 {{the function f is given nothing for 'a', it should be called as f(a, b)}}
f()
# expected-error@+1:6 {{the function f has no parameter 'c', it should be called as f(a, b)}}
f(1, c = 2)
# expected-error@+1:9 {{the function f is given 3 arguments, it should be called as f(a, b)}}
f(1, 2, 3)
a = 5
# expected-error@+1:1 {{the integer 5 is called, a stage, an image or a function should be}}
a(1)
