"""Every pass of the default pipeline alone, on text, and every prefix of it: nothing may change what is computed.

  chain.py PROGRAM --params R=20,C=31 [--set PASS=OPTIONS]… [--before PASS=PASS{OPTIONS}]… [--fp strict]
PROGRAM is a .py or .pmir file. The text after each pass is the next one's input; each is printed and parsed again,
and interpreted (stages by definition, loops step by step) beside the program as it was. What has a schedule is also
lowered to loops at once, so that every intermediate schedule is run. At the end, all passes in one run must print the
text of the last step.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import pipeline_text

SCHEDULE_PASSES = ["align-scale", "group", "tile-split", "tile-diamond", "tile", "storage", "pool", "mark-parallel", "verify-schedule"]


class Failure(Exception):
    pass


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise Failure(f"exit status {result.returncode}: {' '.join(command)}\n{result.stderr}")
    return result.stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def steps(text):
    """The passes one by one, each as a pipeline of its own; those inside stage.pipeline(...) stay inside it."""
    for part in pipeline_text.split(text):
        nested = part.partition("(")
        if nested[1]:
            yield from (f"{nested[0]}({inner})" for inner in pipeline_text.split(nested[2][:-1]))
        else:
            yield part


def name_of(step):
    return step.partition("(")[2].rstrip(")").partition("{")[0] or step.partition("{")[0]


def compare(original, params, *options):
    run("pm-interp", original, *(f for p in params for f in ("--param", p)), *options)


def check_printed_again(path, again):
    run("pm-opt", path, "-o", again)
    if read(path) != read(again):
        raise Failure(f"{path} prints differently the second time")


def check_lowered(original, path, params, done):
    """Lowers a schedule as it is, with only the storage that lowering needs."""
    rest = [] if "storage" in done else ["stage.pipeline(storage)"]
    compare(original, params, f"--compare={path}", f"--pass-pipeline={','.join(rest + ['lower-poly'])}")


def check_chain(original, params, pipeline, folder):
    current, done = original, []
    for number, step in enumerate(steps(pipeline)):
        following = os.path.join(folder, f"{number:02}-{name_of(step)}.pmir")
        run("pm-opt", current, f"--pass-pipeline={step}", "-o", following)
        done.append(name_of(step))
        check_printed_again(following, os.path.join(folder, "again.pmir"))
        compare(original, params, f"--compare={following}")
        if name_of(step) in SCHEDULE_PASSES:
            check_lowered(original, following, params, done)
        current = following
    return current, len(done)


def check_prefixes(original, params, pipeline):
    prefixes = pipeline_text.prefixes(pipeline)
    for prefix in prefixes:
        compare(original, params, f"--pass-pipeline={prefix}")
    return len(prefixes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--params", default="")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--before", action="append", default=[])
    parser.add_argument("--fp", default="strict")
    a = parser.parse_args()
    params = [p for p in a.params.split(",") if p]
    by_pass = lambda texts: {k.replace("-", "_"): v for k, v in (t.split("=", 1) for t in texts)}
    pipeline = pipeline_text.with_options(pipeline_text.default_pipeline(), **by_pass(a.set))
    pipeline = pipeline_text.with_pass_before(pipeline, **by_pass(a.before))
    with tempfile.TemporaryDirectory() as folder:
        original = os.path.join(folder, "original.pmir")
        run("pm-translate", a.program, "--to=pmir", "--fp", a.fp, "-o", original)
        last, alone = check_chain(original, params, pipeline, folder)
        whole = os.path.join(folder, "whole.pmir")
        run("pm-opt", original, f"--pass-pipeline={pipeline}", "-o", whole)
        if read(whole) != read(last):
            raise Failure("all passes in one run print another text than one by one")
        print(f"{alone} passes alone and {check_prefixes(original, params, pipeline)} prefixes keep the values")


try:
    main()
except Failure as failure:
    sys.exit(str(failure))
