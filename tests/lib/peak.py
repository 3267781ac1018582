"""peak.py NAME ROWSxCOLS LIMIT: a benchmark by the default pipeline, called with one thread and with two: it allocates what it
says (compiled.py compares), which is at most LIMIT bytes a thread."""
import sys
import tempfile

import numpy as np

from benchmarks import BENCHMARKS
from compiled import Compiled


def main():
    name, size, limit = sys.argv[1], tuple(int(n) for n in sys.argv[2].split("x")), int(sys.argv[3])
    benchmark = BENCHMARKS[name]
    inputs = {key: np.ascontiguousarray(a) for key, a in benchmark.inputs(*size).items()}
    scalars = {**benchmark.sizes(*size), **benchmark.scalars}
    with tempfile.TemporaryDirectory() as folder:
        function = Compiled(benchmark.path, f"{folder}/{name}.so", ["--cflags=-O0 -fopenmp"])
        like = {function.outputs()[0]: benchmark.expected(inputs)}
        for threads in 1, 2:
            function.call(inputs, scalars, like, threads)
            said = function.scratch_bytes(scalars)
            print(f"{name} {size[0]}x{size[1]}, {threads} threads: {said} bytes")
            if said > limit * threads:
                sys.exit(f"expected at most {limit} bytes a thread")


main()
