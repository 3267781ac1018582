# Division by zero, a result beyond 64 bits, operands that do not go together.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:7 {{the divisor is 0, it should not be}}
a = 1 / 0
# expected-error@+1:7 {{the result of this does not fit 64 bits, integers should be smaller}}
b = 2 ** 64
# expected-error@+1:25 {{the result of this does not fit 64 bits, integers should be smaller}}
c = 9223372036854775807 + 1
# expected-error@+1:9 {{the operands of '-' are the list [1] and the list [2], two numbers should be}}
d = [1] - [2]
# One mistake is told once.
# expected-error@+1:10 {{the operands of '*' are the list [1] and the number 2.5, two numbers should be}}
g = [[1] * 2.5] * 2.5
# expected-error@+1:7 {{the operands of '<' are the integer 1 and the string 'a', two numbers should be}}
e = 1 < "a"
