"""Lit test formats whose results have the metric `cpu`: the processor time of the test's processes, in seconds.

lit runs one test at a time in each of its processes, so what ended since is the test's own. Tests that the configuration leaves
out (sanitized.py) are unsupported.
"""
import functools

import lit.formats
import lit.Test

import sanitized
from instructions import processor_seconds


def counted(execute):
    """Of the method `execute` of a format."""

    @functools.wraps(execute)
    def wrapped(self, test, lit_config):
        if "/".join(test.path_in_suite) in test.config.left_out:
            return lit.Test.Result(lit.Test.UNSUPPORTED, f"left out with sanitizers: {sanitized.LIST}")
        before = processor_seconds()
        with sanitized.recorded(test):
            result = execute(self, test, lit_config)
        if not isinstance(result, lit.Test.Result):
            result = lit.Test.Result(*result)
        result.addMetric("cpu", lit.Test.RealMetricValue(processor_seconds() - before))
        return result

    return wrapped


class Script(lit.formats.ShTest):
    @counted
    def execute(self, test, lit_config):
        return super().execute(test, lit_config)
