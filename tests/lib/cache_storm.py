"""Runs of one program at the same time, on one folder of compiled programs: some are killed, files are damaged meanwhile.

  cache_storm.py PROGRAM INPUT EXPECTED FOLDER [--runs N]
Every run that is not killed has to end well, with the values of EXPECTED; so does one more when all is over.
"""
import argparse
import filecmp
import os
import random
import subprocess
import sys


def start(a, number, variants):
    environment = dict(os.environ, PM_CACHE_DIR=os.path.join(a.folder, "kept"))
    output = os.path.join(a.folder, f"out{number}.npy")
    command = ["pm-run", a.program, "--in", a.input, "--out", output, f"--set=group{{max-size={number % variants + 100}}}"]
    return output, subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def damage(folder, lots):
    files = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    if not files:
        return
    path = os.path.join(folder, lots.choice(files))
    try:
        os.truncate(path, lots.randrange(os.path.getsize(path) + 1))
    except FileNotFoundError:
        pass


def is_right(a, output, process):
    printed = process.communicate()[0]
    if process.returncode == 0 and not printed and filecmp.cmp(output, a.expected, shallow=False):
        return True
    print(f"{output}: exit code {process.returncode}\n{printed}")
    return False


def main():
    parser = argparse.ArgumentParser()
    for name in ("program", "input", "expected", "folder"):
        parser.add_argument(name)
    parser.add_argument("--runs", type=int, default=200)
    a = parser.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    lots, failures, variants = random.Random(1), 0, 5
    running = [start(a, i, variants) for i in range(a.runs)]
    for i, (output, process) in enumerate(running):
        if i % 4 == 3:
            process.kill()
            process.communicate()
        else:
            damage(os.path.join(a.folder, "kept"), lots)
            failures += not is_right(a, output, process)
    for i in range(variants):
        output, process = start(a, i, variants)
        failures += not is_right(a, output, process)
    print(f"{a.runs} runs, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
