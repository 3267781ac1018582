# A recursion that does not end.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:18 {{functions call each other more than 200 deep, the recursion should end}}
def f(n): return f(n + 1)
f(0)
