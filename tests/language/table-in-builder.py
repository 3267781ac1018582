# A table at top level is no pipeline: the function that builds one is still called. It is a constant, which does not leave.
# RUN: %python %lib/values.py %s img=u8:0,2,1,2 as-written f | FileCheck %s --match-full-lines
# RUN: pm-translate %s --to=pmir 2>unused | FileCheck %s --check-prefix=IR && FileCheck %s --check-prefix=UNUSED --input-file unused
# RUN: not pm-translate %s --to=pmir --live-out=lut 2>&1 | FileCheck %s --check-prefix=NAMED
# RUN: not pm-translate %s --to=pmir --range lut=0:3 2>&1 | FileCheck %s --check-prefix=RANGE
# CHECK: f: 30 20 10 20
# IR-NOT: stage.constant @spare
# IR: stage.constant @lut boundary clamp dense<3xu8: [30, 10, 20]>
# IR: stage.output @f
# IR-NOT: stage.output
# UNUSED: warning: the table spare is left out
# NAMED: 14:7: error: the table lut cannot leave the pipeline, a stage that reads it can
# RANGE: error: --range lut: no image is named 'lut', the program's images are 'img'
lut = Table(UChar, [30, 10, 20], boundary="clamp")
spare = Table(UChar, [1])


def build():
    N = Parameter(Int, "N")
    img = Image(UChar, "img", [N])
    x = Variable(Int, "x")
    f = Function(([x], [Interval(Int, 0, N - 1)]), UChar, "f")
    f.defn = lut(img(x))
    return f
