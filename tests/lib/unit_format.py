"""A lit test per program of tests/unit, which the build has as unit_NAME, with a result of its own for each test in it."""
import os
import re
import subprocess

import lit.formats
import lit.Test

from counted_format import counted

ENDED = re.compile(r"^\[ +(OK|FAILED) +\] (\w+)$", re.MULTILINE)
DULL = re.compile(r"^\[ +(OK|RUN) +\].*\n", re.MULTILINE)


class Unit(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, config):
        for name in sorted(os.listdir(suite.getSourcePath(path_in_suite))):
            if name.endswith(".c"):
                yield lit.Test.Test(suite, path_in_suite + (name,), config)

    @counted
    def execute(self, test, lit_config):
        program = os.path.join(test.config.build, "unit_" + test.path_in_suite[-1].removesuffix(".c"))
        if not os.path.exists(program):
            return lit.Test.FAIL, f"{program} is missing: the build has found no cmocka\n"
        run = subprocess.run([program], cwd=os.path.dirname(test.suite.source_root), env=test.config.environment, text=True, errors="replace",
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        result = lit.Test.Result(lit.Test.FAIL if run.returncode else lit.Test.PASS, DULL.sub("", run.stdout))
        for name, word in dict(map(reversed, ENDED.findall(run.stdout))).items():
            result.addMicroResult(name, lit.Test.Result(lit.Test.PASS if word == "OK" else lit.Test.FAIL))
        return result
