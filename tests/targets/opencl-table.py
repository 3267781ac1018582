# Neighbours in a table are one vector, which tables have in a space of their own.
# REQUIRES: opencl
# RUN: pmc %s --target=opencl -o %t.c && FileCheck %s < %t.c
# RUN: synth --rows 7 --cols 9 --type u8 -o %t.npy && %python %lib/opencl_devices.py oclgrind pm-run %s --target=opencl --cflags=-O0 --in img=%t.npy --fp=strict --check
# CHECK: = vload2(0, &pairs[
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
pairs = Table(Float, "pairs", [k * k / 4 for k in range(512)])
line = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "line")
line.defn = pairs(2 * img(x, y)) + pairs(2 * img(x, y) + 1)
