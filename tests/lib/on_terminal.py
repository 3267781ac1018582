"""on_terminal.py COMMAND…: runs the command with standard error on a terminal, and prints what it drew there as one Python string."""
import os
import subprocess
import sys


def read_all(terminal):
    data = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:
            return data
        if not more:
            return data
        data += more


def main():
    ours, theirs = os.openpty()
    process = subprocess.Popen(sys.argv[1:], stderr=theirs, env=dict(os.environ, TERM="vt100"))
    os.close(theirs)
    print(repr(read_all(ours).decode()))
    sys.exit(process.wait())


main()
