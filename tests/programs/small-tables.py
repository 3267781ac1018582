# Look-ups in small tables, which vector loops make by selects: every type, indices of every kind, runs of equal values.
# RUN: synth --rows 21 --cols 130 --type u8 -o %t.img.npy
# RUN: synth --rows 21 --cols 130 --type u16 -o %t.wide.npy
# RUN: %if !long %{ env PM_TEST_OPENCL= %} run-all-ways %s --in img=%t.img.npy --in wide=%t.wide.npy
# RUN: pmc %s --estimate=C=200 --machine=%lib/machines/slow-memory.json --remarks=all -o %t.c 2>&1 | FileCheck %s
# RUN: FileCheck %s --check-prefix=C --input-file %t.c
# CHECK: [select-lookups] passed: a vector loop replaces 6 table reads by selects
# C-NOT: narrow[
# C: long_table[
# C-NOT: narrow[
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img, wide = Image(UChar, "img", [R, C]), Image(UShort, "wide", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
dom = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])


def out(name, type, value):
    f = Function(dom, type, name)
    f.defn = value


out("bytes", Char, Table(Char, "narrow", [-128, 5, 127])(img(x, y) % 3))
out("words", UShort, Table(UShort, [1, 65535, 3, 1, 1])(img(x, y) / 2 % 5) + Table(UShort, [[7, 8], [9, 9]])(img(x, y) / 128, (wide(x, y) + 3) & 1))
out("threshold", UChar, Table(UChar, [0] * 100 + [128] * 50 + [255] * 106)(255 - img(x, y)))
out("signed", Int, Table(Int, [1, 2, -3, 4, 5, 6, 7])(Min(Max(wide(x, y) - 300, -3), 3) + 3))
out("floats", Float, Table(Float, [0.1, -0.5, 1e30, 0.0])((wide(x, y) * -3 + 1) & 3))
out("chained", UChar, Table(UChar, [9, 1, 8, 2])(Table(UChar, [3, 1, 0, 2, 2, 2])(Min(img(x, y) / 40, 5))))
out("longs", Long, Table(Long, "long_table", [-9223372036854775807, 1, 2])(img(x, y) % 3))
out("mixed", UChar, Table(UChar, [1, 2])(img(x, y) & 1) + Table(UChar, [k * k % 251 for k in range(256)])(img(x, y)))
