# Images of one, two and three dimensions; extents affine in parameters, indices from 0, the last one contiguous.
# RUN: %python %lib/values.py %s row=i32:1,2,3,4 plane=i32:4x6 cube=i32:2x4x6 three | FileCheck %s --match-full-lines
# CHECK: three: 1024 1034 1044 1054 1064 1074
# CHECK-NEXT: three: 2084 2094 2104 2114 2124 2134
# CHECK-NEXT: three: 3144 3154 3164 3174 3184 3194
# CHECK-NEXT: three: 4204 4214 4224 4234 4244 4254
import dsl
M = Parameter(Int)
row = Image(Int, [M])
plane = Image(Int, "plane", [M, M + 2])
cube = dsl.Image(dsl.Int, "cube", [2, M, M + 2])
x, y = Variable(), Variable()
three = Function(([x, y], [Interval(0, M - 1), Interval(0, M + 1)]), Int)
three.defn = row(x) * 1000 + plane(x, y) * 10 + cube(1, x, y) - cube(0, x, y)
