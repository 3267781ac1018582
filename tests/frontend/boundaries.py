# What reads give outside, stated once of an image or a stage.
# RUN: rm -rf %t && mkdir %t
# RUN: %python -c "import numpy as np; np.save('%t/img.npy', np.arange(12, dtype='f4').reshape(3, 4)); np.save('%t/one.npy', np.full((1, 1), 5, 'f4')); np.save('%t/raw.npy', np.array([0, 1, 2, 3, 3], 'u1'))"
# RUN: pm-run %s --in img=%t/img.npy --in mask=%t/img.npy --in raw=%t/raw.npy --check --fp strict --strategy all --tile 2x3
# RUN: pm-run %s --in img=%t/one.npy --in mask=%t/one.npy --in raw=%t/raw.npy --check --fp strict
# RUN: pm-run %s --in img=%t/img.npy --in mask=%t/img.npy --in raw=%t/raw.npy --range raw=0:3 --live-out wide,last,marks,steps,sums --check --fp strict --out wide=%t/wide.npy --out marks=%t/marks.npy --out steps=%t/steps.npy --out sums=%t/sums.npy
# RUN: %python -c "import numpy as np; a = np.arange(12, dtype='f4').reshape(3, 4); p = np.pad(a, ((7, 7), (0, 0)), 'symmetric'); m = np.pad(a, ((1, 1), (1, 1)), 'edge'); m[:, [0, -1]] = 9; assert (np.load('%t/wide.npy') == p[:3] + p[-3:] + m[2:, :-2]).all()"
# RUN: %python -c "import numpy as np; p = lambda v: np.pad(v, 2, 'edge'); v = np.array([0, 1, 2, 3, 3], 'i4'); f = lambda v: p(v)[:-4] + p(v)[4:]; assert (np.load('%t/steps.npy') == f(f(f(v)))).all()"
# RUN: %python -c "import numpy as np; assert list(np.load('%t/marks.npy')) == [0, 1, 2, 3, 3, 200] and list(np.load('%t/sums.npy')) == [0, 1, 3, 7, 13]"
# RUN: pm-translate %s --to=pmir | FileCheck %s --check-prefix=IR
# IR: stage.input @img : f32 boundary mirror on
# IR: stage.input @mask : f32 boundary [clamp,
# IR-SAME: constant(9.0 : f32)]
# IR: stage.read @img[%x - 7, %y] : f32
# IR: stage.read @wide[%x + 1, %y + 3] boundary repeat : f32
R, C, N = Parameter(Int, "R"), Parameter(Int, "C"), Parameter(Int, "N")
img = Image(Float, "img", [R, C], boundary="mirror")
mask = Image(Float, "mask", [R, C], boundary=["clamp", 9])
raw = Image(UChar, "raw", [N], boundary=200)
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, cols = Interval(Int, 0, R-1), Interval(Int, 0, C-1)

wide = Function(([x, y], [rows, cols]), Float, "wide", boundary="repeat")
wide.defn = img(x - 7, y) + img(x + 7, y) + mask(x + 1, y - 1)
around = Function(([x, y], [rows, cols]), Float, "around")
around.boundary = ("mirror101", "clamp")
around.defn = wide(x + 1, y + 3)
last = Function(([x, y], [rows, cols]), Float, "last")
last.defn = Stencil(around(x, y), 1, [[1, 2, 1], [1, 0, 1]])

# The numbers of a boundary count beside a declared range.
marks = Function(([x], [Interval(Int, 0, N)]), Int, "marks")
marks.defn = raw(x)

# The steps of a TStencil stand for its input, whose boundary they have; so no point keeps its value.
seed = Function(([x], [Interval(Int, 0, N-1)]), Int, "seed", boundary="clamp")
seed.defn = raw(x)
steps = TStencil(([x], [Interval(Int, 0, N-1)]), Int, "steps", 3)
steps.defn = Stencil(seed, [x], [1, 0, 0, 0, 1])

# A recurrence needs no case for its start.
sums = Function(([x], [Interval(Int, 0, N-1)]), Int, "sums", boundary=0)
sums.defn = sums(x - 1) + sums(x - 2) + raw(x)
