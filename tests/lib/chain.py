"""Every pass of the default pipeline alone, on text, and every prefix of it: nothing may change what is computed.

  chain.py PROGRAM --params R=20,C=31 [--set PASS=OPTIONS]… [--machine FILE] [--size N] [--fp strict]
PROGRAM is a .py or .pmir file. `pm-interp --check-each-pass` runs the passes: the text that each leaves is printed the
same again and computes what the program did, stages by definition and loops step by step; what has a schedule is also
lowered to loops at once; and the pass alone, on the text of what the one before left, leaves the same text.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import pipeline_text


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"exit status {result.returncode}: {' '.join(command)}\n{result.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--params", default="")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--machine", default="host")
    parser.add_argument("--size", default="1024")
    parser.add_argument("--fp", default="strict")
    a = parser.parse_args()
    options = {name.replace("-", "_"): value for name, value in (text.split("=", 1) for text in a.set)}
    pipeline = pipeline_text.with_options(pipeline_text.default_pipeline(), **options)
    params = [f"--param={p}" for p in a.params.split(",") if p]
    with tempfile.TemporaryDirectory() as folder:
        original = os.path.join(folder, "original.pmir")
        run("pm-translate", a.program, "--to=pmir", "--fp", a.fp, "-o", original)
        run("pm-interp", original, *params, f"--machine={a.machine}", f"--size={a.size}", f"--pass-pipeline={pipeline}", "--check-each-pass")


main()
