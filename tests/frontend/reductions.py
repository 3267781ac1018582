# The spellings of a reduction give one pipeline.
# RUN: pm-translate %s --to=pmir -o %t.1
# RUN: pm-translate %S/Inputs/reduction-thesis.pm --to=pmir -o %t.2
# RUN: pm-translate %S/Inputs/reduction-module.py --to=pmir -o %t.3
# RUN: cmp %t.1 %t.2 && cmp %t.1 %t.3
# RUN: FileCheck %s < %t.1
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y, v = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "v")
rows, cols, bins = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 255)

hist = Reduction(([v], [bins]), ([x, y], [rows, cols]), Int, "hist")
hist.default = 1
hist.defn = [Reduce(hist(img(x, y)), 2, Op.Sum),
             Case(Condition(x, '>', 3) & Condition(img(x, y), '<', 9), Reduce(hist(y % 256), x, Op.Max))]

# CHECK:      stage.func @hist : i32 on #isl.set<"[R, C] -> { [v] : 0 <= v <= 255 }"> default 1 : i32 {
# CHECK-NEXT:   stage.update(%x, %y) on #isl.set<"[R, C] -> { [x, y] : 0 <= x <= R - 1 and 0 <= y <= C - 1 }"> {
# CHECK-NEXT:     [[ONE:%.*]] = arith.constant 2 : i32
# CHECK-NEXT:     [[AT:%.*]] = stage.read @img[%x, %y] : u8
# CHECK-NEXT:     stage.combine sum, [[ONE]] into {{\[}}[[AT]]] : i32
# CHECK-NEXT:   }
# CHECK-NEXT:   stage.update(%x, %y) on #isl.set<"[R, C] -> { [x, y] : 4 <= x < R and 0 <= y < C }"> {
# CHECK:          [[LESS:%.*]] = arith.cmp lt
# CHECK-NEXT:     stage.guard [[LESS]] : i1
# CHECK-NEXT:     [[X:%.*]] = arith.cast %x : (index) -> i32
# CHECK-NEXT:     stage.combine max, [[X]] into [%y mod 256] : i32
