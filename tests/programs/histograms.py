# Updates of computed cells: on a GPU each is one step of an item, first in memory of its group where cells are few.
# RUN: synth --rows 11 --cols 300 --type u8 -o %t.npy
# RUN: run-all-ways %s --in img=%t.npy
# RUN: for t in c llvm; do pm-run %s --target=$t --pass-pipeline='stage.pipeline(check-bounds,expand-boundaries,infer-domains,rfactor{atomic=true},align-scale,group,tile,storage,expand-statements,mark-atomic,parallelize,verify-schedule),lower' --threads 3 --in img=%t.npy --check || exit 1; done
# RUN: synth --rows 1 --cols 7 --type u8 -o %t.small.npy
# RUN: %if long %{ run-all-ways %s --in img=%t.small.npy %} %else %{ pm-run %s --in img=%t.small.npy --check --fp=strict "--cflags=-O0 -fopenmp" --strategy=greedy --tile=3x5 %}
# RUN: pmc %s --target=opencl -o %t.c && FileCheck %s --input-file %t.c
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y, u, v = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "u"), Variable(Int, "v")
row, col, levels = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 15)


def table(name, kind, cell, value, operation, start=0, domain=levels):
    f = Reduction(([v], [domain]), ([x, y], [row, col]), kind, name)
    f.default = start
    f.defn = [Reduce(f(cell), value, operation)]
    return f


# Sums of a class; of unsigned numbers, which wrap.
# CHECK-DAG: atomic_add(&sums
sums = table("sums", Int, img(x, y) / 16, img(x, y) * 3 - 100, Sum)
# CHECK-DAG: atomic_add(&wrapped
wrapped = table("wrapped", UInt, img(x, y) / 16, Cast(UInt, img(x, y)) * 4000000000, Sum, 7)
# The first and last place of a class.
# CHECK-DAG: atomic_min(&first
first = table("first", Int, img(x, y) / 16, x * C + y, Min, 1000000000)
# CHECK-DAG: atomic_max(&last
last = table("last", Int, img(x, y) / 16, x * C + y, Max, -1)
# As many cells as the picture has columns: in no memory of a group. Two dimensions.
# CHECK-DAG: atomic_add(&columns
columns = table("columns", Int, Min(img(x, y), C - 1), 1, Sum, 0, col)
# CHECK-DAG: atomic_add(&joint
joint = Reduction(([u, v], [levels, Interval(Int, 0, 9)]), ([x, y], [row, col]), Int, "joint")
joint.defn = [Reduce(joint(img(x, y) / 16, Min(img(x, y), 99) / 10), 1, Sum)]
# Floats, bytes and products have partial results, or are one after the other.
floats = table("floats", Float, img(x, y) / 16, img(x, y), Max)
bytes_ = table("bytes", UChar, img(x, y) / 16, img(x, y), Max)
# CHECK-NOT: atomic_{{.*}}(&{{floats|bytes}}
