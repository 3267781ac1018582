# Pictures of other sizes and channels than the program's images, and numbers that its type does not hold.
# RUN: exits-with 1 pm-run %s --in img=%data/scene-rgb.png --in mask=%data/scene.png --check 2>&1 | FileCheck %s --check-prefix=CHANNELS
# RUN: printf '1 2 3\n4 5 6\n' > %t.small.txt
# RUN: exits-with 1 pm-run %s --in img=%data/scene.png --in mask=%t.small.txt --check 2>&1 | FileCheck %s --check-prefix=SIZES
# RUN: exits-with 1 pm-run %s --in img=%data/scene.png --in mask=%data/scene.png --param R=9 --check 2>&1 | FileCheck %s --check-prefix=PARAM
# RUN: printf '1 2 3\n4 500 6\n' > %t.large.txt
# RUN: exits-with 1 pm-run %s --in img=%t.small.txt --in mask=%t.large.txt --check 2>&1 | FileCheck %s --check-prefix=VALUE
# RUN: exits-with 1 pm-run %s --in img=%t.none.png --in mask=%t.large.txt --check 2>&1 | FileCheck %s --check-prefix=NONE
# RUN: printf '1 2\n' > %t.thin.txt && exits-with 1 pm-run %s --in img=%t.thin.txt --in mask=%t.thin.txt --check 2>&1 | FileCheck %s --check-prefix=THIN
# CHANNELS: pm-run: error: '{{.*}}scene-rgb.png' has 3 channels, but @img is R rows by C columns; give --gray
# SIZES: pm-run: error: '{{.*}}small.txt' is 2 rows by 3 columns, but @mask is R rows by C columns, with R = 240, C = 320
# PARAM: pm-run: error: '{{.*}}scene.png' is 240 rows by 320 columns, but @img is R rows by C columns, with R = 9
# VALUE: large.txt:2:3: '500' is not a value of type u8
# NONE: pm-run: error: cannot open '{{.*}}none.png': No such file or directory
# THIN: pm-run: error: the parameters of @g should have {{.*}}; they are R = 1, C = 2
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img, mask = Image(Float, "img", [R, C]), Image(UChar, "mask", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
g = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "g")
g.defn = img(x, y) * mask(x, y) + img(1, 0)
