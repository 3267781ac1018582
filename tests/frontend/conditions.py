# Affine conjuncts cut the case's set; the others are tested at each point, before the value is computed.
# RUN: pm-translate %s --to=pmir | FileCheck %s
R = Parameter(Int, "R")
t = Parameter(Float, "t")
img = Image(UChar, "img", [R, R])
x, y = Variable(Int, "x"), Variable(Int, "y")
all = Interval(Int, 0, R - 1)


def stage(name, cases):
    f = Function(([x, y], [all, all]), UChar, name)
    f.defn = cases
    return f


# CHECK-LABEL: stage.func @parity
# CHECK: stage.case(%x, %y) on #isl.set<"[R] -> { [x, y] : (x) mod 2 = 0 and 0 <= x < R and 0 <= y < R }"> {
# CHECK: stage.case(%x, %y) on #isl.set<"[R] -> { [x, y] : (1 + x) mod 2 = 0 and 0 <= x < R and 0 <= y < R }"> {
stage("parity", [Case(Condition(x % 2, '==', 0), 1), Case(Condition(x % 2, '!=', 0), 2)])

# CHECK-LABEL: stage.func @either
# CHECK: stage.case(%x, %y) on #isl.set<"[R] -> { [x, y] : {{.*(x <= 4|y <= 2).* or .*(x <= 4|y <= 2).*}} }"> {
# CHECK-NOT: stage.guard
stage("either", [Case(Condition(x, '<', 5) | Condition(y, '<', 3), 1)])

# CHECK-LABEL: stage.func @mixed
# CHECK: stage.case(%x, %y) on #isl.set<"[R] -> { [x, y] : 4 <= x < R and 0 <= y < R }"> {
# CHECK-NEXT: [[PIXEL:%.*]] = stage.read @img[%x, %y] : u8
# CHECK: [[WIDE:%.*]] = arith.cast [[PIXEL]] : (u8) -> f32
# CHECK-NEXT: [[BRIGHT:%.*]] = arith.cmp gt, [[WIDE]], %t : f32
# CHECK-NEXT: stage.guard [[BRIGHT]] : i1
# CHECK-NEXT: stage.read @img[%x - 4, %y] : u8
stage("mixed", [Case(Condition(x, '>', 3) & Condition(img(x, y), '>', t), img(x - 4, y))])

# A product of variables is not affine; neither is a parameter that is not an integer.
# CHECK-LABEL: stage.func @product
# CHECK: stage.case(%x, %y) on #isl.set<"[R] -> { [x, y] : 0 <= x <= R - 1 and 0 <= y <= R - 1 }"> {
# CHECK: arith.muli
# CHECK: stage.guard
# CHECK: stage.guard
stage("product", [Case(Condition(x * y, '<', 10) & Condition(t, '>', 1), 1)])

# CHECK-LABEL: stage.func @half
# CHECK: stage.case(%x, %y) on #isl.set<"[R] -> { [x, y] : {{.*}}2y <= x{{.*}} }"> {
stage("half", [Case(Condition(x / 2, '>=', y), 1)])

# Every second row.
# CHECK: stage.func @steps : u8 on #isl.set<"[R] -> { [x, y] : 1 <= x <= R - 1 and (x - (1)) mod 2 = 0 and 0 <= y <= R - 1 }"> {
steps = Function(([x, y], [Interval(Int, 1, R - 1, 2), all]), UChar, "steps")
steps.defn = 1
