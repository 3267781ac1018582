"""The same filters by others: array libraries as their users write them, and CUDA by hand. `xp` is CuPy or NumPy, `ndi` its
ndimage, and `weights` are those of the Gaussian, which are there before.
"""
import ctypes
import os
import shutil
import statistics
import time

import numpy as np

import calling

HERE = os.path.dirname(os.path.abspath(__file__))
WEIGHTS = [0.070766, 0.244461, 0.369546, 0.244461, 0.070766]

# Rows of the same filters, and columns of the picture at the border that differ.
ROWS = {"gauss": "gauss5_f32-clamp", "sobel": "sobel", "harris": "harris"}
BORDERS = {"gauss": 0, "sobel": 0, "harris": 2}
BY_HAND = ["gauss", "harris"]


def gauss(xp, ndi, img, weights):
    return ndi.correlate1d(ndi.correlate1d(img, weights, axis=1, mode="nearest"), weights, axis=0, mode="nearest")


def sobel(xp, ndi, img, _):
    return xp.hypot(ndi.sobel(img, axis=0, mode="nearest"), ndi.sobel(img, axis=1, mode="nearest"))


def harris(xp, ndi, img, _):
    ix, iy = (ndi.sobel(img, axis=axis, mode="nearest") / 12 for axis in (0, 1))
    sxx, syy, sxy = (ndi.uniform_filter(p, 3, mode="nearest") * 9 for p in (ix * ix, iy * iy, ix * iy))
    trace = sxx + syy
    return sxx * syy - sxy * sxy - 0.04 * trace * trace


FILTERS = {"gauss": gauss, "sobel": sobel, "harris": harris}


def by_cupy(name, img, calls):
    """The result, and the median time of a call on the device."""
    import cupy
    import cupyx.scipy.ndimage as ndi

    there, weights, results = cupy.asarray(img), cupy.array(WEIGHTS, cupy.float32), []

    def call():
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        results[:] = [FILTERS[name](cupy, ndi, there, weights)]
        end.record()
        end.synchronize()
        return 1e-3 * cupy.cuda.get_elapsed_time(begin, end)

    calling.warm_up(call)
    seconds = statistics.median(call() for _ in range(calls))
    return cupy.asnumpy(results[0]), seconds


def by_scipy(name, img, calls):
    """On the host, in a rehearsal: the same text, which has then been run."""
    import scipy.ndimage as ndi

    seconds, weights = [], np.array(WEIGHTS, np.float32)
    for _ in range(calls):
        begin = time.perf_counter()
        result = FILTERS[name](np, ndi, img, weights)
        seconds.append(time.perf_counter() - begin)
    return result, statistics.median(seconds)


def nvcc():
    """Where it is, or None."""
    usual = "/usr/local/cuda/bin/nvcc"
    return shutil.which("nvcc") or (usual if os.path.exists(usual) else None)


def cuda_command(name, made):
    """Compiles NAME.cu for the device that is here."""
    return [nvcc(), "-O3", "-arch=native", "--shared", "-Xcompiler", "-fPIC", "-o", made, os.path.join(HERE, f"{name}.cu")]


def by_hand(path, img, calls):
    """By what cuda_command has made."""
    result, milliseconds = np.empty_like(img), (ctypes.c_float * calls)()
    rows, columns = img.shape
    library = ctypes.CDLL(path)
    if library.run(ctypes.c_void_p(img.ctypes.data), ctypes.c_void_p(result.ctypes.data), rows, columns, calls, milliseconds):
        raise RuntimeError("CUDA failed; the log says where")
    return result, 1e-3 * statistics.median(milliseconds)


def inside(name, array):
    width = BORDERS[name]
    return array[width : array.shape[0] - width, width : array.shape[1] - width]
