# Names that C, OpenMP or isl use, that are equal, or are no identifiers, still make a program.
# RUN: %python %lib/values.py %s img=i32:1,2,3 while_ omp_get_max_threads | FileCheck %s --match-full-lines
# CHECK: while_: 4 6 8
# CHECK-NEXT: omp_get_max_threads: 6 9 12
img = Image(Int, "img", [3])
x = Variable(Int, "mod")
i = Variable(Int, "int")
a = Function(([x], [Interval(Int, 0, 2)]), Int, "3 d")
a.defn = img(x) + 1
b = Function(([i], [Interval(Int, 0, 2)]), Int, "while")
b.defn = a(i) * 2
c = Function(([x], [Interval(Int, 0, 2)]), Int, "omp_get_max_threads")
c.defn = a(x) * 3
