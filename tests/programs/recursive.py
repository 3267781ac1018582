# A recursive filter along rows, forward and backward, a transpose, the same again: both passes of a direction go through
# strips of rows, of which eight take turns.
# RUN: %if gcc %{ %python %lib/schedules.py %s --live-out=back2,sums --sizes R=1,C=1 R=9,C=19 R=20,C=3 --tiles 4x8 %}
# RUN: %if long %{ %python %lib/schedules.py %s --live-out=back2,sums --sizes R=1,C=1 R=9,C=19 R=20,C=3 --tiles 4x8 --long %}
# RUN: rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for s in '1 1' '1 9' '9 1' '8 40' '45 131'; do set -- $s; synth --rows $1 --cols $2 --type f32 -o %t.npy && pm-run %s --estimate R=40 --estimate C=300 --live-out=back2,sums --in img=%t.npy --check --fp strict --threads 3 || exit 1; done
# RUN: pm-translate %s --live-out=back2,sums --to=c --machine=%lib/machines/slow-memory.json -o - | FileCheck %s
# CHECK: #pragma omp parallel for
# CHECK: fore1[(i3_begin - i0 * [[ROWS:[0-9]+]] + 7)
# CHECK-NOT: #pragma omp parallel for
# CHECK: back1_backward[(i3_begin + 7)
# CHECK: #pragma omp parallel for
# CHECK: fore2[(i3_begin - i0 * [[MORE:[0-9]+]] + 7)
# CHECK-NOT: #pragma omp parallel for
# CHECK: back2_backward[(i3_begin - i0 * [[MORE]] + 7)
# CHECK: #pragma omp parallel for
# CHECK: sums[
R, C = Parameter(Int, "R"), Parameter(Int, "C")
x, y = Variable(Int, "x"), Variable(Int, "y")
img = Image(Float, "img", [R, C])


def both_ways(f, rows, cols, n):
    domain = ([x, y], [Interval(Int, 0, rows - 1), Interval(Int, 0, cols - 1)])
    fore = Function(domain, Float, "fore" + str(n))
    fore.defn = [Case(y == 0, f(x, y)), Case(y >= 1, 0.75 * f(x, y) + 0.25 * fore(x, y - 1))]
    back = Function(domain, Float, "back" + str(n))
    back.defn = [Case(y == cols - 1, fore(x, y)), Case(y <= cols - 2, 0.75 * fore(x, y) + 0.25 * back(x, y + 1))]
    return back


along = both_ways(img, R, C, 1)
turned = Function(([x, y], [Interval(Int, 0, C - 1), Interval(Int, 0, R - 1)]), Float, "turned")
turned.defn = [along(y, x)]
down = both_ways(turned, C, R, 2)
sums = Function(([x, y], [Interval(Int, 0, C - 1), Interval(Int, 0, R - 1)]), Float, "sums")
sums.defn = [Case((x == 0) & (y == 0), down(x, y)), Case((x == 0) & (y >= 1), down(x, y) + sums(x, y - 1)),
             Case((x >= 1) & (y == 0), down(x, y) + sums(x - 1, y)),
             Case((x >= 1) & (y >= 1), down(x, y) + sums(x - 1, y) + sums(x, y - 1) - sums(x - 1, y - 1))]
