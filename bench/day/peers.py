"""The same filters by others: array libraries as their users write them, and CUDA by hand. `xp` is CuPy or NumPy, `ndi` its
ndimage.
"""
import ctypes
import os
import shutil
import statistics
import subprocess
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
WEIGHTS = [0.070766, 0.244461, 0.369546, 0.244461, 0.070766]

# Rows of the same filters, and columns of the picture at the border that differ.
ROWS = {"gauss": "gauss5_f32-clamp", "sobel": "sobel", "harris": "harris"}
BORDERS = {"gauss": 0, "sobel": 0, "harris": 2}
BY_HAND = ["gauss", "harris"]


def gauss(xp, ndi, img):
    weights = xp.array(WEIGHTS, xp.float32)
    return ndi.correlate1d(ndi.correlate1d(img, weights, axis=1, mode="nearest"), weights, axis=0, mode="nearest")


def sobel(xp, ndi, img):
    return xp.hypot(ndi.sobel(img, axis=0, mode="nearest"), ndi.sobel(img, axis=1, mode="nearest"))


def harris(xp, ndi, img):
    ix, iy = (ndi.sobel(img, axis=axis, mode="nearest") / 12 for axis in (0, 1))
    sxx, syy, sxy = (ndi.uniform_filter(p, 3, mode="nearest") * 9 for p in (ix * ix, iy * iy, ix * iy))
    trace = sxx + syy
    return sxx * syy - sxy * sxy - 0.04 * trace * trace


FILTERS = {"gauss": gauss, "sobel": sobel, "harris": harris}


def by_cupy(name, img, calls):
    """The result, and the median time of a call on the device."""
    import cupy
    import cupyx.scipy.ndimage as ndi

    there, seconds = cupy.asarray(img), []
    for i in range(calls + 2):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        result = FILTERS[name](cupy, ndi, there)
        end.record()
        end.synchronize()
        if i >= 2:
            seconds.append(1e-3 * cupy.cuda.get_elapsed_time(begin, end))
    return cupy.asnumpy(result), statistics.median(seconds)


def by_scipy(name, img, calls):
    """On the host, in a rehearsal: the same text, which has then been run."""
    import scipy.ndimage as ndi

    seconds = []
    for _ in range(calls):
        begin = time.perf_counter()
        result = FILTERS[name](np, ndi, img)
        seconds.append(time.perf_counter() - begin)
    return result, statistics.median(seconds)


def compile_cuda(name, folder):
    """The shared object of NAME.cu, for the device that is here."""
    path = os.path.join(folder, f"{name}.cu.so")
    compiler = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    subprocess.run([compiler, "-O3", "-arch=native", "--shared", "-Xcompiler", "-fPIC", "-o", path, os.path.join(HERE, f"{name}.cu")],
                   check=True, capture_output=True, text=True)
    return path


def by_hand(path, img, calls):
    """Of what compile_cuda has made."""
    result, milliseconds = np.empty_like(img), (ctypes.c_float * calls)()
    rows, columns = img.shape
    library = ctypes.CDLL(path)
    if library.run(ctypes.c_void_p(img.ctypes.data), ctypes.c_void_p(result.ctypes.data), rows, columns, calls, milliseconds):
        raise RuntimeError("CUDA failed; the log says where")
    return result, 1e-3 * statistics.median(milliseconds)


def inside(name, array):
    width = BORDERS[name]
    return array[width : array.shape[0] - width, width : array.shape[1] - width]
