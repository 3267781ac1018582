"""What the programs of tests/programs are called with: their RUN lines run with a stand-in for pm-run, which notes its
arguments and keeps the inputs.
"""
import os
import re
import stat
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "tests", "programs")
LIB = os.path.join(ROOT, "tests", "lib")

# Of pm-run's options those that say which function it is, and those that say what it is called with.
OF_FUNCTION, OF_CALL = ("const", "function", "live-out"), ("in", "param")

# Copies each input, since later lines write others to its place, and adds the arguments to a list.
STAND_IN = """#!/bin/sh
n=0
for word; do
  copy=
  case "$word" in *.npy | *.pgm) copy=$PM_NOTED.$$.$n; n=$((n + 1)); [ ! -f "${word##*=}" ] || cp "${word##*=}" "$copy" ;; esac
  printf '%s\\t%s\\n' "$word" "$copy"
done >"$PM_NOTED.$$.words"
echo "$PM_NOTED.$$.words" >>"$PM_NOTED"
"""
# What lines pass their output to, or run beside pm-run.
NOTHING = ["FileCheck", "pmc", "pm-translate", "pm-opt", "pm-interp"]


def lines_of(path):
    """The RUN lines that call pm-run, or make its inputs."""
    with open(path, encoding="utf-8") as file:
        lines = re.findall(r"RUN: (.*)", file.read())
    return [line for line in lines if not line.startswith("%if") and re.search(r"--check|run-all-ways|^synth|np.save", line)]


def noted(path, folder):
    """The arguments of each call of pm-run, as pairs of a word and the copy of the file that it names, or ''."""
    tools = os.path.join(folder, "tools")
    os.makedirs(tools)
    for name in ["pm-run", "run-all-ways", *NOTHING]:
        with open(f"{tools}/{name}", "w", encoding="utf-8") as file:
            file.write(STAND_IN if name not in NOTHING else "#!/bin/sh\n[ -t 0 ] || cat >/dev/null\n")
        os.chmod(f"{tools}/{name}", stat.S_IRWXU)
    values = {"%s": path, "%t": f"{folder}/t", "%lib": LIB, "%python": sys.executable, "%%": "%"}
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PM_NOTED": f"{folder}/noted"}
    for line in lines_of(path):
        command = re.sub("|".join(values), lambda m: values[m[0]], line)
        subprocess.run(["bash", "-c", command], env=environment, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if not os.path.exists(f"{folder}/noted"):
        return
    with open(f"{folder}/noted", encoding="utf-8") as file:
        for name in file.read().split():
            with open(name, encoding="utf-8") as words:
                yield [line.rstrip("\n").split("\t") for line in words]


def options_of(words, wanted):
    """(name, value, copy) of each of these options, written as one word or as two."""
    texts = [word for word, _ in words]
    for i, (word, copy) in enumerate(words):
        name, equals, value = word.removeprefix("--").partition("=")
        if word.startswith("--") and name in wanted:
            if equals:
                yield name, value, copy
            elif i + 1 < len(words):
                yield name, texts[i + 1], words[i + 1][1]


def picture(path):
    """A binary PGM of bytes."""
    with open(path, "rb") as file:
        columns, rows, data = re.fullmatch(rb"P5\s+(\d+)\s+(\d+)\s+255\s(.*)", file.read(), re.DOTALL).groups()
    return np.frombuffer(data, np.uint8).reshape(int(rows), int(columns))


def calls_of(path):
    """Pairs of the options of a function and of one call of it: params by name, and arrays by name. A picture is one of bytes,
    whatever the input's type is."""
    with tempfile.TemporaryDirectory() as folder:
        for words in noted(path, folder):
            function = [f"--{name}={value}" for name, value, _ in options_of(words, OF_FUNCTION)]
            params, arrays = {}, {}
            for name, value, copy in options_of(words, OF_CALL):
                key, _, text = value.partition("=")
                if name == "param":
                    params[key] = text
                elif copy and os.path.exists(copy):
                    arrays[key] = picture(copy) if text.endswith(".pgm") else np.load(copy)
            yield function, params, arrays
