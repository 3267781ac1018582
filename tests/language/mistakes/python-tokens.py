# A string that is not closed, a character and numbers that are none.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:5 {{the string is not closed, its quote should end it}}
a = 'abc
# expected-error@+1:7 {{'$' is not part of the language, it should be only in strings and comments}}
b = 3 $ 4
# expected-error@+1:5 {{'12x' is not a number, and a name should not begin with a digit}}
c = 12x
# expected-error@+1:5 {{'99999999999999999999' is too large, an integer should fit 64 bits}}
d = 99999999999999999999
# expected-error@+1:5 {{this cannot be assigned to, a name, an attribute or an indexed value should be left of '='}}
e = 5 = 6
