# A table at top level is no pipeline: the function that builds one is still called. It leaves only when that is said.
# RUN: %python %lib/values.py %s img=u8:0,2,1,2 as-written f | FileCheck %s --match-full-lines
# RUN: pm-translate %s --to=pmir | FileCheck %s --check-prefix=OUTPUTS
# RUN: pm-translate %s --to=pmir --live-out=lut | FileCheck %s --check-prefix=NAMED
# CHECK: f: 30 20 10 20
# OUTPUTS: stage.output @f
# OUTPUTS-NOT: stage.output
# NAMED: stage.output @lut
lut = Table(UChar, [30, 10, 20], boundary="clamp")
spare = Table(UChar, [1])


def build():
    N = Parameter(Int, "N")
    img = Image(UChar, "img", [N])
    x = Variable(Int, "x")
    f = Function(([x], [Interval(Int, 0, N - 1)]), UChar, "f")
    f.defn = lut(img(x))
    return f
