"""Every pass of the default pipeline alone, on text, and every prefix of it: nothing may change what is computed.

  chain.py PROGRAM --params R=20,C=31 [--set PASS=OPTIONS]… [--fp strict]
PROGRAM is a .py or .pmir file. The text after each pass is the next one's input; each is printed and parsed again,
and interpreted (stages by definition, loops step by step) beside the program as it was. (With sanitizers not printed and
parsed again: the next pass has parsed it.) What has a schedule is also
lowered to loops at once, so that every intermediate schedule is run. At the end, all passes in one run must give the same
texts, each after its pass.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import pipeline_text

SCHEDULE_PASSES = ["align-scale", "group", "tile", "storage", "pool", "expand-statements", "mark-parallel", "mark-isolate", "mark-prefetch", "verify-schedule"]


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
    """Lowers a schedule as it is, with only what lowering needs."""
    rest = [name for name in ("storage", "expand-statements", "mark-parallel") if name not in done]
    passes = ([f"stage.pipeline({','.join(rest)})"] if rest else []) + ["lower-poly"]
    compare(original, params, f"--compare={path}", f"--pass-pipeline={','.join(passes)}")


def check_chain(original, params, pipeline, folder):
    """The texts, one after each pass. What a pass leaves as it was has been compared."""
    current, done, texts = original, [], []
    for number, step in enumerate(steps(pipeline), 1):
        following = os.path.join(folder, f"{number:03}-{name_of(step)}.pmir")
        run("pm-opt", current, f"--pass-pipeline={step}", "-o", following)
        done.append(name_of(step))
        texts.append(following)
        if read(following) != read(current):
            if os.environ.get("PM_TEST_CONFIG") != "asan":
                check_printed_again(following, os.path.join(folder, "again.pmir"))
            compare(original, params, f"--compare={following}")
        if name_of(step) in SCHEDULE_PASSES:
            check_lowered(original, following, params, done)
        current = following
    return texts


def check_prefixes(original, pipeline, texts, folder):
    """In one run every prefix ends in the text that the passes end in one by one."""
    dumped = os.path.join(folder, "dumped")
    run("pm-opt", original, f"--pass-pipeline={pipeline}", f"--dump-ir={dumped}", "-o", "/dev/null")
    names = sorted(os.listdir(dumped))[1:]
    if names != [os.path.basename(text) for text in texts]:
        raise Failure(f"passes one by one: {texts}, in one run: {names}")
    for text, name in zip(texts, names):
        if read(text) != read(os.path.join(dumped, name)):
            raise Failure(f"{name} is another text in one run of the passes than one by one")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--params", default="")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--fp", default="strict")
    a = parser.parse_args()
    params = [p for p in a.params.split(",") if p]
    by_pass = lambda texts: {k.replace("-", "_"): v for k, v in (t.split("=", 1) for t in texts)}
    pipeline = pipeline_text.with_options(pipeline_text.default_pipeline(), **by_pass(a.set))
    with tempfile.TemporaryDirectory() as folder:
        original = os.path.join(folder, "original.pmir")
        run("pm-translate", a.program, "--to=pmir", "--fp", a.fp, "-o", original)
        texts = check_chain(original, params, pipeline, folder)
        check_prefixes(original, pipeline, texts, folder)
        print(f"{len(texts)} passes alone and {len(texts)} prefixes keep the values")


try:
    main()
except Failure as failure:
    sys.exit(str(failure))
