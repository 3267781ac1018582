R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Int, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
f = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Int, "f")


def build_guarded():
    f.defn = Select(Condition(x, '>', 0), img(x - 1, y), 0)
    buildPipeline([f], param_constraints=[Condition(R, '==', 4), Condition(C, '==', 2)])


def build_small():
    f.defn = Case(Condition(y, '<', C - 2), img(x, y + 2) + img(x, 3))
    buildPipeline([f], param_constraints=[Condition(R, '==', 4)])


def build_wrong():
    f.defn = img(x - 1, y)
    buildPipeline([f], param_constraints=[Condition(R, '==', 4)])
