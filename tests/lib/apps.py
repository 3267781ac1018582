"""The larger benchmark pipelines against numpy, bit by bit.

  apps.py interpreted|compiled PROGRAM ROWSxCOLS…
  apps.py inputs PROGRAM ROWSxCOLS FOLDER
`interpreted` runs the stages by the reference interpreter, `compiled` what pm-run makes of them, `inputs` only writes
the arrays. The volumes of jacobi3d and minifluxdiv have ROWS in each dimension, and jacobi2d's pictures too.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

import reference
import reference_apps as apps

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def gray(rows, cols):
    return reference.unit(reference.pixels(1, rows, cols)[0])


def doubles(seed, *shape):
    return np.random.default_rng(seed).uniform(-1, 1, shape)



def raw(rows, cols):
    return {"img": apps.raw_picture(rows, cols), "matrix_3200": apps.MATRIX_3200, "matrix_7000": apps.MATRIX_7000}


def camera(rows, cols):
    inputs = raw(rows, cols)
    params = {"R": rows, "C": cols, "colour_temp": 3700, "contrast": 50, "gamma": 2}
    return inputs, params, {"process": apps.camera(**inputs)}


def histeq(rows, cols):
    img = reference.pixels(1, rows, cols)[0]
    return {"img": img}, {"R": rows, "C": cols}, {"equalised": apps.equalised(img)}


def bilateral(rows, cols):
    img = gray(rows, cols)
    return {"img": img}, {"R": rows, "C": cols}, {"filtered": apps.bilateral(img)}


def bilateral_halide(rows, cols):
    img = gray(rows, cols) * np.float32(1.2) - np.float32(0.1)
    return {"img": img}, {"R": rows, "C": cols, "r_sigma": 0.1}, {"filtered": apps.bilateral_halide(img)}


def jacobi2d(rows, _):
    v, f = doubles(1, rows + 2, rows + 2), doubles(2, rows + 2, rows + 2)
    return {"V": v, "F": f}, {"N": rows}, {"U": apps.jacobi(v, f)}


def jacobi3d(rows, _):
    v, f = doubles(1, *[rows + 2] * 3), doubles(2, *[rows + 2] * 3)
    return {"V": v, "F": f}, {"N": rows}, {"U": apps.jacobi(v, f)}


def minifluxdiv(rows, _):
    box = doubles(3, 5, *[rows + 4] * 3)
    return {"box": box}, {"N": rows}, {"sums": apps.minifluxdiv(box)}


PROGRAMS = {f.__name__: f for f in (camera, histeq, bilateral, bilateral_halide, jacobi2d, jacobi3d, minifluxdiv)}


def ramp(rows, _):
    """The box of minifluxdiv's check values."""
    c, z, y, x = np.indices((5, *[rows + 4] * 3)).astype(np.float64)
    return {"box": c + 0.5 * (z + y + x - 6)}


CHECKED = {"minifluxdiv": ramp, "camera": raw}


def command_line(how, name, folder):
    path = os.path.join(ROOT, "bench", "pipelines", name + ".py")
    if how == "compiled":
        return ["pm-run", path, "--fp", "strict"]
    subprocess.run(["pm-translate", path, "-o", f"{folder}/{name}.pmir"], check=True)
    return ["pm-interp", f"{folder}/{name}.pmir"]


def difference(name, got, expected):
    """None, or what is wrong."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"{name} is {got.dtype}{got.shape}, expected {expected.dtype}{expected.shape}"
    wrong = np.argwhere(got != expected)
    if len(wrong) == 0:
        return None
    at = tuple(wrong[0])
    return f"{len(wrong)} of {got.size} elements of {name} differ, first {at}: {got[at]!r}, expected {expected[at]!r}"


def run(how, name, rows, cols, folder):
    """The outputs that differ."""
    inputs, params, expected = PROGRAMS[name](rows, cols)
    command = command_line(how, name, folder)
    for key, value in params.items():
        if how == "interpreted" or not isinstance(value, int) or key not in ("R", "C", "N"):
            command += ["--param", f"{key}={value}"]
    for key, array in inputs.items():
        np.save(f"{folder}/{key}.npy", array)
        command += ["--in", f"{key}={folder}/{key}.npy"]
    for key in expected:
        command += ["--out", f"{key}={folder}/out-{key}.npy"]
    subprocess.run(command, check=True)
    found = [difference(key, np.load(f"{folder}/out-{key}.npy"), array) for key, array in expected.items()]
    return [f"{name} {rows}x{cols}: {what}" for what in found if what]


def write_inputs(name, size, folder):
    rows, cols = (int(n) for n in size.split("x"))
    arrays = CHECKED[name](rows, cols) if name in CHECKED else PROGRAMS[name](rows, cols)[0]
    for key, array in arrays.items():
        np.save(f"{folder}/{key}.npy", array)


def main():
    how, name, *sizes = sys.argv[1:]
    if how == "inputs":
        write_inputs(name, *sizes)
        return
    wrong = []
    for size in sizes:
        rows, cols = (int(n) for n in size.split("x"))
        with tempfile.TemporaryDirectory() as folder:
            wrong += run(how, name, rows, cols, folder)
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(bool(wrong))


main()
