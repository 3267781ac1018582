# An assertion that does not hold, with its message.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:1 {{the assertion does not hold, it should: sums}}
assert 1 + 1 == 3, "sums"
