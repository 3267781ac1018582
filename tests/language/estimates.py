# What a parameter usually is: no part of what is computed. What buildPipeline is given counts.
# RUN: pm-translate %s --to=pmir --remarks -o %t.pmir 2>&1 | FileCheck %s --check-prefix=LEFT
# LEFT: remark: [polymage] missed: an estimate is left out: 'app_data["rows"]' has no value
# RUN: FileCheck %s --check-prefix=IR < %t.pmir
# IR: %R = stage.param @R : i32 {estimate = 2560 : i64}
# IR-NEXT: %C = stage.param @C : i32{{$}}
# IR-NEXT: %k = stage.param @k : i16 {estimate = -3 : i64}
# IR-NEXT: %N = stage.param @N : i64 {estimate = 2 : i64}
# RUN: pm-translate %s --to=pmir --const app_data.rows=98 | FileCheck %s --check-prefix=CONST
# CONST: %C = stage.param @C : i32 {estimate = 100 : i64}
# RUN: %python %lib/values.py %s img=i32:1,2,3 R=3 C=1 k=5 N=0 f | FileCheck %s --match-full-lines
# CHECK: f: 6
# CHECK-NEXT: f: 7
# CHECK-NEXT: f: 8
def build(app_data):
    R, C = Parameter(Int, "R", estimate=2560), Parameter(Int, "C")
    k = Parameter(Short, "k", estimate=-3)
    N = Parameter(Long, estimate=1)
    img = Image(Int, "img", [R])
    x, y = Variable(Int, "x"), Variable(Int, "y")
    f = Function(([x, y], [Interval(0, R - 1), Interval(0, C - 1)]), Int, "f")
    f.defn = img(x) + k + N
    buildPipeline([f], param_estimates=[(C, app_data['rows'] + 2), (N, 2)])
