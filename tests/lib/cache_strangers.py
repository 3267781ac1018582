"""Runs a command that keeps something in FOLDER, which has other files, too: they stay as they are, old or new.

  cache_strangers.py FOLDER DIGITS COMMAND…
Entries of FOLDER are named pm- and DIGITS hexadecimal digits. Of what killed processes have left there, the old is removed.
Where $PM_CACHE_MB is not 0, the command keeps an entry.
"""
import os
import re
import subprocess
import sys

OLD, BYTES = 1577836800, 3000000  # 2020; more than a megabyte


def strangers(entry):
    """Names that are not those of entries, nor of what is left of one."""
    bare = entry[len("pm-") :]
    return ["thesis.tex", "left.tmp", bare, f"{bare}.aB3xyZ", entry[:-1], f"{entry}0", f"PM-{bare}", f"pm-{bare[:-1]}F",
            f"{entry}.tmp", f"{entry}.aB3xy", f"{entry}.aB3xyZ0", f"{entry}.aB3xy_", f"{entry}_aB3xyZ", f".{entry}"]


def write(path, old):
    with open(path, "wb") as file:
        file.truncate(BYTES)
    if old:
        os.utime(path, (OLD, OLD))


def plant(folder, digits):
    """What has to stay, and what an old process has left."""
    made, left = [], None
    os.makedirs(folder, 0o700, exist_ok=True)
    for old in (True, False):
        digit = "a" if old else "b"
        for name in strangers(f"pm-{digit * digits}"):
            made.append(os.path.join(folder, name))
            write(made[-1], old)
    target = f"{folder}.target"
    write(target, True)
    link = os.path.join(folder, f"pm-{'c' * digits}")
    dead = os.path.join(folder, f"pm-{'d' * digits}.aB3xyZ")
    os.symlink(os.path.abspath(target), link)
    os.symlink(os.path.abspath(target), dead)
    os.utime(link, (OLD, OLD), follow_symlinks=False)
    os.utime(dead, (OLD, OLD), follow_symlinks=False)
    directory = os.path.join(folder, f"pm-{'e' * digits}")
    os.mkdir(directory)
    young = os.path.join(folder, f"pm-{'f' * digits}.aB3xyZ")
    write(young, False)
    left = os.path.join(folder, f"pm-{'f' * digits}.Z0yx3B")
    write(left, True)
    return made + [target, link, dead, directory, young], left


def state(path):
    try:
        s = os.lstat(path)
    except FileNotFoundError:
        return None
    return s.st_ino, s.st_mode, s.st_size, s.st_mtime_ns


def main():
    folder, digits, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    paths, left = plant(folder, digits)
    before = {path: state(path) for path in paths}
    status = subprocess.run(command).returncode
    wrong = [f"{path} is not as it was" for path in paths if state(path) != before[path]]
    entries = {name for name in os.listdir(folder) if re.fullmatch(f"pm-[0-9a-f]{{{digits}}}", name)}
    kept = {name for name in entries if os.path.join(folder, name) not in before}
    if bool(kept) != (os.environ.get("PM_CACHE_MB") != "0"):
        wrong.append(f"{len(kept)} entries are kept")
    if kept and os.path.exists(left):
        wrong.append(f"{left} is still there")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong or status else 0


sys.exit(main())
