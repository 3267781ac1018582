# Why innermost loops have no vectors, or slow ones, and what they take of the predicted time.
# RUN: pmc %s --live-out=scan,levels,eighths,bright,three,powers,sums,counts,plain -o %t.c --remarks=all 2>&1 | grep vectors: | FileCheck %s --implicit-check-not=@powers --implicit-check-not=@plain
# RUN: pmc %s --live-out=powers,plain -o %t.c --remarks=all --fp=strict 2>&1 | grep vectors: | FileCheck %s --check-prefix=STRICT --implicit-check-not=@plain
# RUN: pmc %s --live-out=scan -o %t.c --remarks=all --naive 2>&1 | grep vectors: | FileCheck %s --check-prefix=NAIVE
R, C = Parameter(Int, "R"), Parameter(Int, "C")
im = Image(Float, "im", [R, C])
table = Image(Float, "table", [256])
x, y = Variable(Int, "x"), Variable(Int, "y")
i, j = Variable(Int, "i"), Variable(Int, "j")
rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
domain = ([x, y], [rows, cols])


def level(of):
    return Max(0, Min(255, Cast(Int, 255 * of)))


# CHECK-DAG: slow-loops.py:[[# @LINE + 5]]:{{.*}}: the innermost loop of @scan has no vectors
# CHECK-DAG: slow-loops.py:[[# @LINE + 5]]:{{.*}} [mark-vector] missed: the innermost loop of @scan has no vectors: it reads what earlier iterations compute; it takes {{.*}} ms
# The pass group predicts nothing there.
# NAIVE: slow-loops.py:[[# @LINE + 3]]:{{.*}}: the innermost loop of @scan has no vectors: it reads what earlier iterations compute{{$}}
scan = Function(domain, Float, "scan")
scan.defn = [Case(Condition(y, "==", 0), im(x, y)),
             Case(Condition(y, ">", 0), scan(x, y - 1) + im(x, y))]
# CHECK-DAG: @levels has slow vectors: it reads or writes 1 time a point at computed indices; it takes {{.*}} ms
levels = Function(domain, Float, "levels")
levels.defn = [table(level(im(x, y)))]
# CHECK-DAG: @eighths has slow vectors: it reads or writes 2 times a point with a stride other than 1; it takes {{.*}} ms
eighths = Function(([x, y], [rows, Interval(Int, 0, C / 8 - 1)]), Float, "eighths")
eighths.defn = [im(x, 8 * y) + im(x, 8 * y + 1)]
# CHECK-DAG: @bright has slow vectors: a condition that is not affine decides what is stored; it takes {{.*}} ms
bright = Function(domain, Float, "bright")
bright.defn = [Case(Condition(im(x, y), ">", 0.5), im(x, y))]
# CHECK-DAG: @three has slow vectors: rows have fewer than 8 points; it takes {{.*}} ms
three = Function(([x, y], [rows, Interval(Int, 0, 4)]), Float, "three")
three.defn = [Case(Condition(C, ">", 4), im(x, y))]
# STRICT: @powers has slow vectors: it calls functions, under strict floating point; it takes {{.*}} ms
powers = Function(domain, Float, "powers")
powers.defn = [Exp(im(x, y))]
# CHECK-DAG: @sums has no vectors: it sums floats into one element, in order; it takes {{.*}} ms
sums = Reduction(([x], [rows]), ([i, j], [rows, cols]), Float, "sums")
sums.defn = [Reduce(sums(i), im(i, j), Sum)]
# CHECK-DAG: @counts_part has no vectors: it reads or writes 2 times a point at computed indices; it takes {{.*}} ms
counts = Reduction(([x], [Interval(Int, 0, 255)]), ([i, j], [rows, cols]), Int, "counts")
counts.defn = [Reduce(counts(level(im(i, j))), 1, Sum)]
plain = Function(domain, Float, "plain")
plain.defn = [2 * im(x, y)]
