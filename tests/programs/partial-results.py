# Reductions that are computed as partial results: to one number, of a line, of colours, by value, and with conditions.
# RUN: synth --rows 37 --cols 300 --type u8 -o %t.npy
# RUN: synth --rows 1 --cols 2000 --type u16 -o %t.line.npy
# RUN: pm-run %s --live-out=total,least,most,level,line,bright --in img=%t.npy --in row=%t.line.npy --check --fp strict --threads 2
# RUN: pm-run %s --live-out=total,least,most,level,line,bright --in img=%t.npy --in row=%t.line.npy --check --threads 5
# RUN: synth --rows 1 --cols 1 --type u8 -o %t.npy
# RUN: pm-run %s --live-out=total,least,most,level,line,bright --in img=%t.npy --in row=%t.line.npy --check --threads 1
# RUN: pm-run %s --live-out=bright --in img=%t.npy --in row=%t.line.npy --check --fp fast --threads 2
# RUN: pm-translate %s --live-out=total,least,most,level,line,bright --remarks=all -o %t.c 2>&1 | FileCheck %s
# RUN: pm-translate %s --live-out=bright --fp fast --remarks=all -o %t.c 2>&1 | FileCheck %s --check-prefix=FAST
R, C, N = Parameter(Int, "R"), Parameter(Int, "C"), Parameter(Int, "N")
img = Image(UChar, "img", [R, C])
row = Image(UShort, "row", [1, N])
x, y, v, n = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "v"), Variable(Int, "n")
rows, cols, levels, one = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 4), Interval(Int, 0, 0)

# CHECK-DAG: passed: this update of @total becomes 16 partial results, @total_part, of 1088 bytes
total = Reduction(([v], [one]), ([x, y], [rows, cols]), Int, "total")
total.defn = [Reduce(total(0), img(x, y), Sum)]
# CHECK-DAG: passed: this update of @least becomes
least = Reduction(([v], [one]), ([x, y], [rows, cols]), UChar, "least")
least.default = 200
least.defn = [Case(Condition(x + y, '>', 2), Reduce(least(0), img(x, y), Min))]
# CHECK-DAG: passed: this update of @most becomes
most = Reduction(([v], [one]), ([x, y], [rows, cols]), Float, "most")
most.defn = [Reduce(most(0), img(x, y) * 0.25, Max)]
# CHECK-DAG: passed: this update of @level becomes 16 partial results, @level_part, of 1184 bytes
# CHECK-DAG: passed: this update of @level becomes 16 partial results, @level_part_, of 1184 bytes
level = Reduction(([v], [levels]), ([x, y], [rows, cols]), UShort, "level")
level.defn = [Reduce(level(img(x, y) % 5), img(x, y), Sum),
              Reduce(level(Min(img(x, y), 4)), x - y, Or)]
# CHECK-DAG: missed: this update of @line has no partial results: it has too few points
line = Reduction(([v], [levels]), ([n], [Interval(Int, 0, N - 1)]), Long, "line")
line.defn = [Reduce(line(row(0, n) % 5), row(0, n), Sum)]
# Sums of floats only where their order may change.
# CHECK-DAG: missed: this update of @bright has no partial results: the order of its combinations matters for floats
# FAST: passed: this update of @bright becomes 16 partial results
bright = Reduction(([v], [one]), ([x, y], [rows, cols]), Double, "bright")
bright.defn = [Reduce(bright(0), img(x, y) * 0.1, Sum)]
