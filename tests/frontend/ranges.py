# The declared range of an image bounds the indices that come from its elements. One outside counts as the nearest end.
# RUN: rm -rf %t && mkdir %t && printf '0.0 0.26 0.5 1.0 7.5 -3.0 nan inf' | tr ' ' '\n' > %t/values
# RUN: %python -c "import numpy as np; np.save('%t/img.npy', np.loadtxt('%t/values', dtype='f4')); np.save('%t/raw.npy', np.array([0, 1, 2, 3, 255], 'u1'))"
# RUN: run-all-ways %s --range img=0:1 --range raw=0:3 --in img=%t/img.npy --in raw=%t/raw.npy --out coarse=%t/coarse.npy --out count=%t/count.npy
# RUN: npy-stats %t/coarse.npy 0 1 2 3 4 5 6 7 | FileCheck %s --check-prefix=COARSE
# RUN: npy-stats %t/count.npy 0 1 2 3 | FileCheck %s --check-prefix=COUNT
# RUN: exits-with 1 pmc %s --range raw=0:3 -o %t/x.c 2>&1 | FileCheck %s --check-prefix=UNBOUNDED
# RUN: exits-with 1 pmc %s --range img=0:1 --range raw=0:4 -o %t/x.c 2>&1 | FileCheck %s --check-prefix=OUTSIDE
# RUN: exits-with 1 pmc %s --range image=0:1 -o %t/x.c 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# RUN: exits-with 1 pmc %s --range raw=0:256 -o %t/x.c 2>&1 | FileCheck %s --check-prefix=TYPE
# RUN: exits-with 1 pmc %s --range raw=0.5:3 -o %t/x.c 2>&1 | FileCheck %s --check-prefix=WHOLE
# RUN: exits-with 2 pmc %s --range img=1:0 -o %t/x.c 2>&1 | FileCheck %s --check-prefix=ORDER
# RUN: exits-with 2 pmc %s --range img=0 -o %t/x.c 2>&1 | FileCheck %s --check-prefix=ORDER
# The numbers of boundaries are in the range as numbers of the type: 257 is 1 and -1 is 255.
# RUN: pm-translate --to=pmir %S/Inputs/ranges-boundary.py --range a=2:10 --range b=2:10 --range c=0:1e19 | FileCheck %s --check-prefix=NUMBERS
# NUMBERS: stage.input @a {{.*}}constant(1 : u8)
# NUMBERS: stage.input @b {{.*}}constant(255 : u8)
# NUMBERS: %[[LOW:.*]] = arith.constant 1 : u8
# NUMBERS-NEXT: %[[HIGH:.*]] = arith.constant 10 : u8
# NUMBERS-NEXT: arith.maxi {{.*}}, %[[LOW]] : u8
# NUMBERS-NEXT: arith.mini {{.*}}, %[[HIGH]] : u8
# NUMBERS: arith.constant 2 : u8
# NUMBERS-NEXT: arith.constant 255 : u8
# NUMBERS: arith.constant 0 : u64
# NUMBERS-NEXT: arith.constant 10000000000000000000 : u64
# COARSE: [0] 0
# COARSE-NEXT: [1] 26
# COARSE-NEXT: [2] 50
# COARSE-NEXT: [3] 100
# COARSE-NEXT: [4] 100
# COARSE-NEXT: [5] 0
# COARSE-NEXT: [6] 0
# COARSE-NEXT: [7] 100
# COUNT: [0] 1
# COUNT-NEXT: [1] 1
# COUNT-NEXT: [2] 1
# COUNT-NEXT: [3] 2
N, M = Parameter(Int, "N"), Parameter(Int, "M")
# TYPE: ranges.py:[[@LINE+2]]:[[#]]: error: the range of raw is declared as 0:256, it should be of values of UChar
# WHOLE: ranges.py:[[@LINE+1]]:[[#]]: error: the range of raw is declared as 0.5:3, it should be of values of UChar
img, raw = Image(Float, "img", [N]), Image(UChar, "raw", [M])
# UNKNOWN: error: --range image: no image is named 'image', the program's images are {{.*}}'img'
# ORDER: --range 'img={{.*}}' is not IMAGE=LOW:HIGH with two numbers, the lower first
x, v = Variable(Int, "x"), Variable(Int, "v")

percent = Function(([v], [Interval(Int, 0, 100)]), Int, "percent")
percent.defn = v
coarse = Function(([x], [Interval(Int, 0, N-1)]), Int, "coarse")
# UNBOUNDED: ranges.py:[[@LINE+1]]:[[#]]: error: percent is read at a computed index without bounds, but it should stay inside the domain: clamp it, Min(Max(index, 0), 100), or declare what img contains, --range img=0:1
coarse.defn = percent(Cast(Int, img(x) * 100))

count = Reduction(([v], [Interval(Int, 0, 3)]), ([x], [Interval(Int, 0, M-1)]), Int, "count")
# OUTSIDE: ranges.py:[[@LINE+1]]:[[#]]: error: count(4) may be updated at a computed index,
count.defn = Reduce(count(raw(x)), 1, Sum)
