# Sampling by rational factors, up and down, with offsets: in indices, intervals and conditions, where / floors also
# below 0, and in values, where it truncates.
# RUN: %python %lib/values.py %s img=i32:0,10,20,30,40,50,60,70,80,90,100 up down third back negative gaps cut between even plane values odd_end | FileCheck %s --match-full-lines
# RUN: %python %lib/values.py %s img=i32:7 up down third back negative cut even plane values | FileCheck %s --check-prefix=TINY --match-full-lines
# RUN: %python %lib/values.py %s img=i32:0,10,20,30,40,50,60,70,80,90,100 --strategy=all back odd_end | FileCheck %s --check-prefix=FUSED --match-full-lines
# CHECK: up: 0 0 10 20 20 30 40 40 50 60 60 70 80 80 90 100
# CHECK-NEXT: down: 0 10 30 40 60 70 90 100
# CHECK-NEXT: third: 0 10 10 20 30 30 40 50 50 60 70 70 80 90 90 100
# CHECK-NEXT: back: 0 0 20 20 40 40 60 60
# CHECK-NEXT: negative: 100 90 80 70 70 60 50 40 40 30 20
# CHECK-NEXT: gaps: 0 0 0 20 0 0 40 0 0 -1
# CHECK-NEXT: cut: 0 0 0 30 40 -5 -6 70 80 -9 -10
# CHECK-NEXT: between: 10 10010 10020 20030 30040 30040 40050 50060 60060
# CHECK-NEXT: even: 2 1 2 1 2 1 2 1 2 1 2
# CHECK-NEXT: plane: 0 10
# CHECK-NEXT: plane: 10 20
# CHECK-NEXT: plane: 30 40
# CHECK-NEXT: plane: 40 50
# CHECK-NEXT: plane: 60 70
# CHECK-NEXT: plane: 70 80
# CHECK-NEXT: values: -201 -201 -100 -100 1 1 2 103 103 204 205
# CHECK-NEXT: odd_end: 20 40 40 50
# TINY: up: 7
# TINY-NEXT: down: 7
# TINY-NEXT: third: 7
# TINY-NEXT: back: 7
# TINY-NEXT: negative: 7
# TINY-NEXT: cut: 7
# TINY-NEXT: even: 2
# TINY-NEXT: plane: 7 7
# TINY-NEXT: values: -201
# FUSED: back: 0 0 20 20 40 40 60 60
# FUSED-NEXT: odd_end: 20 40 40 50
N = Parameter(Int, "N")
img = Image(Int, "img", [N])
x, y = Variable(Int, "x"), Variable(Int, "y")


def stage(name, interval, value):
    f = Function(([x], [interval]), Int, name)
    f.defn = value
    return f


all = Interval(Int, 0, N - 1)
up = stage("up", Interval(Int, 0, 3 * N / 2 - 1), img(2 * x / 3))
down = stage("down", Interval(Int, 0, (2 * N - 1) / 3), img(3 * x / 2))
third = stage("third", Interval(Int, 0, (3 * N - 2) / 2), img((2 * x + 1) / 3))
back = stage("back", Interval(Int, 0, (2 * N - 1) / 3), up(x * 3 / 2 * 1))
negative = stage("negative", all, img(N - 1 + -3 * x / 4))
gaps = stage("gaps", Interval(Int, 0, N - 1, 3), [Case(2 * x / 3 < N / 2, img(2 * x / 3)), Case(2 * x / 3 >= N / 2, -1)])
cut = stage("cut", all, [Case(3 * x / 2 % 2 == 0, img(x)), Case((3 * x / 2 % 2 == 1) & ((2 * x + 1) / 3 >= 2), -x)])
between = stage("between", Interval(Int, 1, N - 2), img((5 * x - 3) / 7) * 1000 + img((5 * x + 3) / 7))
even = stage("even", all, [Case(Condition((x - 5) / 2 * 2, '==', x - 5), 1), Case(Condition((x - 5) / 2 * 2, '!=', x - 5), 2)])
plane = Function(([x, y], [Interval(Int, 0, N / 2), Interval(Int, 0, 1)]), Int, "plane")
plane.defn = img(Min((3 * x + 2 * y) / 2, N - 1))
values = stage("values", all, (x - 5) / 2 * 100 + (2 * x - 5) / 3)
odd_end = stage("odd_end", Interval(Int, N / 2, 3 * N / 4), up(3 * x / 2 - 1 - (x - 1) / 2))
