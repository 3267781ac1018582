# Products that are shifted right: those of 17 bits and more become high halves of products of 16 bits, where the
# factors have room, as for all but the last of these.
# RUN: synth --rows 37 --cols 44 --type u8 -o %t.a.npy
# RUN: %if !long %{ env PM_TEST_OPENCL= %} run-all-ways %s --in a=%t.a.npy --param strength=1.7
# RUN: %if long %{ run-all-ways %s --in a=%t.a.npy --param strength=-3 %} %else %{ pm-run %s --in a=%t.a.npy --param strength=-3 --check --fp=strict "--cflags=-O0 -fopenmp" --strategy=all --tile=3x5 %}
# RUN: pmc %s -o %t.c && FileCheck %s --input-file %t.c
# CHECK-COUNT-4: >> 16
R, C = Parameter(Int, "R"), Parameter(Int, "C")
strength = Parameter(Float, "strength")
a = Image(UChar, "a", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
dom = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])
factor = Cast(Int, Min(Max(strength * 150, 0), 255))
d = a(x, y) - a(R - 1 - x, C - 1 - y)


def stage(name, value, type=UChar):
    f = Function(dom, type, name)
    f.defn = [value]
    return f


sharper = stage("sharper", Min(Max(a(x, y) + (d * factor) // 32, 0), 255))
signed = stage("signed", (d * (2 * factor - 255)) // 64, Short)
squares = stage("squares", (d * d) // 512, Short)
shifted = stage("shifted", (d * (factor + 300)) >> 9, Int)
much = stage("much", (d * (factor + 30000)) // 4, Int)
out = stage("out", sharper(x, y) + signed(x, y) + squares(x, y) + shifted(x, y) + much(x, y), Int)
