# Two live-outs of different sizes and types that share a producer; one of them is read by the other.
# RUN: synth --rows 50 --cols 70 -o %t.pgm
# RUN: run-all-ways %s --in img=%t.pgm --live-out=edge,half
# RUN: %if long %{ run-all-ways %s --in img=%t.pgm --live-out=half --out half=%t.half.npy %} %else %{ pm-run %s --in img=%t.pgm --live-out=half --out half=%t.half.npy --check --fp=strict "--cflags=-O0 -fopenmp" --strategy=all --tile=3x5 %}
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [2*R, 2*C])
x, y = Variable(Int, "x"), Variable(Int, "y")
dom = ([x, y], [Interval(Int, 0, 2*R-1), Interval(Int, 0, 2*C-1)])

smooth = Function(dom, UShort, "smooth")
smooth.defn = [ Case(Condition(y, '>=', 1) & Condition(y, '<=', 2*C-2), img(x, y-1) + 2*img(x, y) + img(x, y+1)) ]
edge = Function(dom, Short, "edge")
edge.defn = [ Case(Condition(x, '>=', 1), smooth(x, y) - smooth(x-1, y)) ]
half = Function(([x, y], [Interval(Int, 0, R-1), Interval(Int, 0, C-1)]), Float, "half")
half.defn = [ edge(2*x, 2*y) * 0.5 + smooth(2*x+1, 2*y+1) ]
