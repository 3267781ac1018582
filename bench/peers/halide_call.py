"""Calls functions that Halide made, and ours of the same programs, in one process and on the same arrays.

  halide_call.py < CASE > RESULT      both JSON, see `main`; the numbers of threads are in the environment
"""
import ctypes
import json
import random
import sys
import time

import numpy as np

NEAR = 1e-5  # floats may differ by so much of the greatest value
LEAST_CALLS = 3
MUCH = 4  # times the seconds that are asked for


# --- Halide ---


class Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Dimension(ctypes.Structure):
    _fields_ = [(n, ctypes.c_int32) for n in ("min", "extent", "stride")] + [("flags", ctypes.c_uint32)]


class Buffer(ctypes.Structure):
    _fields_ = [
        ("device", ctypes.c_uint64), ("device_interface", ctypes.c_void_p), ("host", ctypes.c_void_p),
        ("flags", ctypes.c_uint64), ("type", Type), ("dimensions", ctypes.c_int32),
        ("dim", ctypes.POINTER(Dimension)), ("padding", ctypes.c_void_p)]


class Argument(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_int32), ("dimensions", ctypes.c_int32), ("type", Type)]
    _fields_ += [(n, ctypes.c_void_p) for n in ("scalar_def", "scalar_min", "scalar_max", "scalar_estimate", "estimates")]


class Metadata(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int32), ("count", ctypes.c_int32), ("arguments", ctypes.POINTER(Argument)),
                ("target", ctypes.c_char_p), ("name", ctypes.c_char_p)]


CODES = {"i": 0, "u": 1, "f": 2}
KINDS = "iuf"


def buffer_of(array, first):
    """A buffer (x, y, c) that lies where array[c][y][x] does, whose first point is `first`, x first."""
    strides = [s // array.itemsize for s in array.strides[::-1]]
    dims = [Dimension(m, e, s, 0) for m, e, s in zip(first, array.shape[::-1], strides)]
    kind = Type(CODES[array.dtype.kind], 8 * array.itemsize, 1)
    return Buffer(0, None, array.ctypes.data, 0, kind, array.ndim, (Dimension * array.ndim)(*dims), None)


def call_of_halide(library, function, arrays, firsts, scalars):
    described = getattr(library, f"{function}_metadata")
    described.restype = ctypes.POINTER(Metadata)
    metadata = described().contents
    arguments = []
    for argument in metadata.arguments[:metadata.count]:
        name = argument.name.decode()
        if argument.kind:
            arguments.append(buffer_of(arrays[name], firsts.get(name, [0] * arrays[name].ndim)))
        else:
            kind = np.dtype(f"{KINDS[argument.type.code]}{argument.type.bits // 8}")
            arguments.append(np.ctypeslib.as_ctypes_type(kind)(scalars[name]))
    pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(a) for a in arguments])
    entry = getattr(library, f"{function}_argv")
    return lambda kept=arguments: entry(pointers)


# --- ours ---

SCALARS = {"int": ctypes.c_int32, "int32_t": ctypes.c_int32, "float": ctypes.c_float, "int64_t": ctypes.c_int64,
           "double": ctypes.c_double, "bool": ctypes.c_bool, "uint8_t": ctypes.c_uint8, "uint16_t": ctypes.c_uint16,
           "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64, "int8_t": ctypes.c_int8, "int16_t": ctypes.c_int16}


def call_of_ours(library, function, parameters, arrays, scalars):
    """`parameters` are pairs of the type in the header, None of an array, and the name."""
    entry = getattr(library, function)
    entry.argtypes = [SCALARS[kind] if kind else ctypes.c_void_p for kind, _ in parameters]
    arguments = [scalars[name] if kind else arrays[name].ctypes.data for kind, name in parameters]
    return lambda: entry(*arguments)


# --- measuring ---


def timed(call):
    """Seconds by the clock, and of the processors."""
    begin, processor = time.perf_counter(), time.process_time()
    status = call()
    processor, begin = time.process_time() - processor, time.perf_counter() - begin
    if status:
        sys.exit(f"it returns {status}")
    return begin, processor


def called_in_turn(calls, seconds):
    """Of each, the times of calls; in each turn in another order, so that each follows each. Programs that take much longer
    than others are left out of turns, lest they have all of the time.
    """
    times = {name: [] for name in calls}
    order, shuffled = list(calls), random.Random(0)
    while any(is_short(t, seconds) for t in times.values()):
        shuffled.shuffle(order)
        for name in order:
            if sum(clock for clock, _ in times[name]) < MUCH * seconds or len(times[name]) < LEAST_CALLS:
                times[name].append(timed(calls[name]))
    return times


def is_short(times, seconds):
    return sum(clock for clock, _ in times) < seconds or len(times) < LEAST_CALLS


def summary(times):
    clock, processor = zip(*times)
    return {"s": min(clock), "median_s": float(np.median(clock)), "processor_s": min(processor), "calls": len(times)}


def difference(got, want):
    """How many values differ, and the greatest difference, where it is, and the greatest value."""
    apart = np.abs(got.astype(np.float64) - want.astype(np.float64))
    apart[(np.isnan(got) & np.isnan(want)) | (got == want)] = 0
    apart = np.nan_to_num(apart, nan=np.inf)
    greatest = float(np.nanmax(np.abs(want.astype(np.float64))))
    differing = int((apart > (NEAR * greatest if want.dtype.kind == "f" else 0)).sum())
    place = [int(i) for i in np.unravel_index(apart.argmax(), apart.shape)]
    return {"values": got.size, "unequal": int((apart > 0).sum()), "differing": differing, "most": float(apart.max()),
            "place": place, "mean": float(apart.mean()), "got": float(got[tuple(place)]), "want": float(want[tuple(place)]),
            "greatest": greatest, "beyond_one": int((apart > 1).sum())}


def spoiled(outputs):
    for array in outputs.values():
        array.view(np.uint8).fill(0xA5)


def main():
    """CASE has inputs: files by name; outputs: type, shape and first point by name; scalars: values by name; programs: by
    name the library, function and, of ours, parameters; seconds. Values are compared with those of the first program.
    """
    case = json.load(sys.stdin)
    arrays = {name: np.load(path) for name, path in case["inputs"].items()}
    outputs = {name: np.empty(o["shape"], o["type"]) for name, o in case["outputs"].items()}
    firsts = {name: o["first"] for name, o in case["outputs"].items()}
    calls, values = {}, {}
    for name, program in case["programs"].items():
        library = ctypes.CDLL(program["library"])
        everything = arrays | outputs, case["scalars"]
        if "parameters" in program:
            calls[name] = call_of_ours(library, program["function"], program["parameters"], *everything)
        else:
            calls[name] = call_of_halide(library, program["function"], everything[0], firsts, everything[1])
        spoiled(outputs)
        timed(calls[name])
        values[name] = {n: a.copy() for n, a in outputs.items()}
    times = called_in_turn(calls, case["seconds"]) if case["seconds"] else {}
    reference = next(iter(values.values()))
    json.dump({"programs": {name: summary(t) for name, t in times.items()},
               "differences": {name: {n: difference(a, reference[n]) for n, a in v.items()} for name, v in values.items()}},
              sys.stdout)


if __name__ == "__main__":
    main()
