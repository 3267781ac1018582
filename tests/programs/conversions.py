# Floats as integers of all types, also those that no type holds, and NaN: one rule under strict floating point.
# RUN: %python %S/Inputs/conversions.py %t
# RUN: run-all-ways %s --in a=%t.a.npy --in b=%t.b.npy --threads 2
# RUN: pm-run %s --in a=%t.a.npy --in b=%t.b.npy --check --fp=strict --threads 2
# RUN: pm-run %s --in a=%t.a.npy --in b=%t.b.npy --check --fp=strict --target=c --cflags="-O3 -march=native -fopenmp -DPM_NO_VECTOR_EXTENSIONS"
# RUN: pm-run %s --in a=%t.a.npy --in b=%t.b.npy --fp=strict --out f_u8=%t.u8.npy --out f_u32=%t.u32.npy --out d_u64=%t.u64.npy --out d_i16=%t.i16.npy
# RUN: %python -c "import numpy as np; [print(*np.load('%t.%%s.npy' %% t)[:12]) for t in ('u8', 'i16', 'u32', 'u64')]" | FileCheck %s
# The first: -1.5, 300, -300, 70000, 2^31, 3e9, -3e9, 2^63, 2^64, inf, -inf, NaN.
# CHECK: {{^}}255 44 212 112 0 0 0 0 0 0 0 0{{$}}
# CHECK-NEXT: {{^}}-1 300 -300 4464 0 0 0 0 0 0 0 0{{$}}
# CHECK-NEXT: {{^}}4294967295 300 4294966996 70000 2147483648 3000000000 1294967296 0 0 0 0 0{{$}}
# CHECK-NEXT: {{^}}18446744073709551615 300 18446744073709551316 70000 2147483648 3000000000 18446744070709551616 9223372036854775808 9223372036854775808 9223372036854775808 9223372036854775808 9223372036854775808{{$}}
N = Parameter(Int, "N")
a, b = Image(Float, "a", [N]), Image(Double, "b", [N])
x = Variable(Int, "x")
dom = ([x], [Interval(Int, 0, N - 1)])
types = {"i8": Char, "u8": UChar, "i16": Short, "u16": UShort, "i32": Int, "u32": UInt, "i64": Long, "u64": ULong}
for name in types:
    f = Function(dom, types[name], "f_" + name)
    f.defn = [ Cast(types[name], a(x)) ]
    d = Function(dom, types[name], "d_" + name)
    d.defn = [ Cast(types[name], b(x)) ]
