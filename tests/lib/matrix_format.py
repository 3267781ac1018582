"""A lit test per row of benchmarks.py: matrix.py on it. And one that every program of bench/pipelines has a row.

With clang and with sanitizers there are only small problems, grouped greedily, of the pipelines that are not slow.
"""
import os
import subprocess
import sys

import lit.formats
import lit.Test

from benchmarks import BENCHMARKS, ROOT
from counted_format import counted

COMPLETE = "every-program"


class Matrix(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, config):
        for name in [*BENCHMARKS, COMPLETE]:
            yield lit.Test.Test(suite, path_in_suite + (name,), config)

    @counted
    def execute(self, test, lit_config):
        name = test.path_in_suite[-1]
        if name == COMPLETE:
            return check_complete()
        features = test.config.available_features
        if BENCHMARKS[name].slow and "gcc" not in features:
            return lit.Test.UNSUPPORTED, ""
        command = [sys.executable, os.path.join(ROOT, "tests", "lib", "matrix.py"), name]
        if "gcc" in features:
            command += ["--long"] if "long" in features else []
        else:
            command += ["--brief"]
        run = subprocess.run(command, capture_output=True, text=True, env=test.config.environment)
        return (lit.Test.PASS, "") if run.returncode == 0 else (lit.Test.FAIL, run.stdout + run.stderr)


def check_complete():
    with_rows = {benchmark.file for benchmark in BENCHMARKS.values()}
    missing = sorted(set(os.listdir(os.path.join(ROOT, "bench", "pipelines"))) - with_rows)
    return (lit.Test.FAIL, f"no row in benchmarks.py: {missing}\n") if missing else (lit.Test.PASS, "")
