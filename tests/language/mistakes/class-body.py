# A class is one error, whatever is in it; what follows it is looked at.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:1 {{'class' is not supported, functions and dictionaries are}}
class Node:
    @property
    def name(self):
        with self: yield

# expected-error@+1:4 {{the end of the line is here, an expression should be}}
x =
