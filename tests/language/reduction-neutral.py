# A reduction without a default begins with the number that changes nothing, of its operation and type: that is what its
# updates alone give, and what an element without updates keeps. A default that is given is taken.
# RUN: %python %lib/values.py %s img=i32:-6,-3,-12,-5 least most product both either sum_ given as_cases | FileCheck %s --match-full-lines
# RUN: %python %lib/values.py %s img=i32:-6,-3,-12,-5 bytes_min bytes_max short_min short_max longs_min ulong_min ulongs_and float_min float_max double_min | FileCheck %s --check-prefix=TYPES --match-full-lines
# CHECK: least: -12 2147483647
# CHECK-NEXT: most: -3 -2147483648
# CHECK-NEXT: product: 1080 1
# CHECK-NEXT: both: -16 -1
# CHECK-NEXT: either: -1 0
# CHECK-NEXT: sum_: -26 0
# CHECK-NEXT: given: 0 0
# CHECK-NEXT: as_cases: -12 -1
# TYPES: bytes_min: 244 255
# TYPES-NEXT: bytes_max: 253 0
# TYPES-NEXT: short_min: -12 32767
# TYPES-NEXT: short_max: -3 -32768
# TYPES-NEXT: longs_min: -12 9223372036854775807
# TYPES-NEXT: ulong_min: 18446744073709551604 18446744073709551615
# TYPES-NEXT: ulongs_and: 18446744073709551600 18446744073709551615
# TYPES-NEXT: float_min: -12 inf
# TYPES-NEXT: float_max: -3 -inf
# TYPES-NEXT: double_min: -12 inf
img = Image(Int, "img", [4])
x, v = Variable(Int, "x"), Variable(Int, "v")


def reduce(name, op, type=Int):
    h = Reduction(([v], [Interval(Int, 0, 1)]), ([x], [Interval(Int, 0, 3)]), type, name)
    h.defn = Reduce(h(0), img(x), op)
    return h


reduce("least", Min), reduce("most", Max), reduce("product", Prod), reduce("both", And), reduce("either", Or)
reduce("sum_", Sum)
reduce("given", Max).default = 0
reduce("as_cases", Min).defn = Case(Condition(v, '==', 1), -1)
reduce("bytes_min", Min, UChar), reduce("bytes_max", Max, UChar), reduce("short_min", Op.Min, Short)
reduce("short_max", Max, Short), reduce("longs_min", Min, Long), reduce("ulong_min", Min, ULong)
reduce("ulongs_and", And, ULong), reduce("float_min", Min, Float), reduce("float_max", Max, Float)
reduce("double_min", Min, Double)
