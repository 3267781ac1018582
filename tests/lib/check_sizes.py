"""Runs a benchmark pipeline on pictures of several sizes and compares each output, bit by bit, with the interpreter's.

  check_sizes.py PROGRAM ROWSxCOLS,… [PM-RUN-OPTION…]
"""
import os
import subprocess
import sys
import tempfile

from benchmark_inputs import write_inputs
from programs import ROOT


def main():
    program, sizes, options = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
    path = os.path.join(ROOT, "bench", "pipelines", program + ".py")
    failures = 0
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            inputs = write_inputs(program, *(int(n) for n in size.split("x")), folder)
            given = [f"--in={name}={file}" for name, file in inputs.items()]
            command = ["pm-run", path, *given, "--check", "--fp=strict", *options]
            if subprocess.run(command, check=False).returncode != 0:
                failures += 1
                print(f"{program} {size}: not equal")
    sys.exit(1 if failures else 0)


main()
