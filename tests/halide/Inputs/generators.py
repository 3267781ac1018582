"""Which generators of Halide's own applications compile, and what the first message of the others is.

  generators.py FOLDER [PMC]
FOLDER is Halide's sources, or their `apps`. Each generator is compiled as it says, and with --schedule=none: `runs`,
`none` (without its schedule only) or `no`. The generator parameters are those of the sources' own builds; a parameter
that an index is multiplied with has to be one number here.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

def consts(words):
    return [f"--const={word}" for word in words.split()]


METADATA = """input.type=uint8 input.dim=3 dim_only_input_buffer.type=uint8 untyped_input_buffer.type=uint8
    untyped_input_buffer.dim=3 output.type=float32,float32 output.dim=3 input_not_nod.type=uint8 input_not_nod.dim=3
    input_nod.dim=3 input_not.type=uint8 array_input.size=2 array_i8.size=2 array_i16.size=2 array_i32.size=2
    array_h.size=2 buffer_array_input2.dim=3 buffer_array_input3.type=float32 buffer_array_input4.dim=3
    buffer_array_input4.type=float32 buffer_array_input5.size=2 buffer_array_input6.size=2 buffer_array_input6.dim=3
    buffer_array_input7.size=2 buffer_array_input7.type=float32 buffer_array_input8.size=2 buffer_array_input8.dim=3
    buffer_array_input8.type=float32 buffer_f16_untyped.type=float16 untyped_scalar_input.type=uint8
    array_outputs.size=2 array_outputs7.size=2 array_outputs8.size=2 array_outputs9.size=2"""
TYPES = "i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64".split()
NAMES = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64".split()
STRIDES = ["--range=stride_x=2:2", "--range=stride_y=2:2"]
OPTIONS = {
    "add@HelloPyTorch": ["--const=input_a.type=float32", "--const=input_b.type=float32", "--const=output.type=float32"],
    "add_grad": ["--const=input_a.type=float32", "--const=input_b.type=float32", "--const=d_output.type=float32",
                 "--const=d_input_a.type=float32", "--const=d_input_b.type=float32"],
    "auto_viz_demo": ["--range=scale_factor=0.5:0.5"],
    "bilateral_grid": ["--range=r_sigma=0.05:1"],
    "fft": ["--const=size0=16", "--const=size1=16", "--const=input_number_type=complex",
            "--const=output_number_type=complex", "--const=gain=0.00390625"],
    "linear_blur": ["--const=autoscheduler=Mullapudi2016"],
    "linear_to_srgb": ["--const=linear.type=float32", "--const=linear.dim=3"],
    "mat_mul": ["--const=size=1024"],
    "resize": ["--const=input.type=uint8", "--const=output.type=uint8", "--range=scale_factor=0.5:0.5"],
    "simple_blur": ["--const=input.type=float32", "--const=input.dim=3"],
    "srgb_to_linear": ["--const=srgb.type=float32", "--const=srgb.dim=3"],
    "all_type_names_generic": [f"--const=input_{t}.type={name}" for t, name in zip(TYPES, NAMES)],
    "complexcpp": consts("""simple_input.type=uint8 tuple_output.type=float32,float32 untyped_buffer_input.type=uint8
                            untyped_buffer_output.type=uint8 untyped_buffer_output.dim=3"""),
    "metadata_tester": consts(METADATA),
    "my_second_generator": consts("parallel=false scale=3.0 rotation=ccw output.type=uint16"),
    "pyramid": consts("levels=10"),
    "string_param": ["--const=rpn_expr=x y 5 * +"],
    "stubtest": consts("""untyped_buffer_input.type=uint8 untyped_buffer_input.dim=3 simple_input.type=float32
                          array_input.type=float32 array_input.size=2 int_arg.size=2 tuple_output.type=float32,float32
                          vectorize=true"""),
    "AveragePool": STRIDES,
    "Conv": ["--const=output.type=uint8"],
    "Copy": ["--const=input.type=uint8", "--const=output.type=uint8"],
    "DepthwiseConv": ["--const=inv_depth_multiplier=1", "--range=dilation_x=1:1", "--range=dilation_y=1:1",
                      "--range=input_stride_x=1:1", *STRIDES],
    "Elementwise": ["--const=inputs.size=5", "--const=inputs.type=uint8", "--const=output1_type=uint8"],
    "MaxPool": STRIDES,
}


def options_of(path, name):
    """Of a generator in a file; the application is the folder in `apps`, or the first one."""
    folders = path.split("/")
    at = folders.index("apps") + 1 if "apps" in folders else 0
    root, app = "/".join(folders[:at + 1]), folders[at]
    words = OPTIONS.get(f"{name}@{app}") or OPTIONS.get(name, [])
    shared = {"hannk": ["-I", root, f"--include={root}/halide/common_halide.cpp"], "fft": [f"--include={root}/fft.cpp"]}
    return shared.get(app, []) + words


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
            words = [path, f"--generator={name}", *options_of(path, name)]
            error = first_error(pmc, folder, words, scratch)
            without = error and first_error(pmc, folder, [*words, "--schedule=none"], scratch)
            word = "runs" if not error else "no" if without else "none"
            counts[word] += 1
            print(f"{word:4} {path} {name}{': ' if error else ''}{without or error}", flush=True)
    print(f"{counts['runs']} run, {counts['none']} without their schedule, {counts['no']} do not")


if __name__ == "__main__":
    main()
