# Every assignment with an operator: of numbers, of lists, of items and attributes, and of expressions over stages.
# RUN: %python %lib/values.py %s img=i32:12,-7,255,0 number items bits moved named | FileCheck %s --match-full-lines
# CHECK: number: 9 9 9 9
# CHECK-NEXT: items: 113 113 113 113
# CHECK-NEXT: bits: 3 243 241 3
# CHECK-NEXT: moved: 50 -26 1022 2
# CHECK-NEXT: named: 21 2 264 9
img = Image(Int, "img", [4])
x = Variable(Int, "x")


def stage(name, value):
    f = Function(([x], [Interval(Int, 0, 3)]), Int, name)
    f.defn = value


n = 5
n += 3
n -= 1
n *= 2
n **= 2
n //= 3
n %= 50
n <<= 3
n >>= 1
n ^= 21
n |= 64
n &= 31
stage("number", n + 0 * x)

table = {'a': [1, 2], 'b': 3}
table['a'][1] <<= 4
table['b'] ^= 1
table['a'] += [5, 6]
table['b'] |= 64
total = 0
for item in table['a']:
    total += item
total += table['b'] + 3
stage("items", total + 0 * x)

value = img(x)
value ^= 15
value &= 243
value |= 1
stage("bits", value)
shifted = img(x)
shifted <<= 3
shifted ^= 4
shifted >>= 1
shifted |= 2
stage("moved", shifted)
rest = img(x)
rest += 9
stage("named", rest)
