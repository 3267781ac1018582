# Cast to every kind: toward zero from a float, wrapping between integers.
# RUN: %python %lib/values.py %s f=f32:-1.9,2.9,300.5 int_ byte back half | FileCheck %s --match-full-lines
# CHECK: int_: -1 2 300
# CHECK-NEXT: byte: 199 -54 -12
# CHECK-NEXT: back: -0.5 1 150
# CHECK-NEXT: half: 0 1 150
f = Image(Float, "f", [3])
x = Variable(Int, "x")
r = Interval(Int, 0, 2)
int = Function(([x], [r]), Int, "int")
int.defn = Cast(Int, f(x))
byte = Function(([x], [r]), Int, "byte")
byte.defn = Cast(UChar, Cast(Int, f(x))) + Cast(Char, 200)
back = Function(([x], [r]), Float, "back")
back.defn = Cast(Float, int(x)) / 2
half = Function(([x], [r]), Int, "half")
half.defn = int(x) / 2
