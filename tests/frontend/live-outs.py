# What leaves the pipeline: what the function returns, or what --live-out says; the pipeline has the name of the first.
# RUN: pm-translate %s --to=pmir --const=L=3 2>&1 | FileCheck %s --implicit-check-not=warning
# RUN: pm-translate %s --to=pmir --const=L=3 --live-out=a_1 2>&1 | FileCheck %s --check-prefix=ONE
# RUN: exits-with 1 pm-translate %s --to=pmir --const=L=3 --live-out=b_1 2>&1 | FileCheck %s --check-prefix=WRONG
# RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --check-prefix=UNSET --implicit-check-not=error:
# CHECK: stage.pipeline @a_2
# CHECK: stage.input @unused
# CHECK: stage.output @a_2
# CHECK-NEXT: stage.output @a_0
# ONE: live-outs.py:[[#]]:[[#]]: warning: the stage a_2 is left out, no stage that leaves the pipeline needs it
# ONE: stage.pipeline @a_1
# ONE: stage.output @a_1
# ONE-NOT: stage.output
# WRONG: error: --live-out b_1: no stage is named 'b_1', 'a_{{[01]}}' is the nearest name
# UNSET: error: 'app_data["L"]' has no value, --const app_data.L=<value> should give it


def helper(f, x, domain, name):
    g = Function(domain, Int, name)
    g.defn = f(x) + 1
    return g


def build(app_data):
    L = app_data['L'] + 0
    R = Parameter(Int, "R")
    img = Image(Int, "img", [R])
    unused = Image(Int, "unused", [R])
    x = Variable(Int, "x")
    a = [img]
    for i in range(L):
        a.append(helper(a[-1], x, ([x], [Interval(Int, 0, R - 1)]), "a_" + str(i)))
    return a[L], a[1]
