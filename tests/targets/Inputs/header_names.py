"""Prints a program whose parameters have names of the emitted header: macros of what it includes, which `cc -dM -E` lists on standard
input, one of each family, and functions that belong to the pipeline g."""

import re
import sys

FAMILIES = re.compile(r"(U?INT(PTR|MAX|_|8_|16_|32_|64_)|M_|FP_|HUGE_|EXIT_|PTRDIFF_|SIG_ATOMIC_|SIZE_|WCHAR_|WINT_|PM_TYPE_)")
ENDS = "_extent _needs _needs_at _region _region_at _buffers _strerror _region_at_strerror _scratch_bytes _ws _release _1".split()

names = ["g" + end for end in ENDS] + ["PM_TYPE_F32", "PM_TYPE_INDEX", "MAX", "And", "NaN"]
families = set()
for macro in sorted(re.findall(r"^#define ([A-Za-z]\w*) ", sys.stdin.read(), flags=re.M)):
    family = FAMILIES.match(macro)
    if not family or family.group() not in families:
        names.append(macro)
    if family:
        families.add(family.group())

print("R, C = Parameter(Int, 'R'), Parameter(Int, 'C')")
print("i = Image(Float, 'i', [R, C])")
print("x, y = Variable(Int, 'x'), Variable(Int, 'y')")
for number, name in enumerate(names):
    print(f"p{number} = Parameter(Int, '{name}')")
print("g = Function(([x, y], [Interval(Int, 1, R - 2), Interval(Int, 0, C - 1)]), Float, 'g')")
print("g.defn = [i(x - 1, y) + i(x + 1, y) + " + " + ".join(f"p{number}" for number in range(len(names))) + "]")
