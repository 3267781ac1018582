# Pow Exp Log Sin Cos Sqrt Abs of floats, their float forms, and of integers, which become floats.
# RUN: %python %lib/values.py %s f=f64:0,1,4 pow exp log trig sqrt abs single integers | FileCheck %s --match-full-lines
# CHECK: pow: 1 3 32
# CHECK-NEXT: exp: 1 2.718282 54.59815
# CHECK-NEXT: log: 0 0.6931472 1.609438
# CHECK-NEXT: trig: 1 1 1
# CHECK-NEXT: sqrt: 0 1 2
# CHECK-NEXT: abs: 2 1 2
# CHECK-NEXT: single: 1 2.414214 4.236068
# CHECK-NEXT: integers: 1 1 2.414214
f = Image(Double, "f", [3])
x = Variable(Int, "x")
r = Interval(Int, 0, 2)


def stage(name, type, value):
    g = Function(([x], [r]), type, name)
    g.defn = value


stage("pow", Double, Pow(f(x), 2) + Pow(2, f(x)))
stage("exp", Double, Exp(f(x)))
stage("log", Double, Log(f(x) + 1))
stage("trig", Double, Sin(f(x)) * Sin(f(x)) + Cos(f(x)) * Cos(f(x)))
stage("sqrt", Double, Sqrt(f(x)))
stage("abs", Double, Abs(f(x) - 2))
stage("single", Double, Sqrtf(f(x) + 1) + Powf(f(x), 0.5))
stage("integers", Float, Sqrt(x) + Abs(x - 1))
