"""Breaks a legal schedule in one way after the other; verify-schedule must say what is wrong, and where.

  broken_schedules.py SCHEDULE.pmir DIR
Each row of BROKEN[SCHEDULE] is what is broken, how (texts, each of which stands in the schedule once, and what they become), and the
messages in their order. A broken schedule must also go wrong when its loops are run, which is another judge. The schedule as
it is must be accepted, and run.
"""
import os
import re
import subprocess
import sys

STEPS = 'poly.band #isl.mupa<"[{ a[y, x] -> [(floor((y)/4))]'
END_OF_STEPS = "} // of the steps"
UPDATE_ROW = 'poly.band #isl.mupa<"[{ sum_u0[y, x] -> [(x)] }]"> { }'
UPDATE_FILTER = 'poly.filter #isl.union_set<"{ sum_u0[y, x] }"> {'
A_FILTER = 'poly.filter #isl.union_set<"{ a[y, x] }"> {'
A_BAND = 'poly.band #isl.mupa<"[{ a[y, x] -> [(y)] }]"> { poly.mark "vector" { poly.band #isl.mupa<"[{ a[y, x] -> [(x)] }]"> { } } }'
ALLOC_A = 'poly.alloc @a : f32 in "stack" at #isl.map<"{ [ty, tx] -> [0, 16tx] }"> size [6, 16] fold [6, 0]'
ALLOC_B = ALLOC_A.replace("@a", "@b")
OUTPUT_C = 'poly.alloc @c : f32 in "output"'
SIZES = {"schedule": ["--param=R=43", "--param=C=37"], "turns": ["--param=N=23"]}
U_AND_V = ["u3[x]", "v[x]"]


def swap(one, other):
    return [(one, "SWAPPED"), (other, one), ("SWAPPED", other)]


SCHEDULE = [
    ("a point of the output is not computed",
     [("{ c[y, x] : 2 <= y < R - 2 and 0 <= x < C; sum[y]", "{ c[y, x] : 2 <= y < R - 3 and 0 <= x < C; sum[y]")],
     ["@c is an output with c[2, 0] for R = 5, C = 1, but the schedule does not compute that in its output array",
      "read' of @c: sum_u0[2, 0] reads c[2, 0] for R = 5, C = 1, but the schedule does not compute that before it"]),
    ("a consumer comes before its producer",
     swap(A_FILTER, A_FILTER.replace("a[", "b[")) + swap(A_BAND, A_BAND.replace("a[", "b[")),
     ["read' of @a: b[1, 0] reads a[0, 0] for R = 5, C = 1, but the schedule does not compute that before it"]),
    ("the footprint is a row too small",
     [("16ty - 2 <= y <= 16ty + 17", "16ty - 2 <= y <= 16ty + 16")],
     ["read' of @a: b[16, 0] reads a[17, 0] for R = 18, C = 1, but the schedule does not compute that before it"]),
    ("the steps of a consumer are shifted by one row too little",
     [("b[y, x] -> [(floor((y + 1)/4))]", "b[y, x] -> [(floor((y)/4))]")],
     ["read' of @a: b[3, 0] reads a[4, 0] for R = 5, C = 1, but the schedule does not compute that before it"]),
    ("a ring is a row too short",
     [(ALLOC_A, ALLOC_A.replace("[6", "[5"))],
     ["alloc' of @a: a[7, 0] overwrites the element of a[2, 0], which b[3, 0] still reads for R = 8, C = 1"]),
    ("the steps are parallel",
     [(STEPS, 'poly.mark "parallel" { ' + STEPS), (END_OF_STEPS, "} }")],
     ["alloc' of @a: a[2, 0] for R = 5, C = 1 is written by @a and used by @b in iterations 0 and 1 of one parallel loop",
      "alloc' of @b: b[1, 0] for R = 5, C = 1 is written by @b and used by @c in iterations 0 and 1 of one parallel loop"]),
    ("the steps are a vector",
     [(STEPS, 'poly.mark "vector" { ' + STEPS), (END_OF_STEPS, "} }")],
     ["alloc' of @a: a[2, 0] for R = 5, C = 1 is written by @a and used by @b in iterations 0 and 1 of one vector loop",
      "alloc' of @b: b[1, 0] for R = 5, C = 1 is written by @b and used by @c in iterations 0 and 1 of one vector loop"]),
    ("a row of the update is a vector",
     [(UPDATE_ROW, 'poly.mark "vector" { ' + UPDATE_ROW + " }")],
     ["update' makes sum_u0[2, 0] and sum_u0[2, 1] for R = 5, C = 2 depend on each other"]),
    ("a box is a column too small",
     [(ALLOC_A, ALLOC_A.replace("[6, 16]", "[6, 15]"))],
     ["alloc' of @a has no element for a[0, 15] for R = 5, C = 16, but the schedule writes it"]),
    ("threads share a scratchpad",
     [(ALLOC_A, ""), (OUTPUT_C, OUTPUT_C + '\n poly.alloc @a : f32 in "heap"')],
     ["alloc' of @a: a[14, 0] for R = 19, C = 1 is written in iterations 0 and 1 of one parallel loop",
      "alloc' of @a: a[14, 0] for R = 19, C = 1 is written by @a and used by @b in iterations 0 and 1 of one parallel loop"]),
    ("two scratchpads share memory while both are needed",
     [(ALLOC_A, ALLOC_A + " pool 0"), (ALLOC_B, ALLOC_B + " pool 0")],
     ["alloc' of @b has the memory of @a, but b[1, 0] for R = 5, C = 1 does not come after a[0, 0] for R = 5, C = 1"]),
    ("an update runs twice",
     [(UPDATE_FILTER, UPDATE_FILTER + 'poly.band #isl.mupa<"[{ sum_u0[y, x] -> [(y)] }, { sum_u0[y, x] -> [(x)] }]"> { } } '
      + UPDATE_FILTER)],
     ["update' runs at two positions of the schedule, but should run at one: sum_u0[2, 0] for R = 5, C = 1"]),
    ("an update runs in another order",
     [(UPDATE_ROW, UPDATE_ROW.replace("(x)", "(-x)"))],
     ["update' makes sum_u0[2, 0] and sum_u0[2, 1] for R = 5, C = 2 depend on each other"]),
]

TURNS = [
    ("a reader comes after the next stage that has the array",
     [row for text in ['poly.filter #isl.union_set<"{ %s }">', '"[{ %s -> [(x)] }]"']
      for row in swap(*(text % name for name in U_AND_V))],
     ["alloc' of @u3: u3[0] overwrites the element of u1[0], which v[0] still reads for N = 3"]),
    ("a stage has the array that it reads",
     [('poly.alloc @u1 : f32 in "heap" turn 0', 'poly.alloc @u1 : f32 in "heap" turn 1')],
     ["alloc' of @u2: u2[0] overwrites the element of u1[0], which u2[1] still reads for N = 3"]),
    ("a stage comes a wave too early",
     [("u3[x] -> [(floor((2 + x)/4) + floor((2 - x)/4))]", "u3[x] -> [(floor((2 + x)/4) + floor((-x)/4))]")],
     ["alloc' of @u2: u2[1] for N = 4 is written by @u2 and used by @u3 in iterations 0 and 1 of one parallel loop",
      "alloc' of @u3: u3[2] overwrites the element of u1[2], which u2[1] still reads for N = 3"]),
]
BROKEN = {"schedule": SCHEDULE, "turns": TURNS}


def text_of(base, changes):
    for old, new in changes:
        if base.count(old) != 1:
            sys.exit(f"{old} stands in the schedule {base.count(old)} times, but should once")
        base = base.replace(old, new)
    return base


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def prove(path):
    status, errors = run("pm-opt", path, "--pass-pipeline=stage.pipeline(verify-schedule)", "-o", os.devnull)
    return status, re.findall(r"error: (.*)", errors)


def interpret(path, name):
    return run("pm-interp", path, "--pass-pipeline=stage.pipeline(expand-statements),lower-poly", *SIZES[name])


def check_broken(path, name, what, messages):
    status, said = prove(path)
    wrong = []
    if status != 1 or len(said) != len(messages) or any(m not in s for m, s in zip(messages, said)):
        wrong.append(f"{what}: exit status {status}, messages {said}, but should have {messages}")
    status, errors = interpret(path, name)
    if status != 1:
        wrong.append(f"{what}: its loops exit with {status}; {errors}")
    return wrong


def check_legal(path, name):
    wrong = []
    for status, errors in [prove(path), interpret(path, name)]:
        if status != 0:
            wrong.append(f"the legal schedule: exit status {status}; {errors}")
    return wrong


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        base = file.read()
    name = os.path.splitext(os.path.basename(sys.argv[1]))[0]
    wrong = check_legal(sys.argv[1], name)
    os.makedirs(sys.argv[2], exist_ok=True)
    for number, (what, changes, messages) in enumerate(BROKEN[name]):
        path = os.path.join(sys.argv[2], f"{number}.pmir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_of(base, changes))
        wrong += check_broken(path, name, what, messages)
    print("\n".join(wrong + [f"{len(BROKEN[name])} broken schedules, {len(wrong)} complaints"]))
    sys.exit(1 if wrong else 0)


main()
