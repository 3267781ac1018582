# Names on the command line that the program does not have: of parameters, pictures, stages, functions and constants.
# RUN: exits-with 1 pm-run %s --in img=%data/scene.png --param amout=1 --check 2>&1 | FileCheck %s --check-prefix=PARAM
# RUN: exits-with 1 pm-run %s --in img=%data/scene.png --check 2>&1 | FileCheck %s --check-prefix=VALUE
# RUN: exits-with 1 pm-run %s --in img=%data/scene.png --param amount=much --check 2>&1 | FileCheck %s --check-prefix=NUMBER
# RUN: exits-with 1 pm-run %s --in image=%data/scene.png --param amount=1 --check 2>&1 | FileCheck %s --check-prefix=IN
# RUN: exits-with 1 pm-run %s --param amount=1 --check 2>&1 | FileCheck %s --check-prefix=FILE
# RUN: exits-with 1 pm-run %s --in img=%data/scene.png --param amount=1 --out f=%t.png 2>&1 | FileCheck %s --check-prefix=OUT
# RUN: exits-with 1 pm-run %s --in img=%data/scene.png --param amount=1 --out g=%t.webp 2>&1 | FileCheck %s --check-prefix=END
# RUN: exits-with 1 pmc %s -o %t.c --live-out f 2>&1 | FileCheck %s --check-prefix=LIVE
# RUN: exits-with 1 pmc %s -o %t.c --function build 2>&1 | FileCheck %s --check-prefix=BUILD
# RUN: exits-with 1 pmc %s -o %t.c --range image=0:1 2>&1 | FileCheck %s --check-prefix=RANGE
# RUN: pmc %s -o %t.c --const L=4 --const R=9 2>&1 | FileCheck %s --check-prefix=CONST
# PARAM: pm-run: error: --param amout: @g has no such parameter; it has R, C, amount
# VALUE: pm-run: error: parameter amount (f32) has no value; give --param amount=NUMBER
# NUMBER: pm-run: error: --param amount=much: not a value of type f32
# IN: pm-run: error: --in image: there is no input @image, but @img
# FILE: pm-run: error: input @img has no file; give --in img=FILE
# OUT: pm-run: error: --out f: there is no output @f, but @g
# END: its name ends in none of .png, .pgm, .ppm, .pnm, .pfm, .tif, .tiff, .jpg, .jpeg, .exr, .npy, .txt and .csv
# LIVE: call-names.py: error: --live-out f: no stage is named 'f', 'g' is the nearest name
# BUILD: call-names.py: error: --function build: no function is named 'build', it should be one at the program's top level
# RANGE: call-names.py: error: --range image: no image is named 'image', the program's images are 'img'
# CONST: call-names.py: warning: --const L has no effect, the program does not ask for that name
# CONST: call-names.py: warning: --const R has no effect, the program sets R itself, as a parameter: a call gives its value
R, C = Parameter(Int, "R"), Parameter(Int, "C")
amount = Parameter(Float, "amount")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
g = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "g")
g.defn = img(x, y) * amount
