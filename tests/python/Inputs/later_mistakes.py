"""Mistakes that a pipeline as a whole has, in texts under real Python: to compile one raises what pmc says of the text, at its lines.

  later_mistakes.py LEAST TEXT…   at least LEAST of the texts have such mistakes, and all of these are equal
"""
import re
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import pm
import texts
from pm import constructs, errors

RUN = re.compile(r"# RUN:.* %s\b(.*)")
OPTION = re.compile(r"--(const|range)[= ](\w+)=(\S+)")
MESSAGE = re.compile(r"(.*?):(\d+):\d+: (error|note): (.*)")
# What is no part of the pipeline has no mistakes, and no value in messages.
LEFT_OUT = {"image-extents.py": "images that no stage reads", "names-equal.py": "an image that no stage reads",
            "update-outside.py": "parameters that nothing uses"}


def options_of(text):
    """The constants and ranges of the text's first command: as pmc takes them, and as pm.compile does."""
    found = OPTION.findall(" ".join(RUN.findall(text)[:1]))
    return [f"--{kind}={name}={value}" for kind, name, value in found], {
        kind: {name: value for k, name, value in found if k == kind} for kind in ("const", "range")}


def said_by_pmc(path, options):
    """[(kind, line, message)], or nothing without an error."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(["pmc", path, *options, "-o", f"{folder}/made.c"], capture_output=True, text=True, check=False)
    found = [(m[3], int(m[2]), m[4]) for line in run.stderr.splitlines() if (m := MESSAGE.match(line)) and m[1] == path]
    return found if run.returncode else []


def made_by_python(path, text, given):
    """The stages that no other reads, or all of them where they read one another; None: Python does not make any."""
    space = {**texts.NAMES, "__name__": "pipeline"}
    for name, value in given["const"].items():
        space[name] = int(value) if re.fullmatch(r"-?\d+", value) else float(value)
    with texts.recorded() as made:
        try:
            exec(compile(text, path, "exec"), space)
        except Exception:
            return None  # a construct has the mistake, which is for mistakes.py, or the text is no Python
    stages = [m for m in made if isinstance(m, constructs._Stage)]
    try:
        outputs = set(re.findall(r"stage\.output @(\w+)", texts.finish(made, space)))
    except errors.CompileError:
        return stages or None
    names = {id(value): name for name, value in space.items()}
    return [s for s in stages if (next((a for a in s._recipe[2] if isinstance(a, str)), None) or names.get(id(s))) in outputs]


def raised(stages, given, path):
    """What to compile them raises, from one frame."""
    try:
        pm.compile(stages, target="c", cache=False, **given).build()
    except pm.CompileError as error:
        frames = traceback.extract_tb(error.__traceback__)
        if len(frames) != 1:
            sys.exit(f"{path}: the traceback has {len(frames)} frames")
        all_of_them = [each for d in error.diagnostics for each in (d, *d.notes)]
        return [(d.kind, d.lineno, d.text) if d.filename == path else d for d in all_of_them]
    return []


def main(least, *paths):
    warnings.simplefilter("ignore")
    met, different = 0, 0
    for path in paths:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        if Path(path).name.startswith("python-") or Path(path).name in LEFT_OUT:
            continue
        options, given = options_of(text)
        expected = said_by_pmc(path, options)
        stages = made_by_python(path, text, given) if expected else None
        if stages is None:
            continue
        found = raised(stages, given, path)
        met += 1
        if found != expected:
            different += 1
            print(f"{path}:\n  pmc says", *expected, "  Python says", *found, sep="\n    ")
    print(f"{met} with mistakes, {different} different")
    sys.exit(bool(different) or met < int(least))


main(*sys.argv[1:])
