"""What bench/gpu prints: how long the kernels of the OpenCL targets take, beside what copying memory takes. See
bench/README.md.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import tables
from arguments import pattern
from tables import milliseconds, program_of, put_cells

import gpu_count
from gpu_rows import ROWS

HERE = os.path.dirname(os.path.abspath(__file__))

# On a GPU, where they fit; on a processor.
SIZES, SMALL_SIZES = ["4096x4096", "16384x16384"], ["512x512"]

# For the copies: much more than caches have. A processor's devices get less, for they are slow.
COPIED, SMALL_COPIED = 1 << 30, 1 << 27

HEAD = ["", "call", "kernels", "number", "MB", "GB/s", "copy %", "first"]


def copy_speed(size, folder):
    """The device, and what copies of that size take there. The device is that of a program of ours."""
    source, program = f"{folder}/scale.c", f"{folder}/copy"
    tables.run(["pmc", f"{HERE}/scale.py", "--target=opencl", "-o", source])
    defines = [f'-DPROGRAM="{source}"', "-DCL_TARGET_OPENCL_VERSION=120"]
    tables.run(["cc", "-std=gnu11", "-O2", *defines, f"{HERE}/device/copy.c", "-o", program, "-l:libOpenCL.so.1", "-lm"])
    return json.loads(tables.run([program, str(size)]).stdout)


def measure_row(name, size, a):
    """A row as a flat record, with an error where it does not run."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/bench.json"
        program = program_of(ROWS[name], size, folder)
        command = ["pm-run", *program, f"--target={a.target}", f"--bench={a.calls}", f"--bench-json={path}", *a.options]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        record = {"name": name, "size": size}
        if ran.returncode:
            return record | {"error": (ran.stderr.strip() or f"exit status {ran.returncode}").splitlines()[0]}
        with open(path, encoding="utf-8") as file:
            measured = json.load(file)
    own = measured["variants"][0]
    return record | {n: own[n] for n in ("first_s", "min_s", "median_s", "kernels_s", "kernels")} | {
        "compulsory_bytes": measured["compulsory_bytes"]}


def put_row(record, bytes_per_second):
    if "error" in record:
        print(f"{record['name']} {record['size']}: {record['error']}", flush=True)
        return
    speed = record["compulsory_bytes"] / record["kernels_s"] if record["kernels_s"] else 0
    put_cells([
        f"{record['name']} {record['size']}",
        milliseconds(record["median_s"]),
        milliseconds(record["kernels_s"]),
        str(len(record["kernels"])),
        tables.megabytes(record["compulsory_bytes"]),
        f"{1e-9 * speed:.1f}",
        f"{100 * speed / bytes_per_second:.1f}",
        milliseconds(record["first_s"]),
    ])


def put_times(names, a):
    with tempfile.TemporaryDirectory() as folder:
        device = copy_speed(SMALL_COPIED, folder)
        if device["gpu"]:
            device = copy_speed(min(COPIED, device["most"] // 4), folder)
    speeds = [2 * device["bytes"] / device[n] for n in ("kernel_s", "call_s")]
    print(f"{device['device']}, driver {device['driver']}. Copies of {device['bytes'] >> 20} MB: "
          f"{1e-9 * speeds[0]:.1f} GB/s by a kernel of float4, {1e-9 * speeds[1]:.1f} GB/s by clEnqueueCopyBuffer.")
    print(f"Target {a.target}; arrays stay on the device. Medians in ms: of a call until it is done, and of its kernels as the")
    print("device notes them; compulsory traffic in MB, over the kernels' time, and as a share of the faster copy; the first")
    print("call, which sends and fetches the arrays.")
    put_cells(HEAD)
    records = []
    for name in names:
        for size in a.size or (SIZES if device["gpu"] else SMALL_SIZES):
            records.append(measure_row(name, size, a))
            put_row(records[-1], max(speeds))
    return {"device": device, "rows": records}


def arguments():
    parser = argparse.ArgumentParser(prog="bench/gpu")
    parser.add_argument("--filter", type=pattern, default=re.compile(""))
    parser.add_argument("--size", action="append")
    parser.add_argument("--target", default="opencl")
    parser.add_argument("--calls", default="20")
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("options", nargs="*")
    return parser.parse_args()


def main():
    a = arguments()
    names = [n for n in ROWS if a.filter.search(n)]
    results = gpu_count.main_count(a, {n: ROWS[n] for n in names}) if a.count else put_times(names, a)
    if a.json:
        with open(a.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)
    return 1 if any("error" in r for r in results["rows"]) else 0


if __name__ == "__main__":
    sys.exit(main())
