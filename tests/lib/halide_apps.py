"""The programs of bench/pipelines/halide on random pictures, against the interpreter.

  halide_apps.py APP TARGET SCHEDULE WIDTHxHEIGHT…    SCHEDULE: that of the program, by its number, or none
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

PIPELINES = os.path.join(os.path.dirname(__file__), "..", "..", "bench", "pipelines", "halide")

# Per app: channels of the picture and its type, outputs whose extents no input gives, scalars, options.
APPS = {
    "bilateral_grid": (None, "f4", {}, {"r_sigma": 0.1}, ["--range=r_sigma=0.05:1"]),
    "blur": (None, "u2", {}, {}, []),
    "box_pyramid": (None, "u1", {"coarse": (5, 4), "mean": (31, 23)}, {}, []),
    "camera_pipe": (None, "u2", {}, {"color_temp": 3700, "gamma": 2, "contrast": 50, "strength": 1, "black": 25,
                                     "white": 1023}, []),
    "harris": (3, "f4", {}, {}, []),
    "histeq": (3, "u1", {"out": (None, None, 3)}, {}, []),
    "iir_blur": (2, "f4", {"blurred": (37, 41, 2)}, {"alpha": 0.3}, []),
    "interpolate": (4, "f4", {"out": (31, 29, 3)}, {}, []),
    "local_laplacian": (3, "u2", {}, {"intensities": 6, "alpha": 1, "beta": 1}, []),
    "unsharp": (3, "f4", {}, {}, []),
}


def picture(rng, channels, kind, width, height):
    shape = (height, width) if channels is None else (channels, height, width)
    if kind == "f4":
        return rng.random(shape, dtype=np.float32) + np.float32(0.05)
    return rng.integers(0, 1023 if kind == "u2" else 256, shape).astype(kind)


def run(app, target, schedule, width, height, folder):
    channels, kind, extents, scalars, options = APPS[app]
    program = os.path.join(PIPELINES, app + ".cpp")
    rng = np.random.default_rng(width)
    files = {"in": picture(rng, channels, kind, width, height)}
    if app == "camera_pipe":
        files.update({name: rng.random((3, 4), dtype=np.float32) for name in ("m3200", "m7000")})
    words = ["pm-run", program, "--check", "--fp=strict", "--threads=2", f"--target={target}", *options]
    if target == "c":
        words.append("--cflags=-O0 -fopenmp")
    if schedule == "none":
        words.append("--schedule=none")
    else:
        words.append("--const=schedule=" + schedule)
    for name, array in files.items():
        np.save(os.path.join(folder, name + ".npy"), array)
        words += ["--in", f"{name}={folder}/{name}.npy"]
    words += [word for name, value in scalars.items() for word in ("--param", f"{name}={value}")]
    for name, sizes in extents.items():
        for d, size in enumerate(sizes):
            if size is not None:
                words += ["--param", f"{name}_extent_{d}={size}"]
    return subprocess.run(words, check=False).returncode


def main():
    app, target, schedule, *sizes = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        codes = [run(app, target, schedule, *map(int, size.split("x")), folder) for size in sizes]
    sys.exit(max(codes))


if __name__ == "__main__":
    main()
