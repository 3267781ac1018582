# A bracket that is never closed, one that closes nothing.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:9 {{'(' is never closed, ')' should follow}}
a = [1, (2, 3]
# expected-error@+1:6 {{')' closes nothing, '(' should be before it}}
b = 1)
