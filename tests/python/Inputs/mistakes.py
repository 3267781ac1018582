"""The mistakes of a folder under real Python: each is an exception with the message that the frontend has, at its line.

  mistakes.py FOLDER LEAST   at least LEAST of the messages are met; --all prints the others
"""
import ast
import re
import sys
import warnings
from pathlib import Path

import texts
from pm import errors

EXPECTED = re.compile(r"#.*expected-error@([+-]\d+)(?::\d+)? \{\{(.*?)\}\}\s*$")


def expected_of(text):
    """{(line, message)}"""
    return {(number + int(m[1]), m[2]) for number, line in enumerate(text.splitlines(), 1)
            if (m := EXPECTED.search(line))}


def errors_of(error):
    return {(d.lineno, d.text) for d in error.diagnostics}


def run(path, text):
    """The errors of the statements, one after the other, and of the whole."""
    found = set()
    with texts.recorded() as made:
        space = {**texts.NAMES, "__name__": "pipeline"}
        for statement in ast.parse(text).body:
            try:
                exec(compile(ast.Module([statement], []), str(path), "exec"), space)
            except errors.CompileError as error:
                found |= errors_of(error)
            except NameError:
                pass  # a statement before has not set it
    try:
        texts.finish(made, space)
    except errors.CompileError as error:
        found |= errors_of(error)
    return found


def main(folder, least, all_of_them=""):
    warnings.simplefilter("ignore")
    met = 0
    for path in sorted(Path(folder).glob("*.py")):
        if path.name.startswith("python-"):
            continue  # of the text's own Python
        text = path.read_text(encoding="utf-8")
        expected = expected_of(text)
        try:
            found = run(path, text)
        except Exception as error:
            if all_of_them:
                print(f"{path.name}: Python says {type(error).__name__}: {error}")
            continue
        met += len(expected & found)
        for line, message in sorted(expected - found) if all_of_them else ():
            print(f"{path.name}:{line}: missed: {message}")
    print(f"{met} met")
    sys.exit(met < int(least))


main(*sys.argv[1:])
