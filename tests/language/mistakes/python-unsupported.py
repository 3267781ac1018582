# What of Python is not there: a class, a slice, exceptions, a decorator, a generator, with, sets, formatted strings, star arguments.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:1 {{'class' is not supported, functions and dictionaries are}}
class A: pass
# expected-error@+1:16 {{a slice is not supported, a list comprehension over range() is}}
a = [1, 2, 3][0:2]
# expected-error@+1:1 {{exceptions are not supported, 'if' and 'assert' are}}
try: pass
# expected-error@+1:1 {{a decorator is not supported, a plain 'def' is}}
@a
# expected-error@+1:10 {{'yield' is not supported, a list comprehension or 'return' of a list is}}
def g(): yield 1
# expected-error@+1:1 {{'with' is not supported, plain statements are}}
with a: pass
# expected-error@+1:6 {{a set is not supported, a list is}}
b = {1, 2}
# expected-error@+1:5 {{a formatted string is not supported, strings are joined by '+' and str()}}
d = f"{a}"
# expected-error@+1:7 {{a parameter with a star is not supported, each parameter should have a name}}
def h(*p): pass
# expected-error@+1:1 {{'del' is not supported, a new assignment is}}
del a
# expected-error@+1:1 {{a declaration of outer names is not supported, 'return' and dictionaries are}}
global b
