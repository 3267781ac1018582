# A parameter that shifts a read, kept inside by the conditions.
# RUN: synth --rows 30 --cols 44 --type f32 --scale255 -o %t.npy
# RUN: %if !long %{ env PM_TEST_OPENCL= %} run-all-ways %s --in img=%t.npy --param k=5
# RUN: %if long %{ run-all-ways %s --in img=%t.npy --param k=-4 %} %else %{ pm-run %s --in img=%t.npy --param k=-4 --check --fp=strict "--cflags=-O0 -fopenmp" --strategy=greedy --tile=8x64 %}
# RUN: %if long %{ run-all-ways %s --in img=%t.npy --param k=1000 %} %else %{ pm-run %s --in img=%t.npy --param k=1000 --check --fp=strict "--cflags=-O0 -fopenmp" --strategy=all --tile=3x5 %}
R, C, k = Parameter(Int, "R"), Parameter(Int, "C"), Parameter(Int, "k")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
dom = ([x, y], [Interval(Int, 0, R-1), Interval(Int, 0, C-1)])
there = Condition(x, '>=', -k) & Condition(x, '<=', R-1-k)

moved = Function(dom, Float, "moved")
moved.defn = [ Case(there, img(x+k, y)) ]
sum = Function(dom, Float, "sum")
sum.defn = [ Case(Condition(y, '>=', 1), moved(x, y) + moved(x, y-1)), Case(Condition(y, '==', 0), moved(x, y)) ]
