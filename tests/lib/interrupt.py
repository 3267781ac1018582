"""interrupt.py FOLDER SIGNAL COMMAND…: sends a signal while the command's C compiler runs, and prints how it ended.

The command finds in PATH a compiler `slow-cc` that takes long; FOLDER is its TMPDIR. Prints the number of the signal that
ended the command, and what is left in FOLDER."""
import os
import signal
import subprocess
import sys
import time

LONG = 300  # seconds, in which the busiest machine starts a process
SLOW = "#!/bin/sh\ntouch {started}\nexec sleep 900\n"


def wait_for(path, process):
    end = time.monotonic() + LONG
    while not os.path.exists(path):
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            sys.exit(f"the compiler was not run: {process.returncode}")
        time.sleep(0.01)


def listen():
    """A shell may have its background jobs ignore signals."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)


def end_of(process):
    try:
        return process.wait(timeout=LONG)
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit("the command goes on")


def main():
    folder, name, command = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    temporary, tools, started = (os.path.join(folder, part) for part in ("tmp", "bin", "started"))
    os.makedirs(temporary)
    os.makedirs(tools)
    compiler = os.path.join(tools, "slow-cc")
    with open(compiler, "w", encoding="utf-8") as file:
        file.write(SLOW.format(started=started))
    os.chmod(compiler, 0o755)
    environment = dict(os.environ, TMPDIR=temporary, PATH=tools + os.pathsep + os.environ["PATH"])
    process = subprocess.Popen(command, env=environment, preexec_fn=listen)
    wait_for(started, process)
    before = len(os.listdir(temporary))
    process.send_signal(signal.Signals[name])
    status = end_of(process)
    print(f"{before} before, ended by {signal.Signals(-status).name}, left: {os.listdir(temporary)}")


main()
