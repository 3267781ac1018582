# Numbers that Python does not have either, and the remainder and parts of other things.
# RUN: pm-translate %s --verify-diagnostics --to=pmir 
# expected-error@+1:9 {{the operands of '*' are the string '3' and the string '4', two numbers should be}}
a = "3" * "4"
# expected-error@+1:12 {{the operands of '+' are the list [1, 2] and the integer 3, two numbers should be}}
b = [1, 2] + 3
# expected-error@+1:5 {{the operand of '-' is the string 'a', a number should be}}
c = -"a"
# expected-error@+1:6 {{the key is the list [1], it should be a number, a string or a tuple}}
d = {[1]: 2}
# expected-error@+1:5 {{the dictionary has no key a, an assignment should set it}}
e = {}["a"]
# expected-error@+1:5 {{the index is 0, but there are no items, append() should make some}}
f = [][0]
# expected-error@+1:5 {{the index is 5, it should be 0 to 2: there are 3 items}}
g = "abc"[5]
# expected-error@+1:7 {{the operands of '+' are the integer 3 and None, two numbers should be}}
h = 3 + None
# expected-error@+1:7 {{the operands of '<' are the integer 1 and the list [2], two numbers should be}}
i = 1 < [2]
# expected-error@+1:5 {{int() is given '3.5', it should be given digits}}
j = int("3.5")
# expected-error@+1:11 {{range() is given the number 2.5, it should be given integers that are known while the program is read}}
k = range(2.5)
# expected-error@+1:13 {{the format does not fit its values, there should be one %d or %s for each}}
l = "%d %d" % 3
