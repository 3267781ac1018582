"""Compiled functions that are called, compared and timed, and what the device's compiler says of their kernels. What numpy and
the Python library have is all that is needed.
"""
import ctypes
import os
import re
import statistics
import time

import numpy as np

FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GARBAGE = 0xA5
WARM_UP = 0.2  # seconds
CTYPES = {"bool": ctypes.c_bool, "float32": ctypes.c_float, "float64": ctypes.c_double} | {
    f"{u}int{bits}": getattr(ctypes, f"c_{u}int{bits}") for bits in (8, 16, 32, 64) for u in ("", "u")}

# Functions whose results the device rounds as it likes, within limits.
OWN_FUNCTIONS = re.compile(r"\b(exp|log|pow|sin|cos|tan|exp2|log2|exp10|log10|asin|acos|atan|atan2|sinh|cosh|tanh)\(")

# Without exact values: floats are equal within NEAR of the output's greatest value. What is not may be a share of the elements,
# and be off by FAR of that value, integers by 1 in any case: where a float becomes an index, its last bit decides.
NEAR, MAY_DIFFER, FAR = 1e-5, 0.005, 0.005


class Failure(Exception):
    pass


class KernelTimes(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("launches", ctypes.c_int64), ("bytes", ctypes.c_int64),
                ("queued_seconds", ctypes.c_double), ("waiting_seconds", ctypes.c_double), ("seconds", ctypes.c_double)]


def open_loader():
    """The folder's OpenCL, which functions that look for the library find then."""
    ctypes.CDLL(os.path.join(FOLDER, "lib", "libOpenCL.so.1"), ctypes.RTLD_GLOBAL)


class Function:
    """`pipeline` of a shared object, whose arguments are those of make.py."""

    def __init__(self, path, arguments):
        self.library = ctypes.CDLL(os.path.abspath(path))
        self.arguments = arguments
        self.library.pipeline_strerror.restype = ctypes.c_char_p
        self.library.pipeline_extent.restype = ctypes.c_int64

    def of(self, use):
        return [(kind, name, rank) for u, kind, name, rank in self.arguments if u == use]

    def scalars(self, values):
        return [CTYPES[kind](values[name] if "float" in kind else int(values[name])) for kind, name, _ in self.of("scalar")]

    def must(self, status):
        if status:
            text = self.library.pipeline_strerror(status)
            raise Failure(f"returned {status}: {(text or b'').decode(errors='replace')}")

    def shapes(self, scalars):
        """By name; arrays are counted in the order of a call, dimensions from the outermost."""
        arrays = [a for a in self.arguments if a[0] != "scalar"]
        values = self.scalars(scalars)
        return {name: tuple(max(0, self.library.pipeline_extent(*values, i, d)) for d in range(rank))
                for i, (_, _, name, rank) in enumerate(arrays)}

    def new_outputs(self, scalars, shapes=None):
        shapes = shapes or self.shapes(scalars)
        outputs = {name: np.empty(shapes[name], kind) for kind, name, _ in self.of("out")}
        for array in outputs.values():
            array.reshape(-1).view(np.uint8).fill(GARBAGE)
        return outputs

    def call(self, inputs, scalars, outputs):
        arrays = inputs | outputs
        pointers = [ctypes.c_void_p(arrays[name].ctypes.data) for use, _, name, _ in self.arguments if use != "scalar"]
        self.must(self.library.pipeline(*self.scalars(scalars), *pointers))

    def use_threads(self, number):
        for name in ("pm_set_threads", "omp_set_num_threads"):  # neither where nothing is parallel
            if hasattr(self.library, name):
                getattr(self.library, name)(number)
                return


class OnDevice:
    """Calls of a function whose arrays are on the device."""

    def __init__(self, function, inputs, scalars):
        library = self.library = function.library
        library.pipeline_device_array.restype = ctypes.c_void_p
        self.function, self.inputs, self.scalars = function, inputs, function.scalars(scalars)
        self.outputs, self.memory = function.new_outputs(scalars), {}
        self.send()

    def array(self, name):
        return self.inputs[name] if name in self.inputs else self.outputs[name]

    def send(self):
        for name in (name for use, _, name, _ in self.function.arguments if use != "scalar"):
            array = self.array(name)
            memory = ctypes.c_void_p(self.library.pipeline_device_array(ctypes.c_size_t(array.nbytes)))
            if not memory:
                self.function.must(7)
            self.memory[name] = memory
            self.move(self.library.pipeline_device_write, name)

    def move(self, call, name):
        array = self.array(name)
        self.function.must(call(self.memory[name], ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)))

    def read(self):
        for name in self.outputs:
            self.move(self.library.pipeline_device_read, name)
        return self.outputs

    def begin_profile(self):
        """The queue is exchanged for one that times kernels, while nobody has arrays."""
        for memory in self.memory.values():
            self.library.pipeline_device_free(memory)
        self.function.must(self.library.pipeline_profile(1))
        self.send()

    def call(self):
        """Seconds until all of it is done."""
        begin = time.perf_counter()
        self.function.must(self.library.pipeline_device(None, *self.scalars, *self.memory.values()))
        self.function.must(self.library.pipeline_device_wait())
        return time.perf_counter() - begin

    def kernels(self):
        """(name, launches, seconds) of each kernel, of all calls since the profile began."""
        times, found = KernelTimes(), []
        while self.library.pipeline_kernel_times(len(found), ctypes.byref(times)):
            found.append((times.name.decode(), times.launches, times.seconds))
        return found

    def kernel_seconds(self, calls):
        """Medians of what all kernels of a call take, and how often each of them is launched."""
        self.begin_profile()
        warm_up(self.call)
        seconds, before = [], self.kernels()
        for _ in range(calls):
            self.call()
            now = self.kernels()
            seconds.append(sum(n[2] for n in now) - sum(b[2] for b in before))
            launched = {n[0]: n[1] - b[1] for n, b in zip(now, before) if n[1] > b[1]}
            before = now
        return statistics.median(seconds), launched

    def measure(self, calls):
        """The first call, which builds the kernels; medians of a call and of its kernels; launches of each in a call. The outputs
        of the first call are read."""
        first = self.call()
        self.read()
        warm_up(self.call)
        call = statistics.median(self.call() for _ in range(calls))
        kernels, launches = self.kernel_seconds(calls)
        return {"first_s": first, "call_s": call, "kernels_s": kernels, "launches": launches,
                "bytes": sum(self.array(name).nbytes for name in self.memory)}


def warm_up(call):
    """Until clocks have risen."""
    until = time.perf_counter() + WARM_UP
    call()
    while time.perf_counter() < until:
        call()


# --- comparison ---


def off_by(got, want):
    """Absolute differences; none between NaNs, and infinite ones to a NaN."""
    if got.dtype.kind != "f":
        return np.abs(got.astype(np.int64) - want.astype(np.int64)).astype(np.float64)
    with np.errstate(all="ignore"):
        off = np.abs(got.astype(np.float64) - want.astype(np.float64))
    off[(got == want) | (np.isnan(got) & np.isnan(want))] = 0
    off[np.isnan(off)] = np.inf
    return off


def other_bits(got, want):
    """Where elements are not the same, and not both NaN."""
    bits = [a.view(f"u{a.itemsize}") for a in (got, want)]
    return (bits[0] != bits[1]) & ~((got != got) & (want != want))


def difference(name, got, want, exact):
    """What differs, as text, or '', and the greatest difference."""
    if got.size == 0:
        return "", 0.0
    floats, off = got.dtype.kind == "f", off_by(got, want)
    most = np.abs(want[np.isfinite(want)].astype(np.float64)).max(initial=0)
    greatest = float(off.max())
    wrong = other_bits(got, want) if exact else off > (NEAR * most if floats else 0)
    count = int(np.count_nonzero(wrong))
    if count == 0 or (not exact and count <= MAY_DIFFER * got.size and greatest <= max(FAR * most, 0 if floats else 1)):
        return "", greatest
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (f"'{name}' differs in {count} of {got.size} elements, the first at {at}: {got[at]}, expected {want[at]};"
            f" the greatest difference is {greatest:.6g}"), greatest


def compare(got, want, exact):
    """The greatest difference; a failure says what differs."""
    greatest = 0.0
    for name in want:
        if got[name].shape != want[name].shape:
            raise Failure(f"'{name}' is of {got[name].shape}, expected {want[name].shape}")
        text, off = difference(name, got[name], want[name], exact)
        if text:
            raise Failure(text)
        greatest = max(greatest, off)
    return greatest


# --- kernels ---


RESOURCES = {"registers": r"Used (\d+) registers", "stack": r"(\d+) bytes stack frame", "spilled": r"(\d+) bytes spill stores",
             "local": r"(\d+) bytes smem"}
C_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)")


def unescaped(match):
    """A character of a string in C."""
    word = match[1]
    return chr(int(word, 8)) if word.isdigit() else {"n": "\n", "t": "\t"}.get(word, word)


def kernel_text(source):
    """The OpenCL C in a file of the target, and the options that it is built with."""
    with open(source, encoding="utf-8") as file:
        text = file.read()
    lines = re.search(r"pm_cl_source\[\] = \{\n(.*?)\n\};", text, re.DOTALL)[1]
    options = re.search(r'pm_cl_options\[\] = "(.*?)";', text)[1]
    return "".join(C_ESCAPE.sub(unescaped, line.strip()[1:-2]) for line in lines.splitlines()), options


def is_exact(source):
    """All that the kernels compute is rounded as in the interpreter."""
    return not OWN_FUNCTIONS.search(kernel_text(source)[0])


def build_log(function, source, options):
    """Builds the kernels once more, with more options, and returns what the device's compiler says. The constants are those of
    CL/cl.h, the options those of pm_cl_find_program in targets/opencl/runtime.c."""
    queue_device, queue_context, program_log, local_bytes = 0x1091, 0x1090, 0x1183, 0x1023
    cl = ctypes.CDLL("libOpenCL.so.1")
    cl.clCreateProgramWithSource.restype = ctypes.c_void_p
    function.library.pipeline_device_queue.restype = ctypes.c_void_p
    queue = ctypes.c_void_p(function.library.pipeline_device_queue())
    if not queue:
        function.must(7)

    def ask(call, *arguments, result):
        size = ctypes.sizeof(result)
        call(*arguments, ctypes.c_size_t(size), ctypes.byref(result), None)
        return result

    device = ask(cl.clGetCommandQueueInfo, queue, queue_device, result=ctypes.c_void_p())
    context = ask(cl.clGetCommandQueueInfo, queue, queue_context, result=ctypes.c_void_p())
    local = ask(cl.clGetDeviceInfo, device, local_bytes, result=ctypes.c_uint64()).value
    text, own = kernel_text(source)
    code = ctypes.c_int()
    words = ctypes.c_char_p(text.encode())
    program = ctypes.c_void_p(cl.clCreateProgramWithSource(context, 1, ctypes.byref(words), None, ctypes.byref(code)))
    wanted = f"{own} -DPM_LOCAL_BYTES={local - local // 16} -DPM_SMALL {options}"
    cl.clBuildProgram(program, 1, ctypes.byref(device), wanted.encode(), None, None)
    log = ask(cl.clGetProgramBuildInfo, program, device, program_log, result=ctypes.create_string_buffer(1 << 20))
    cl.clReleaseProgram(program)
    return log.value.decode(errors="replace")


def resources(log):
    """Of each kernel what NVIDIA's compiler says with -cl-nv-verbose: registers, bytes of arrays and values that are in none,
    bytes of those that are spilled, bytes of local memory."""
    found = {}
    for name, body in re.findall(r"Compiling entry function '(\w+)'(.*?)(?=Compiling entry|\Z)", log, re.DOTALL):
        matches = {key: re.search(pattern, body) for key, pattern in RESOURCES.items()}
        found[name] = {key: int(match[1]) if match else 0 for key, match in matches.items()}
    return found
