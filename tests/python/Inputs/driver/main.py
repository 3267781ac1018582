"""A driver as PolyMage's applications have them: C++ is written, compiled and called by addresses."""
import ctypes
import subprocess
import sys

import numpy as np

from compiler import *
from stages import sharpen

folder = sys.argv[1]
rows, cols = 61, 83
data = {}
sharp, blur = sharpen(data)
pipe = buildPipeline([sharp, blur], param_estimates=[(data["R"], rows), (data["C"], cols)],
                     param_constraints=[Condition(data["R"], "==", rows)], tile_sizes=[16, 16], group_size=11,
                     options=["pool_alloc"], pipe_name="unsharp")
pipe.pipeline_graph.write(folder + "/unsharp.dot")
with open(folder + "/unsharp.cpp", "w") as file:
    file.write(str(pipe.generate_code(is_extern_c_func=True, are_io_void_ptrs=True)))
subprocess.check_output(f"g++ -O3 -Wall -Werror -fPIC -shared {folder}/unsharp.cpp -o {folder}/unsharp.so", shell=True)
library = ctypes.cdll.LoadLibrary(folder + "/unsharp.so")

random = np.random.default_rng(1)
img, zoom = (random.random((rows + 2, cols + 2), dtype=np.float32) for _ in range(2))
out = {name: np.empty((rows + 2, cols + 2), np.float32) for name in ("blur", "sharp")}
arrays = [ctypes.c_void_p(a.ctypes.data) for a in (img, zoom, out["blur"], out["sharp"])]
library["pipeline_unsharp"](ctypes.c_int(cols), ctypes.c_int(rows), ctypes.c_float(0.5), *arrays)

window = sum(img[1 + i:rows + 1 + i, 1 + j:cols + 1 + j] for i in (-1, 0, 1) for j in (-1, 0, 1)) / 9
want = {"blur": np.zeros_like(img), "sharp": np.zeros_like(img)}
want["blur"][1:-1, 1:-1] = window
want["sharp"][1:-1, 1:-1] = img[1:-1, 1:-1] * 1.5 - window * 0.5 * zoom[1:-1, 1:-1]
print("equal" if all(np.allclose(out[n], want[n], rtol=1e-5, atol=1e-6) for n in out) else "different")
print(open(folder + "/unsharp.dot").read().split()[0])
