"""Which generators of Halide's own applications compile, and what the first message of the others is.

  generators.py FOLDER [PMC]
FOLDER is `apps` of Halide's sources. Each generator is compiled as it says, and with --schedule=none: `runs`, `none`
(without its schedule only) or `no`. The generator parameters are those of the applications' own builds; a parameter that
an index is multiplied with has to be one number here.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

STRIDES = ["--range=stride_x=2:2", "--range=stride_y=2:2"]
OPTIONS = {
    "add@HelloPyTorch": ["--const=input_a.type=float32", "--const=input_b.type=float32", "--const=output.type=float32"],
    "add_grad": ["--const=input_a.type=float32", "--const=input_b.type=float32", "--const=d_output.type=float32",
                 "--const=d_input_a.type=float32", "--const=d_input_b.type=float32"],
    "auto_viz_demo": ["--range=scale_factor=0.5:0.5"],
    "bilateral_grid": ["--range=r_sigma=0.05:1"],
    "fft": ["--const=size0=16", "--const=size1=16", "--const=output_number_type=complex", "--const=gain=0.00390625"],
    "linear_blur": ["--schedule=none"],
    "linear_to_srgb": ["--const=linear.type=float32", "--const=linear.dim=3"],
    "mat_mul": ["--const=size=1024"],
    "resize": ["--const=input.type=uint8", "--const=output.type=uint8", "--range=scale_factor=0.5:0.5"],
    "simple_blur": ["--const=input.type=float32", "--const=input.dim=3"],
    "srgb_to_linear": ["--const=srgb.type=float32", "--const=srgb.dim=3"],
    "AveragePool": STRIDES,
    "Conv": ["--const=output.type=uint8"],
    "Copy": ["--const=input.type=uint8", "--const=output.type=uint8"],
    "DepthwiseConv": ["--const=inv_depth_multiplier=1", "--range=dilation_x=1:1", "--range=dilation_y=1:1",
                      "--range=input_stride_x=1:1", *STRIDES],
    "Elementwise": ["--const=inputs.size=5", "--const=inputs.type=uint8", "--const=output1_type=uint8"],
    "MaxPool": STRIDES,
}


def options_of(app, name):
    words = OPTIONS.get(f"{name}@{app}") or OPTIONS.get(name, [])
    shared = ["-I", "hannk", "--include=hannk/halide/common_halide.cpp"] if app == "hannk" else []
    return shared + words


def generators(folder):
    for path in sorted(glob.glob("**/*.cpp", root_dir=folder, recursive=True)):
        if not re.search(r"_generators?\.cpp$|Generator\.cpp$", path):
            continue
        with open(os.path.join(folder, path), encoding="utf-8") as file:
            text = re.sub(r"//[^\n]*", "", file.read())
        for name in re.findall(r"HALIDE_REGISTER_GENERATOR\([^,()]+,\s*(\w+)", text):
            yield path, name


def first_error(pmc, folder, words, scratch):
    run = subprocess.run([pmc, *words, "-o", os.path.join(scratch, "out.c")], cwd=folder, capture_output=True, text=True,
                         timeout=300, check=False)
    if run.returncode == 0:
        return ""
    found = re.search(r"error: (.*)", run.stderr)
    return found[1] if found else f"exit status {run.returncode}"


def main():
    folder, pmc = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "pmc"
    counts = {"runs": 0, "none": 0, "no": 0}
    with tempfile.TemporaryDirectory() as scratch:
        for path, name in generators(folder):
            words = [path, f"--generator={name}", *options_of(path.split("/")[0], name)]
            error = first_error(pmc, folder, words, scratch)
            without = error and first_error(pmc, folder, [*words, "--schedule=none"], scratch)
            word = "runs" if not error else "no" if without else "none"
            counts[word] += 1
            print(f"{word:4} {path} {name}{': ' if error else ''}{without or error}", flush=True)
    print(f"{counts['runs']} run, {counts['none']} without their schedule, {counts['no']} do not")


if __name__ == "__main__":
    main()
