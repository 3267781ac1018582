"""A lit test per .pmir file under tests/: what pm-opt prints of it parses again and prints the same bytes.

Files are cut at their `// -----` lines, and each piece is a module of its own. A piece that is meant to be refused
(`expected-error` in it, or a file whose every RUN line begins with `not`, `exits-with` or `refused`) must be refused with exit
status 1, and is not compared. The same is asked of the generic form: printed generically, parsed, and printed in the
custom form, a module gives the bytes it gives directly. With sanitizers that is all: each form has then been printed and
parsed.
"""
import os
import re
import subprocess

import lit.formats
import lit.Test

from counted_format import counted

PIECES = re.compile(r"^// -----.*\n", re.MULTILINE)
RUNS = re.compile(r"RUN: *(.*)")


class Failure(Exception):
    pass


class RoundTrip(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, config):
        top = config.pmir_root
        for folder, folders, files in os.walk(top):
            folders[:] = sorted(f for f in folders if f != "lib")
            for name in sorted(f for f in files if f.endswith(".pmir")):
                relative = os.path.relpath(os.path.join(folder, name), top)
                yield lit.Test.Test(suite, path_in_suite + tuple(relative.split(os.sep)), config)

    @counted
    def execute(self, test, lit_config):
        source = os.path.join(test.config.pmir_root, *test.path_in_suite[1:])
        with open(source, encoding="utf-8") as file:
            text = file.read()
        refused = is_refused(text)
        try:
            for number, piece in enumerate(PIECES.split(text)):
                sanitized = "asan" in test.config.available_features
                check_piece(test.config.environment, number, piece, refused or "expected-error" in piece, sanitized)
        except Failure as failure:
            return lit.Test.FAIL, f"{source}: {failure}\n"
        return lit.Test.PASS, ""


def is_refused(text):
    runs = [run for run in RUNS.findall(text)]
    return bool(runs) and all(run.startswith(("not ", "exits-with ", "refused ")) for run in runs)


def pm_opt(environment, text, *options):
    return subprocess.run(["pm-opt", "-", *options], input=text.encode(), capture_output=True, env=environment)


def printed(environment, what, text, *options):
    """What pm-opt prints of a text that it must accept."""
    run = pm_opt(environment, text, *options)
    if run.returncode != 0:
        raise Failure(f"{what}: exit status {run.returncode}\n{run.stderr.decode(errors='replace')}")
    return run.stdout.decode()


def same(what, first, second):
    if first == second:
        return
    for line, (a, b) in enumerate(zip(first.splitlines() + ["(end)"], second.splitlines() + ["(end)"]), 1):
        if a != b:
            raise Failure(f"{what}, line {line}:\n  {a}\n  {b}")
    raise Failure(what)


def check_piece(environment, number, text, refused, sanitized):
    if not text.strip():
        return
    if refused:
        run = pm_opt(environment, text)
        if run.returncode not in (0, 1):
            raise Failure(f"piece {number}: exit status {run.returncode}\n{run.stderr.decode(errors='replace')}")
        return
    once = printed(environment, f"piece {number}", text)
    generic = printed(environment, f"piece {number}, generic", text, "--generic")
    if not sanitized:
        twice = printed(environment, f"piece {number}, as it was printed", once)
        same(f"piece {number} prints differently the second time", once, twice)
        same(f"piece {number} prints the generic form differently the second time", generic,
             printed(environment, f"piece {number}, the generic form again", generic, "--generic"))
    same(f"piece {number} differs after the generic form", once,
         printed(environment, f"piece {number}, from its generic form", generic))
