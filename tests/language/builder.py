# A function builds the pipeline: its dictionaries accept any key, --const fills what is not set, what it returns leaves.
# RUN: %python %lib/values.py %s img=i32:1,2,3,4 --const=L=2 as-written level_2 level_1 | FileCheck %s --match-full-lines
# CHECK: level_2: 25
# CHECK-NEXT: level_1: 8 12


def halves(pipe_data, app_data = None, bias = 5):
    N = Parameter(Int, "N")
    pipe_data['N'] = N
    pipe_data['sizes']['rows'] = N
    img = Image(Int, "img", [pipe_data['N']])
    x = Variable(Int, "x")
    level = {0: img}
    for l in range(1, pipe_data['L'] + 1):
        level[l] = Function(([x], [Interval(Int, 0, N / (1 << l) - 1)]), Int, "level_" + str(l))
        level[l].defn = level[l - 1](2 * x) + level[l - 1](2 * x + 1) + bias
    return [level[2], level[1]]
