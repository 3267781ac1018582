# Results of several widths of elements, at several distances from a line's begin, past the caches: short rows and long
# ones, one thread and three, alone and two from one loop, from a whole picture and from tiles.
# RUN: %if gcc %{ %python %lib/schedules.py %s --live-out=wide,narrow,bytes,after --sizes R=1,C=1 R=5,C=11 --tiles 4x8 %}
# RUN: %if long %{ %python %lib/schedules.py %s --live-out=wide,narrow,bytes,after --sizes R=1,C=1 R=5,C=11 --tiles 4x8 --long %}
# RUN: %if gcc %{ flags='--cflags=-O1 -fopenmp'; rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for s in '1 1' '3 63' '5 64' '33 65' '40 700' '7 5000'; do set -- $s; synth --rows $1 --cols $2 --type u8 -o %t.npy || exit 1; for o in '' --tile=16x64 --tile=8x513 --strategy=none; do pm-run %s --estimate R=40 --estimate C=300 --target=c "$flags" --live-out=wide,narrow,bytes,after --in img=%t.npy --check --threads 3 --set='mark-nontemporal{percent=0 least=0}' $o || exit 1; done; done %}
# RUN: %if llvm %{ rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for s in '1 1' '3 63' '5 64' '33 65' '40 700' '7 5000'; do set -- $s; synth --rows $1 --cols $2 --type u8 -o %t.npy || exit 1; for o in '' --tile=16x64 --tile=8x513 --strategy=none; do pm-run %s --estimate R=40 --estimate C=300 --target=llvm --live-out=wide,narrow,bytes,after --in img=%t.npy --check --threads 3 --set='mark-nontemporal{percent=0 least=0}' $o || exit 1; done; done %}
# RUN: synth --rows 40 --cols 700 --type u8 -o %t.npy
# RUN: %if gcc %{ pm-run %s --target=c --cflags='-O1 -g -fsanitize=undefined -fno-sanitize-recover=all -fopenmp' --live-out=wide,narrow,bytes,after --in img=%t.npy --check --threads 3 --set='mark-nontemporal{percent=0 least=0}' %}
# RUN: %if gcc %{ pm-run %s --target=c --live-out=wide,narrow,bytes,after --in img=%t.npy --check --threads 3 --set='mark-nontemporal{percent=0 least=0}' %}
# Both targets store so, and wait at the end of an iteration of a parallel loop:
# RUN: pmc %s --live-out=wide,narrow,bytes,after --machine=%lib/machines/xeon.json --set='mark-nontemporal{percent=0 least=0}' -o %t.c && FileCheck %s --check-prefix=C --input-file=%t.c
# RUN: %if llvm %{ pmc %s --target=llvm --cpu=x86-64-v3 --triple=x86_64-linux-gnu --live-out=wide,narrow,bytes,after --machine=%lib/machines/xeon.json --set='mark-nontemporal{percent=0 least=0}' -o %t.s && FileCheck %s --check-prefix=S --input-file=%t.s %}
# C: pm_stream(&{{wide|narrow|bytes}}[
# C: pm_stream_end();
# S-DAG: {{vmovnt(ps|dq).*}}%ymm
# S-DAG: {{mfence|lock}}
# What fits the last cache of the machine stays there:
# RUN: pmc %s --live-out=wide,narrow,bytes,after --machine=%lib/machines/xeon.json --estimate R=100 --estimate C=1000 -o %t.c && FileCheck %s --check-prefix=FITS --input-file=%t.c
# RUN: pmc %s --live-out=wide,narrow,bytes,after --machine=%lib/machines/xeon.json --estimate R=10000 --estimate C=1000 -o %t.c && FileCheck %s --check-prefix=C --input-file=%t.c
# FITS-NOT: pm_stream
R, C = Parameter(Int, "R"), Parameter(Int, "C")
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
img = Image(UChar, "img", [R, C], boundary="clamp")

wide = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Double, "wide")
wide.defn = [img(x, y - 1) * 0.5 + img(x, y + 1)]
narrow = Function(([x, y], [Interval(Int, 1, R), Interval(Int, 1, C)]), Short, "narrow")
narrow.defn = [img(x - 1, y) + img(x + 1, y)]
bytes = Function(([x, y], [rows, cols]), UChar, "bytes")
bytes.defn = [Max(img(x, y), img(x - 1, y))]
# Read behind the part that stores it:
after = Function(([x, y], [rows, cols]), Double, "after")
after.defn = [wide(R - 1 - x, y) + bytes(x, y)]
