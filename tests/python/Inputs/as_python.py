"""Programs in PolyMage's language under real Python: the pipeline is that of the frontend, which reads the text.

  as_python.py LEAST PROGRAM…   at least LEAST of the programs run in both, and all of these are equal

Left out are programs that build by a function or import, and those that say what Python means by other words.
"""
import re
import subprocess
import sys
import warnings

import texts
from pm import constructs

RUN = re.compile(r"# RUN: .*?(?:pm-translate|pmc|pm-run) %s (.*)")
CONST = re.compile(r"--const[= ](\w+)=(\S+)")
LEFT_OUT = {
    "asserts.py": "Require states what holds",
    "python-arithmetic.py": "3 / 2 is 1 in the text and 1.5 in Python",
    "python-functions.py": "an argument behind those with names",
    "table.py": "the sum of a list begins with 0",
}


def by_python(path, constants):
    """The pipeline; None: the program makes no stage by itself."""
    with open(path, encoding="utf-8") as file, texts.recorded() as made:
        space = {**texts.NAMES, **constants, "__name__": "pipeline"}
        exec(compile(file.read(), path, "exec"), space)
    return texts.finish(made, space) if any(isinstance(m, constructs._Stage) for m in made) else None


def number(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def main(least, *paths):
    warnings.simplefilter("ignore")
    equal, different = 0, []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.rsplit("/", 1)[-1] in LEFT_OUT or re.search("buildPipeline|--function|--live-out|^import|^from", text, re.M):
            continue
        constants = CONST.findall(" ".join(RUN.findall(text)[:1]))
        run = subprocess.run(["pm-translate", path, "--to=pmir", *(f"--const={n}={v}" for n, v in constants)],
                             capture_output=True, text=True, check=False)
        if run.returncode:
            continue
        try:
            ours = by_python(path, {n: number(v) for n, v in constants})
        except Exception as error:
            different.append(f"{path}: {type(error).__name__}: {error}")
            continue
        if ours is not None and ours != texts.LOCATION.sub("", run.stdout):
            different.append(f"{path}: another pipeline")
        equal += ours is not None
    print("\n".join(different))
    print(f"{equal} run, {len(different)} different")
    sys.exit(bool(different) or equal < int(least))


main(*sys.argv[1:])
