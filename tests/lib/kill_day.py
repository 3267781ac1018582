"""kill_day.py FOLDER OUT SIGNAL: ends a rehearsal of bench/gpu-day by a signal once it has a result, and prints its exit status, its
parts, how many failures there are, how it says that it ended, and how many of its processes do not end within a minute. It is of one
program, which is soon compiled."""
import json
import os
import signal
import subprocess
import sys
import time


def load(path):
    """What is there at any time is whole."""
    if not os.path.exists(path):
        return {"parts": {}}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def alive(folder):
    listed = subprocess.run(["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True).stdout
    return sum(f"{folder}/bench/day/" in line and not line.startswith("Z") for line in listed.splitlines())


def main():
    folder, out, name = sys.argv[1:]
    path = os.path.join(out, "results.json")
    os.makedirs(out, exist_ok=True)
    environment = {**os.environ, "TMPDIR": out, "PATH": f"{os.path.dirname(sys.executable)}:/usr/bin:/bin"}
    process = subprocess.Popen([f"{folder}/run", "--rehearse", "--filter", "^row$", "--out", out], stdout=subprocess.DEVNULL, env=environment)
    while not load(path)["parts"] and process.poll() is None:
        time.sleep(0.02)
    os.kill(process.pid, signal.Signals[name])
    status = process.wait()
    deadline = time.monotonic() + 60
    while (left := alive(folder)) and time.monotonic() < deadline:
        time.sleep(0.1)
    found = load(path)
    failed = sum("error" in record for part in found["parts"].values() for record in part)
    print(status, *found["parts"], failed, "failed:", found["ended"], left, "left")


if __name__ == "__main__":
    main()
