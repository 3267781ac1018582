# Names: the given one, else that of the variable an object is first assigned to; unique, and words of neither C nor isl.
# RUN: pm-translate %s --to=pmir 2>&1 | FileCheck %s
# CHECK:      stage.pipeline @same
# CHECK-NEXT:   stage.param @rows : i32
rows = Parameter(Int)
# CHECK-NEXT:   stage.param @float_ : f32
float = Parameter(Float)
# CHECK-NEXT:   stage.input @s_3d_image : f32 on #isl.set<"[rows] -> { [i] : 0 <= i < rows }">
img = Image(Float, "3d-image", [rows])
# A variable gives way to a parameter of its name, and two variables of one name to each other.
x = Variable(Int, "rows")
y, z = Variable(Int, "v"), Variable(Int, "v")
all = Interval(0, rows - 1)
level = {0: img}
# CHECK-NEXT:   stage.func @level_1 : f32 on #isl.set<"[rows] -> { [rows_1] : 0 <= rows_1 <= rows - 1 }"> {
# CHECK-NEXT:     stage.case(%rows_1) on
# CHECK:        stage.func @level_2 : f32
for l in range(1, 3):
    level[l] = Function(([x], [all]), Float)
    level[l].defn = level[l - 1](x) * 2
# CHECK:        stage.func @same_1 : f32 on #isl.set<"[rows] -> { [v, v_1] : 0 <= v <= rows - 1 and 0 <= v_1 <= rows - 1 }"> {
same = Function(([y, z], [all, all]), Float)
same.defn = level[2](y)
# CHECK:        stage.func @same : f32
other = Function(([x], [all]), Float, "same")
other.defn = same(x, x)
# CHECK:        stage.func @pair_0 : f32
# CHECK:        stage.func @pair_1 : f32
pair = [Function(([x], [all]), Float), Function(([x], [all]), Float)]
pair[0].defn = float
pair[1].defn = pair[0](x)
# CHECK:        stage.func @f : f32
# CHECK:        stage.func @f_1 : f32


def twice(g):
    f = Function(([x], [all]), Float)
    f.defn = g(x) * 2
    return f


last = twice(twice(pair[1]))
# CHECK:        stage.output @same
# CHECK-NEXT:   stage.output @f_1
