# Names that callers use, and that C or isl would not accept, are changed with a warning; names inside are without.
# RUN: pmc %s -o %t.c 2>&1 | FileCheck %s --implicit-check-not=warning: --check-prefix=CHECK
# RUN: pmc %s -o %t.c --name=a-b 2>&1 | FileCheck %s --implicit-check-not=warning: --check-prefixes=NAME,CHECK
# RUN: pmc %s -o %t.c --name=printf 2>&1 | FileCheck %s --implicit-check-not=warning: --check-prefixes=CHECK,PRINTF
# RUN: pmc %s -o %t.c --remarks=all 2>&1 | grep '\[c\]' | FileCheck %s --check-prefix=REMARK
# REMARK: names-changed.py:[[#@LINE+1]]:7: remark: [c] analysis: the argument new is named new_: 'new' has a meaning in C already
new = Parameter(Int, "new")
# CHECK: names-changed.py:[[#@LINE+1]]:9: warning: the parameter float is named float_ for callers: 'float' is a word of C or isl
float = Parameter(Float)
# CHECK: names-changed.py:[[#@LINE+1]]:7: warning: the image 3d-image is named s_3d_image for callers: '3d-image' does not begin with a letter
img = Image(Float, "3d-image", [new])
x = Variable(Int, "x")
inner = Function(([x], [Interval(Int, 0, new - 1)]), Float, "while")
inner.defn = img(x) * float
# CHECK: names-changed.py:[[#@LINE+1]]:5: warning: the stage bl ur is named bl_ur for callers: 'bl ur' has more than letters, digits and _
f = Function(([x], [Interval(Int, 0, new - 1)]), Float, "bl ur")
f.defn = inner(x) + 1
# PRINTF: names-changed.py: warning: the function is named printf_: 'printf' has a meaning in C already
# NAME: names-changed.py: warning: the function is named a_b: 'a-b' has more than letters, digits and _
