"""What a run does of its own with a device or a processor, each job in a process, which may crash or hang: calls that are
compared, calls that are timed, inputs.

  jobs.py KIND ARGUMENTS    ARGUMENTS are JSON; the last line of the output is the job's record
"""
import glob
import json
import os
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import gpu_rows  # noqa: E402  (finds the next ones)
import benchmarks  # noqa: E402
import calling  # noqa: E402
import peers  # noqa: E402
import reference_apps  # noqa: E402
from calling import Failure, Function, OnDevice, compare  # noqa: E402

PIECE = 4096  # larger pictures are made of pieces of this size


def load_case(path):
    with np.load(os.path.join(FOLDER, path)) as file:
        arrays = {name: np.ascontiguousarray(file[name]) for name in file.files}
    return [{n[len(use):]: a for n, a in arrays.items() if n.startswith(use)} for use in ("in_", "out_")]


def job_values(a):
    """Calls a function with all its cases. By strict rules every bit is the interpreter's, but for functions that the device
    rounds as it likes."""
    function = Function(a["object"], a["arguments"])
    exact = a["strict"] and calling.is_exact(a["source"])
    greatest = 0.0
    for case in a["cases"]:
        inputs, wanted = load_case(case["file"])
        outputs = function.new_outputs(case["scalars"], {n: a.shape for n, a in wanted.items()})
        try:
            function.call(inputs, case["scalars"], outputs)
            off = compare(outputs, wanted, exact)
        except Failure as failure:
            raise Failure(f"{os.path.basename(case['file'])}: {failure}") from failure
        greatest = max(greatest, off)
    return {"calls": len(a["cases"]), "greatest": greatest}


def job_kernels(a):
    """What the device's compiler says of kernels as users get them; builds them, so that they are kept."""
    function = Function(a["object"], a["arguments"])
    record = job_values(a) if a["cases"] else {"calls": 0, "greatest": 0.0}
    log = calling.build_log(function, a["source"], "-cl-nv-verbose")
    return record | {"resources": calling.resources(log)}


def large(make):
    """A function that makes such pictures of equal pieces, where they are large, in a fraction of the time. Rows and columns are
    its last arguments."""

    def made(*arguments):
        *others, rows, columns = arguments
        piece = make(*others, min(rows, PIECE), min(columns, PIECE))
        times = [-(-rows // piece.shape[-2]), -(-columns // piece.shape[-1])]
        return np.tile(piece, [1] * (piece.ndim - 2) + times)[..., :rows, :columns]

    return made


def inputs_of(name, size):
    rows, columns = (int(n) for n in size.split("x"))
    return {n: np.ascontiguousarray(a) for n, a in gpu_rows.ALL[name].inputs(rows, columns).items()}


def job_inputs(a):
    benchmarks.pixels, reference_apps.raw_picture = large(benchmarks.pixels), large(reference_apps.raw_picture)
    os.makedirs(a["folder"], exist_ok=True)
    for name, array in inputs_of(a["name"], a["size"]).items():
        np.save(f"{a['folder']}/{name}.npy", array)
    return {}


def scalars_of(name, size):
    rows, columns = (int(n) for n in size.split("x"))
    return gpu_rows.ALL[name].sizes(rows, columns) | gpu_rows.ALL[name].scalars


def load_inputs(folder):
    return {os.path.basename(p)[:-4]: np.load(p, mmap_mode="r") for p in glob.glob(f"{folder}/*.npy")}


def compared(got, wanted):
    """Within the limits of what is rounded otherwise."""
    off = compare(got, wanted, False)
    return f"within {off:.2g}" if off else "equal"


def job_row(a):
    """Times of a row, whose values are compared with the target c's where that is given."""
    function = Function(a["object"], a["arguments"])
    inputs, scalars = load_inputs(a["inputs"]), scalars_of(a["name"], a["size"])
    there = OnDevice(function, inputs, scalars)
    record = there.measure(a["calls"])
    if not a["host"]:
        return record
    got = there.outputs
    if a["keep"]:
        np.save(a["keep"], next(iter(got.values())))
    host = Function(a["host"], a["arguments"])
    wanted = host.new_outputs(scalars)
    host.call(inputs, scalars, wanted)
    try:
        return record | {"values": compared(got, wanted)}
    except Failure as failure:
        return record | {"values": "wrong", "error": str(failure)}


def job_peer(a):
    """The same filter by another library, compared with our result where that was kept."""
    image = np.load(f"{a['inputs']}/img.npy", mmap_mode="r")
    by = {"cupy": peers.by_cupy, "scipy": peers.by_scipy, "cuda": lambda _, *rest: peers.by_hand(a["object"], *rest)}[a["library"]]
    result, seconds = by(a["name"], image, a["calls"])
    values = ""
    if a["ours"] and os.path.exists(a["ours"]):
        ours = np.load(a["ours"], mmap_mode="r")
        values = compared({"": peers.inside(a["name"], result)}, {"": peers.inside(a["name"], ours)})
    return {"seconds": seconds, "values": values}


def job_processor(a):
    """Times of a row by both targets, called in turn, with more and more threads."""
    functions = {"c": Function(a["object"], a["arguments"]), "llvm": Function(a["llvm"], a["arguments"])}
    inputs, scalars = inputs_of(a["name"], a["size"]), scalars_of(a["name"], a["size"])
    outputs = {target: f.new_outputs(scalars) for target, f in functions.items()}
    record = {"c": {}, "llvm": {}}
    for threads in a["threads"]:
        for function in functions.values():
            function.use_threads(threads)
        times, until = {"c": [], "llvm": []}, time.perf_counter() + a["seconds"]
        while len(times["c"]) < 2 or time.perf_counter() < until:
            for target, function in functions.items():
                function.call(inputs, scalars, outputs[target])  # what the other one has left in the caches goes
                begin = time.perf_counter()
                function.call(inputs, scalars, outputs[target])
                times[target].append(time.perf_counter() - begin)
        for target in functions:
            record[target][str(threads)] = min(times[target])
    return record | {"values": compared(outputs["llvm"], outputs["c"])}


JOBS = {"values": job_values, "kernels": job_kernels, "inputs": job_inputs, "row": job_row, "peer": job_peer,
        "processor": job_processor}


def main():
    """What native code prints comes before the record."""
    kind, arguments = sys.argv[1], json.loads(sys.argv[2])
    if kind not in ("processor", "inputs"):
        calling.open_loader()
    try:
        record = JOBS[kind](arguments)
    except Failure as failure:
        record = {"error": str(failure)}
    print("\n" + json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
