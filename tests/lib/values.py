"""values.py PROGRAM [NAME=TYPE:ROWS]… [NAME=NUMBER]… [--OPTION=VALUE]… OUTPUT…: what a small program computes.

`img=u8:1,2,3;4,5,6` is an input of 2 by 3 (without `;`: of 3), `img=f32:4x5` one of 4 by 5 with the numbers 0, 1, 2 …;
`k=3` is a parameter; options go to pm-run. The outputs are made
live-outs, but with `as-written` before them. The program is compiled, in tiles of 2x3 and by two threads, its outputs are
compared with the reference interpreter's, and printed: `name: 1 2 3`, a line a row."""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

TYPES = {"u8": "u1", "i8": "i1", "u16": "u2", "i16": "i2", "u32": "u4", "i32": "i4", "u64": "u8", "i64": "i8", "f32": "f4", "f64": "f8"}


def array_of(kind, text):
    if re.fullmatch(r"\d+(x\d+)*", text) and "x" in text:
        extents = [int(n) for n in text.split("x")]
        return np.arange(np.prod(extents)).astype(TYPES[kind]).reshape(extents)
    rows = [[float(v) if kind[0] == "f" else int(v) for v in row.split(",")] for row in text.split(";")]
    return np.array(rows if ";" in text else rows[0], dtype=TYPES[kind])


def print_rows(name, array):
    rows = array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)
    for row in rows:
        print(f"{name}:", *(f"{v:.7g}" if array.dtype.kind == "f" else v for v in row))


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
                np.save(os.path.join(folder, name + ".in.npy"), array_of(kind, text))
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
            print_rows(name, np.load(os.path.join(folder, name + ".npy")))


main()
