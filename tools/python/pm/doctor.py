"""What makes machine code here, and where it is: python -m pm doctor."""
import ctypes
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys

import pm

PACKAGE = os.path.dirname(os.path.abspath(pm.__file__))


def distribution():
    """The name that pip knows the package by; None where pip has not installed it."""
    for candidate in importlib.metadata.distributions(path=[os.path.dirname(PACKAGE)]):
        if any(str(file) == "pm/_pm.abi3.so" for file in candidate.files or []):
            return candidate.metadata["Name"]
    return None


def loaded(name):
    """The path of a shared object of this process, by the beginning of its name; None: it has none."""
    with open("/proc/self/maps") as maps:
        paths = (line.split(maxsplit=5)[5].strip() for line in maps if "/" in line)
        return next((path for path in paths if os.path.basename(path).startswith(name)), None)


def libpm():
    return loaded("libpm.so")


def llvm():
    """LLVM's shared object, opened as the library does it, and what the system says where it cannot: one of both is None."""
    folder = os.path.dirname(libpm())
    files = [os.path.join(folder, "pm", "pm-llvm.so"), os.path.join(folder, "pm-llvm.so")]
    file = next(filter(os.path.exists, files), None)
    if file is None:
        return None, f"there is no '{files[0]}'"
    try:
        ctypes.CDLL(file)
    except OSError as error:
        return None, str(error)
    return ctypes.CDLL(loaded("libLLVM")), None


def text_of(library, function):
    """What a function of LLVM without arguments returns, a text."""
    getattr(library, function).restype = ctypes.c_char_p
    return getattr(library, function)().decode()


def llvm_version(library):
    numbers = [ctypes.c_uint() for _ in range(3)]
    library.LLVMGetVersion(*map(ctypes.byref, numbers))
    return ".".join(str(number.value) for number in numbers)


def compiler():
    """The first line of what `cc` says of itself with its path, and what is wrong with it: one of both is None."""
    path = shutil.which("cc")
    if path is None:
        return None, "no cc in PATH"
    said = subprocess.run([path, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if said.returncode or not said.stdout:
        return None, f"'{path} --version' fails"
    return f"{said.stdout.splitlines()[0]}, {path}", None


def processor(library):
    if library is not None:
        return text_of(library, "LLVMGetHostCPUName")
    with open("/proc/cpuinfo") as file:
        names = re.findall(r"^model name\s*: (.*)$", file.read(), re.M)
    return names[0] if names else platform.machine()


def threads():
    """As targets/lib/pool.c counts them."""
    said = re.match(r"\s*\+?(\d+)", os.environ.get("OMP_NUM_THREADS", ""))
    return said and int(said[1]) or len(os.sched_getaffinity(0))


def cache():
    """As targets/lib/cache_folder.h has it."""
    own, every, home = (os.environ.get(name) for name in ("PM_CACHE_DIR", "XDG_CACHE_HOME", "HOME"))
    if own is not None:
        return own or "none: PM_CACHE_DIR is empty"
    if every and every.startswith("/"):
        return every + "/pm"
    return home + "/.cache/pm" if home else "none: there is no HOME"


def numpy():
    try:
        return importlib.metadata.version("numpy")
    except importlib.metadata.PackageNotFoundError:
        return "not found"


def main():
    library, no_llvm = llvm()
    cc, no_cc = compiler()
    target = "llvm" if library is not None else "c" if cc else None
    rows = [
        ("version", f"{pm.__version__}, {PACKAGE}"),
        ("Python", f"{platform.python_version()}, NumPy {numpy()}"),
        ("libpm", libpm()),
        ("LLVM", f"{llvm_version(library)}, {loaded('libLLVM')}" if library is not None else f"not found: {no_llvm}"),
        ("C compiler", cc or f"not found: {no_cc}"),
        ("default target", target or "none"),
        ("cache", cache()),
        ("threads", threads()),
        ("processor", processor(library)),
    ]
    for name, value in rows:
        print(f"{name:<16}{value}")
    if target:
        return 0
    name = distribution()
    ways = ([f"pip install '{name}[llvm]'"] if name else []) + ["apt install gcc"]
    print(f"no LLVM 19 and no C compiler: {', or '.join(ways)}", file=sys.stderr)
    return 1
