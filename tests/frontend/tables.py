# Tables looked up by floats with a declared range, and by way of other tables without one: what these hold is known.
# RUN: rm -rf %t && mkdir %t && printf '0.0 0.26 0.5 1.0 7.5 -3.0 nan inf' | tr ' ' '\n' > %t/values
# RUN: %python -c "import numpy as np; np.save('%t/img.npy', np.loadtxt('%t/values', dtype='f4')); np.save('%t/raw.npy', np.arange(256, dtype='u1'))"
# RUN: run-all-ways %s --range img=0:1 --in img=%t/img.npy --in raw=%t/raw.npy --threads 2 --out tone=%t/tone.npy --out twice=%t/twice.npy --out total=%t/total.npy
# RUN: npy-stats %t/tone.npy 0 1 2 3 4 5 6 7 | FileCheck %s --check-prefix=TONE
# RUN: npy-stats %t/twice.npy 0 1 2 255 | FileCheck %s --check-prefix=TWICE
# RUN: npy-stats %t/total.npy 0 7 | FileCheck %s --check-prefix=TOTAL
# RUN: exits-with 1 pmc %s -o %t/x.c 2>&1 | FileCheck %s --check-prefix=UNBOUNDED
# RUN: exits-with 1 pmc %s --range img=0:1.01 -o %t/x.c 2>&1 | FileCheck %s --check-prefix=OUTSIDE
# TONE: [0] 0
# TONE-NEXT: [1] 676
# TONE-NEXT: [2] 2500
# TONE-NEXT: [3] 10000
# TONE-NEXT: [4] 10000
# TONE-NEXT: [5] 0
# TONE-NEXT: [6] 0
# TONE-NEXT: [7] 10000
# TWICE: [0] 65535
# TWICE-NEXT: [1] 65434
# TWICE-NEXT: [2] 65333
# TWICE-NEXT: [255] 65480
# TOTAL: [0] 350
# TOTAL-NEXT: [7] 2300
N, M = Parameter(Int, "N"), Parameter(Int, "M")
img, raw = Image(Float, "img", [N]), Image(UChar, "raw", [M])
x, v = Variable(Int, "x"), Variable(Int, "v")

squares = Table(UInt, "squares", [k * k for k in range(101)])
tone = Function(([x], [Interval(Int, 0, N - 1)]), UInt, "tone")
# OUTSIDE: tables.py:[[@LINE+2]]:[[#]]: error: squares(101) may be read at a computed index
# UNBOUNDED: tables.py:[[@LINE+1]]:[[#]]: error: squares is read at a computed index without bounds, but it should stay inside the domain: clamp it, Min(Max(index, 0), 100), or declare what img contains, --range img=0:1
tone.defn = squares(Cast(Int, img(x) * 100))

scrambled = Table(UShort, "scrambled", [k * 101 % 65536 % 257 * 255 for k in range(256)])
mirrored = Table(UShort, "mirrored", range(65535, -1, -1))
twice = Function(([x], [Interval(Int, 0, M - 1)]), UShort, "twice")
twice.defn = mirrored(scrambled(raw(x)) / 255)

groups = Table(UChar, "groups", [[0, 1, 2, 3], [4, 5, 6, 7]])
total = Reduction(([v], [Interval(Int, 0, 7)]), ([x], [Interval(Int, 0, M - 1)]), UInt, "total")
total.defn = Reduce(total(groups(raw(x) / 128, raw(x) & 3)), Cast(UInt, raw(x)) / 100 * 50, Sum)
