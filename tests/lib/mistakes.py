"""What the messages about the mistakes of a folder have in common: each error has its place in the program, speaks of
the program and not of what the compiler makes of it, and says what should be instead.

mistakes.py FOLDER LEAST: runs pm-translate on the programs with `--verify-diagnostics` in their RUN lines, with the
options there. LEAST is how many messages there are at least."""

import re
import subprocess
import sys
from pathlib import Path

PLACE = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<col>\d+): (?P<kind>error|warning|note): (?P<text>.*)$")
RUN = re.compile(r"# RUN: pm-translate %s --verify-diagnostics (?P<options>.*)")
# An op, a value or a symbol of the IR, a type or set of isl.
INTERNAL = re.compile(r"'[a-z]+\.[a-z_]+'|%(?![ds]\b|')\w|@\w|#isl|\bi1\b|\bf32\b|\bf64\b")
WAY_OUT = re.compile(
    r"\bshould\b|is the nearest name|(is|are) not supported, .* (is|are)\b|is not part of the language, .* is$"
)


def messages(program, options):
    """(kind, line, column, text) in their order; what is no message of that file is an error of kind 'other'."""
    run = subprocess.run(["pm-translate", str(program), *options], capture_output=True, text=True)
    for line in run.stderr.splitlines():
        place = PLACE.match(line)
        if place and Path(place["file"]) == program:
            yield place["kind"], int(place["line"]), int(place["col"]), place["text"]
        elif re.search(r"(^|: )(error|internal error): ", line):
            yield "other", 0, 0, line


def complaints(program, found):
    places = set()
    for i, (kind, line, column, text) in enumerate(found):
        where = f"{program.name}:{line}:{column}: {text}"
        if kind == "other":
            yield f"without its place: {program.name}: {text}"
        if INTERNAL.search(text):
            yield f"speaks of the inside: {where}"
        if kind != "error":
            continue
        if (line, column) in places:
            yield f"two errors at one place: {where}"
        places.add((line, column))
        source = program.read_text().splitlines()
        if line > len(source) or column > len(source[line - 1].encode()) + 1:
            yield f"a place that is not there: {where}"
        notes = [note[3] for note in found[i + 1 :]]
        kinds = [note[0] for note in found[i + 1 :]]
        until = next((k for k, other in enumerate(kinds) if other != "note"), len(kinds))
        if not any(WAY_OUT.search(said) for said in [text, *notes[:until]]):
            yield f"no way out: {where}"


def main(folder, least):
    total = failed = 0
    for program in sorted(Path(folder).glob("*.py")):
        run = RUN.search(program.read_text())
        if not run:
            continue
        found = list(messages(program, run["options"].split()))
        wrong = list(complaints(program, found))
        if not any(kind in ("error", "warning") for kind, *_ in found):
            wrong.append(f"no message: {program.name}")
        total += sum(kind == "error" for kind, *_ in found)
        failed += len(wrong)
        for line in wrong:
            print(line)
    if total < int(least):
        print(f"{total} messages, there should be {least}")
        failed += 1
    print(f"{total} messages")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
