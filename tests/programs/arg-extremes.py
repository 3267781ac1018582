# ArgMin and ArgMax as partial results: of equal values the first point, whatever computes which part; of columns, too.
# RUN: synth --rows 70 --cols 257 --type u8 -o %t.npy
# RUN: pm-run %s --in img=%t.npy --check --fp strict --threads 1 --out brightest_0=%t.1.npy --out brightest_1=%t.2.npy --out brightest_2=%t.3.npy
# RUN: pm-run %s --in img=%t.npy --check --threads 5
# RUN: run-all-ways %s --in img=%t.npy --threads 2
# RUN: %python -c "import numpy as np; a = np.load('%t.npy'); i = np.argmax(a); print([int(np.load('%t.%%d.npy' %% k).ravel()[0]) for k in (1, 2, 3)] == [int(a.max()), i // 257, i %% 257])" | FileCheck %s --check-prefix=FIRST
# FIRST: True
# RUN: synth --rows 1 --cols 1 --type u8 -o %t.npy
# RUN: pm-run %s --in img=%t.npy --check --threads 2
# RUN: pm-translate %s --remarks=all -o %t.c 2>&1 | FileCheck %s
# RUN: pm-translate %s --fp strict --remarks=all -o %t.c 2>&1 | FileCheck %s --check-prefix=STRICT
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y, v = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "v")
rows, cols, one = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 0)

# CHECK-DAG: passed: this update of @brightest becomes 16 partial results
# STRICT-DAG: passed: this update of @brightest becomes 16 partial results
brightest = Reduction(([v], [one]), ([x, y], [rows, cols]), (UChar, Int, Int), "brightest")
brightest.defn = Reduce(brightest(0), (img(x, y), x, y), ArgMax)
# CHECK-DAG: passed: this update of @flattest becomes 16 partial results
# STRICT-DAG: missed: this update of @flattest has no partial results: the order of its combinations matters for floats
flattest = Reduction(([v], [one]), ([x, y], [rows, cols]), (Float, Int, Int), "flattest")
flattest.default = (1e9, -1, -1)
flattest.defn = Case(Condition(y, '<', C - 1), Reduce(flattest(0), (Abs(img(x, y) - img(x, Min(y + 1, C - 1))) * 0.5, y, x), ArgMin))
# CHECK-DAG: missed: this update of @darkest has no partial results: its loops over elements are parallel already
darkest = Reduction(([y], [cols]), ([x, y], [rows, cols]), (UChar, Short), "darkest")
darkest.defn = Reduce(darkest(y), (img(x, y), x), ArgMin)
