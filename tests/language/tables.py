# Constants in lists and dictionaries: weights by a loop, coefficients by name, a table as a chain of Select.
# RUN: %python %lib/values.py %s img=i32:0,1,2,3 sum named chosen | FileCheck %s --match-full-lines
# CHECK: sum: 12
# CHECK-NEXT: named: 7 9 11 13
# CHECK-NEXT: chosen: 11 22 33 44
img = Image(Int, "img", [4])
x = Variable(Int, "x")
weights = [1, 3, 3, 1]
names = {'red': 2, 'green': (7, 1)}
sum = Function(([x], [Interval(Int, 0, 0)]), Int, "sum")
total = 0
for i in range(len(weights)):
    total = total + weights[i] * img(i)
sum.defn = total
named = Function(([x], [Interval(Int, 0, 3)]), Int, "named")
named.defn = img(x) * names['red'] + names['green'][0]
table = [11, 22, 33]
value = 44
for i in range(2, -1, -1):
    value = Select(Condition(img(x), '==', i), table[i], value)
chosen = Function(([x], [Interval(Int, 0, 3)]), Int, "chosen")
chosen.defn = value
