# The three spellings of the language give one pipeline.
# RUN: pm-translate %s --to=pmir -o %t.1
# RUN: pm-translate %S/Inputs/spelling-thesis.pm --to=pmir -o %t.2
# RUN: pm-translate %S/Inputs/spelling-module.py --to=pmir -o %t.3
# RUN: cmp %t.1 %t.2 && cmp %t.1 %t.3
# RUN: FileCheck %s < %t.1
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R + 2, C + 2])
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, cols = Interval(Int, 0, R + 1), Interval(Int, 0, C + 1)
inside = Condition(x, '>=', 1) & Condition(x, '<=', R) & Condition(y, '>=', 1) & Condition(y, '<=', C)

gx = Function(([x, y], [rows, cols]), Float, "gx")
gx.defn = [Case(inside, Stencil(img, 1.0 / 8, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]))]
out = Function(([x, y], [rows, cols]), UChar, "out")
out.defn = [Case(inside, gx(x, y) * 255), Case(Condition(x, '<', 1), 1)]

# CHECK:      stage.pipeline @out context #isl.set<"[R, C] -> {  : R + 2 >= 1 and C + 2 >= 1 }"> {
# CHECK-NEXT:   %R = stage.param @R : i32
# CHECK-NEXT:   %C = stage.param @C : i32
# CHECK-NEXT:   stage.input @img : f32 on #isl.set<"[R, C] -> { [i, j] : 0 <= i < R + 2 and 0 <= j < C + 2 }">
# CHECK-NEXT:   stage.func @gx : f32 on #isl.set<"[R, C] -> { [x, y] : 0 <= x <= R + 1 and 0 <= y <= C + 1 }"> {
# CHECK-NEXT:     stage.case(%x, %y) on #isl.set<"[R, C] -> { [x, y] : 0 < x <= R and 0 < y <= C }"> {
# CHECK-NEXT:       [[A:%.*]] = stage.read @img[%x - 1, %y - 1] : f32
# CHECK-NEXT:       [[MINUS:%.*]] = arith.constant -1.0 : f32
# CHECK-NEXT:       [[P:%.*]] = arith.mulf [[MINUS]], [[A]] : f32
# CHECK-NEXT:       [[B:%.*]] = stage.read @img[%x - 1, %y + 1] : f32
# CHECK-NEXT:       arith.addf [[P]], [[B]] : f32
# CHECK-COUNT-4:    stage.read @img
# CHECK:            [[SUM:%.*]] = arith.addf
# CHECK-NEXT:       [[FACTOR:%.*]] = arith.constant 0.125 : f32
# CHECK-NEXT:       [[G:%.*]] = arith.mulf [[FACTOR]], [[SUM]] : f32
# CHECK-NEXT:       stage.yield [[G]] : f32
# CHECK:        stage.func @out : u8
# CHECK:            arith.cast {{.*}} : (f32) -> u8
# CHECK:          stage.case(%x, %y) on #isl.set<"[R, C] -> { [x = 0, y] : R >= -1 and 0 <= y <= 1 + C }"> {
# CHECK-NEXT:       [[ONE:%.*]] = arith.constant 1 : u8
# CHECK-NEXT:       stage.yield [[ONE]] : u8
# CHECK:        stage.output @out
