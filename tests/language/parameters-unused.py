# A parameter that nothing depends on needs no value; it stays an argument of the call.
# RUN: pm-translate %s --to=pmir | FileCheck %s --check-prefix=IR
# RUN: sed "s/^g.*//" %s > %t.py && echo 1 2 3 > %t.csv && pm-run %t.py --in %t.csv --out %t.txt --check | FileCheck %s
# RUN: pm-run %t.py --in %t.csv --out %t.txt --check --param scale=2 --param T=3 | FileCheck %s
# RUN: exits-with 1 pm-run %s --in %t.csv --out %t.txt --live-out=g 2>&1 | FileCheck %s --check-prefix=USED
# IR: stage.param @scale : f32
# IR: stage.param @T : i32
# CHECK: @f 3: equal
# USED: parameter scale (f32) has no value; give --param scale=NUMBER
scale, T, N = Parameter(Float, "scale"), Parameter(Int, "T"), Parameter(Int, "N")
img = Image(Float, "img", [N])
x = Variable(Int, "x")
f = Function(([x], [Interval(Int, 0, N - 1)]), Float, "f")
f.defn = img(x) * 2
g = Function(([x], [Interval(Int, 0, N - 1)]), Float, "g")
g.defn = f(x) * scale
