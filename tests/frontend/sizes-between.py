# Sizes that work although larger ones do not: what is told is what does not work.
# RUN: pmc %s -o %t.c 2>&1 | FileCheck %s --check-prefix=WARNING
# RUN: FileCheck %s --check-prefix=HEADER < %t.h
# RUN: FileCheck %s --check-prefix=REASON < %t.c
# RUN: synth --rows 100 --cols 300 --type u8 -o %t.npy
# RUN: exits-with 1 pm-run %s --in img=%t.npy --check 2>&1 | FileCheck %s --check-prefix=REFUSED
# RUN: synth --rows 50 --cols 300 --type u8 -o %t.npy
# RUN: pm-run %s --in img=%t.npy --check 2>&1 | FileCheck %s --check-prefix=TAKEN
# WARNING: the index leaves the domain for some small sizes; the pipeline takes only those with R > 0 and C > 0, but not 65 <= R <= 127
# WARNING: the index leaves the domain for some small sizes; the pipeline takes only those with R > 0 and C > 0, but not {{6.* <= R <= 127 and not 6.* <= C <= 200|6.* <= C <= 200 and not 6.* <= R <= 127}}
# HEADER: requires R > 0 and C > 0, but not
# REASON: an argument is outside of what the function was made for: R > 0 and C > 0, but not
# REFUSED: pm-run: error: the parameters of @f should have R > 0 and C > 0, but not {{.*}}; they are R = 100, C = 300
# TAKEN: check: @f
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
f = Function(([x], [Interval(Int, 64, R - 1)]), UChar, "f")
f.defn = img(127, 0) + x
g = Function(([y], [Interval(Int, 64, C - 1)]), UChar, "g")
g.defn = img(0, 200) + y
