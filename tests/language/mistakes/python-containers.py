# An index beyond the end, a key that is missing, an item of a tuple set, a number that is indexed, too many names.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:5 {{the index is 2, it should be 0 to 1: there are 2 items}}
a = [1, 2][2]
# expected-error@+1:5 {{the dictionary has no key 3, an assignment should set it}}
b = {1: 2}[3]
c = (1, 2)
# expected-error@+1:1 {{an item of the tuple (1, 2) is set, a list or a dictionary should be changed}}
c[0] = 3
# expected-error@+1:5 {{the integer 5 is indexed, a list, a tuple or a dictionary should be}}
d = 5[0]
# expected-error@+1:1 {{3 values are assigned to 2 names, there should be as many}}
e, g = 1, 2, 3
