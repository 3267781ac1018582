# Halves of sums of 17 bits, which vector loops compute in 16, from the least to the greatest values: rounded down, towards
# zero and up, with signs and without, of a sum that wraps; choices and sums of them of which 16 bits are stored. Bytes
# looked up at such values, which are stored as vectors.
# RUN: synth --rows 21 --cols 130 --type u16 -o %t.b.npy
# RUN: %if !long %{ env PM_TEST_OPENCL= %} run-all-ways %s --in b=%t.b.npy
# RUN: rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for s in '1 1' '3 15' '2 16' '5 17' '3 300'; do set -- $s; synth --rows $1 --cols $2 --type u16 -o %t.u.npy; pm-run %s --estimate R=40 --estimate C=300 --in b=%t.u.npy --check && pm-run %s --estimate R=40 --estimate C=300 --live-out=looked --in b=%t.u.npy --check || exit 1; done
# RUN: pmc %s --live-out=looked -o %t.c
# RUN: FileCheck %s --check-prefix=C --input-file %t.c
# C: (int16_t)(({{.*}} & {{.*}}) + (
# C: pm_elements_u8x16(
R, C = Parameter(Int, "R"), Parameter(Int, "C")
b = Image(UShort, "b", [R, C], boundary="clamp")
x, y = Variable(Int, "x"), Variable(Int, "y")
dom = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])


def stage(name, type, value):
    f = Function(dom, type, name)
    f.defn = [value]
    return f


# Values with a sign, the ends of the type among them.
ends = Select(Condition(y % 2, '==', 0), -32768, 32767)
s = stage("s", Short, Select(Condition(y % 5, '==', 0), ends, b(x, y) * 5))
t = stage("t", Short, Select(Condition(x % 3, '==', 0), ends, b(x + 1, y) * -3))
p, q = s(x, y), t(x, y)

cut = stage("cut", Short, (p + q) / 2)
down = stage("down", Short, (p + q) // 2)
up = stage("up", Short, (p + q + 1) // 2)
up_cut = stage("up_cut", Short, (p + q + 1) / 2)
plain = stage("plain", UShort, (b(x, y) + b(x, y + 1)) / 2)
plain_up = stage("plain_up", UShort, (b(x, y) + b(x, y + 1) + 1) / 2)
mixed = stage("mixed", Short, (p + b(x, y)) / 2)
constant = stage("constant", Short, (p + 32767) / 2)
wide = stage("wide", Int, (p + q) / 2 * 3 - (q + 32767) // 2)
wraps = stage("wraps", Int, (p * 65536 + q * 32768) / 2)
chosen = stage("chosen", Short, Select(Condition(p, '<', q), q - (p + q) / 2 + (q + q) / 2, p * 7 - (p + q) // 2))
twice = stage("twice", Short, ((p + q) / 2 + (q + b(x, y) / 2) / 2) / 2)

v = Variable(Int, "v")
table = Function(([v], [Interval(Int, -32768, 32767)]), UChar, "table")
table.defn = [(v * v + v / 7) & 255]
looked = stage("looked", UChar, table(cut(x, y)))
