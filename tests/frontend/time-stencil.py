# A TStencil is a chain of stages; those ahead of the last cover the input, and the last reads their ghosts.
# RUN: pm-translate %s --to=pmir | FileCheck %s
N = Parameter(Int, "N")
I = Image(Float, "I", [N])
x = Variable(Int, "x")
f = TStencil(([x], [Interval(Int, 2, N - 1)]), Float, "f", 2)
f.defn = Stencil(I, [x], [1, 0, 1]) - I(x)

# CHECK:      stage.func @f : f32 on #isl.set<"[N] -> { [x] : 2 <= x <= N - 1 }"> {
# CHECK-NEXT:   stage.case(%x) on #isl.set<"[N] -> { [x] : 2 <= x <= -2 + N }"> {
# CHECK-NEXT:     stage.read @f_t1[%x - 1] : f32
# CHECK-NEXT:     stage.read @f_t1[%x + 1] : f32
# CHECK:          stage.read @f_t1[%x] : f32
# CHECK:        stage.case(%x) on
# CHECK-NEXT:     [[KEPT:%.*]] = stage.read @f_t1[%x] : f32
# CHECK-NEXT:     stage.yield [[KEPT]] : f32
# CHECK:      stage.func @f_t1 : f32 on #isl.set<"[N] -> { [x] : 0 <= x < N }"> {
# CHECK-NEXT:   stage.case(%x) on #isl.set<"[N] -> { [x] : 2 <= x <= -2 + N }"> {
# CHECK-NEXT:     stage.read @I[%x - 1] : f32
# CHECK:        stage.case(%x) on
# CHECK-NEXT:     [[KEPT:%.*]] = stage.read @I[%x] : f32
# CHECK-NEXT:     stage.yield [[KEPT]] : f32
# CHECK:      stage.output @f
