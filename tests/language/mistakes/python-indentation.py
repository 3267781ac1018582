# A line too far in, one that belongs to no block, and a block that is empty.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
a = 1
# expected-error@+1:3 {{the line is indented, but nothing before it opens a block: it should begin further left}}
  b = 2
if a:
    c = 1
# expected-error@+1:3 {{the indentation of 2 columns is that of no block around it, which should have 0}}
  d = 2
for i in range(3):
# expected-error@+1:1 {{a name is here, an indented block should be}}
e = 1
