"""system_names.py [--fix] ROOT: targets/abi/system_names.def has all functions and variables of the system's libraries.

A function of ours with such a name would take the place of theirs in the process that loads it, or does not compile
beside their headers. The names are what libc, libm and libgomp of this machine export, and what the headers declare that
emitted C includes. Names that begin or end as those that the language keeps (targets/abi/language.c) are left out, and
f, l, f32 … behind another name. Prints what is missing, and fails then; --fix adds it. Names of other systems stay.
"""
import os
import re
import subprocess
import sys
import tempfile

LIBRARIES = ["libc.so.6", "libm.so.6", "libgomp.so.1"]
HEADERS = ["stdint", "stdbool", "stddef", "stdatomic", "stdlib", "string", "math", "float", "omp", "sys/mman"]
HEAD = """/* Names of functions and variables of the system's libraries (tests/lib/system_names.py --fix). */
/* clang-format off */
"""


def run(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported():
    for library in LIBRARIES:
        path = run(["gcc", f"-print-file-name={library}"]).strip()
        for line in run(["nm", "-D", "--defined-only", path]).splitlines():
            yield line.split()[-1].partition("@")[0]


def declared():
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/h.c", "w", encoding="utf-8") as file:
            file.write("".join(f"#include <{h}.h>\n" for h in HEADERS))
        run(["gcc", "-std=gnu11", "-fopenmp", "-aux-info", f"{folder}/names", "-fsyntax-only", f"{folder}/h.c"])
        with open(f"{folder}/names", encoding="utf-8") as file:
            yield from re.findall(r"[*( ](\w+) \(", file.read())


def list_of(source, name):
    return re.findall(r'"([^"]+)"', re.search(rf"{name}\[\] = {{(.*?)NULL", source, re.S)[1])


def missing(source, known):
    """Sorted."""
    variants, starts, ends = (list_of(source, n) for n in ("variants", "starts", "ends"))
    names = {n for n in [*exported(), *declared()] if re.fullmatch(r"[A-Za-z]\w*", n)}
    names = {n for n in names if not n.startswith(tuple(starts)) and not n.endswith(tuple(ends))}
    all_names = names | known | set(list_of(source, "reserved"))
    return sorted(n for n in all_names - known - set(list_of(source, "reserved"))
                  if not any(n.endswith(v) and n[: -len(v)] in all_names for v in variants))


def write(path, names):
    lines, line = [], ""
    for name in sorted(names):
        word = f'"{name}",'
        if len(line) + len(word) + 1 > 120:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + "\n".join([*lines, line]) + "\n/* clang-format on */\n")


def main():
    root = sys.argv[-1]
    path = os.path.join(root, "targets/abi/system_names.def")
    known = set()
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            known = set(re.findall(r'"([^"]+)"', file.read()))
    with open(os.path.join(root, "targets/abi/language.c"), encoding="utf-8") as file:
        source = file.read()
    more = missing(source, known)
    if "--fix" in sys.argv:
        write(path, known | set(more))
        return
    for name in more:
        print(f"missing: {name}")
    print(f"{len(known)} names, {len(more)} missing")
    sys.exit(1 if more else 0)


if __name__ == "__main__":
    main()
