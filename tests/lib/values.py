"""values.py PROGRAM [NAME=TYPE:ROWS]… [NAME=NUMBER]… [--OPTION=VALUE]… OUTPUT…: what a small program computes.

`img=u8:1,2,3;4,5,6` is an input of 2 by 3 (without `;`: of 3), `img=f32:4x5` one of 4 by 5 with the numbers 0, 1, 2 …;
`k=3` is a parameter; options go to pm-run. The outputs are made
live-outs, but with `as-written` before them. The program is compiled, in tiles of 2x3 and by two threads, its outputs are
compared with the reference interpreter's, and printed: `name: 1 2 3`, a line a row."""
import math
import os
import re
import subprocess
import sys
import tempfile

import npy

TYPES = {"u8": "u1", "i8": "i1", "u16": "u2", "i16": "i2", "u32": "u4", "i32": "i4", "u64": "u8", "i64": "i8", "f32": "f4", "f64": "f8"}


def save_input(path, kind, text):
    if re.fullmatch(r"\d+(x\d+)*", text) and "x" in text:
        shape = [int(n) for n in text.split("x")]
        values = range(math.prod(shape))
    else:
        rows = [[float(v) if kind[0] == "f" else int(v) for v in row.split(",")] for row in text.split(";")]
        shape = [len(rows), len(rows[0])] if ";" in text else [len(rows[0])]
        values = [v for row in rows for v in row]
    npy.save(path, TYPES[kind], shape, values)


def print_rows(name, path):
    kind, shape, values = npy.load(path)
    width = shape[-1] if shape else 1
    for first in range(0, len(values), width or 1):
        print(f"{name}:", *(f"{v:.7g}" if kind[0] == "f" else v for v in values[first : first + width]))


def main():
    program, arguments, outputs, as_written = sys.argv[1], [], [], False
    with tempfile.TemporaryDirectory() as folder:
        for word in sys.argv[2:]:
            name, equals, value = word.partition("=")
            kind, colon, text = value.partition(":")
            if word.startswith("--"):
                arguments.append(word)
            elif word == "as-written":
                as_written = True
            elif colon:
                save_input(os.path.join(folder, name + ".in.npy"), kind, text)
                arguments += ["--in", f"{name}={folder}/{name}.in.npy"]
            elif equals:
                arguments += ["--param", word]
            else:
                outputs.append(word)
                arguments += ["--out", f"{word}={folder}/{word}.npy"]
        if not as_written:
            arguments.append("--live-out=" + ",".join(outputs))
        if not any(argument.startswith("--tile") for argument in arguments):
            arguments.append("--tile=2x3")
        run = subprocess.run(["pm-run", program, "--check", "--fp=strict", "--threads=2", *arguments], stdout=subprocess.PIPE, text=True)
        if run.returncode:
            print(run.stdout)
            sys.exit(run.returncode)
        for name in outputs:
            print_rows(name, os.path.join(folder, name + ".npy"))


main()
