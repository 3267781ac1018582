"""message_words.py FOLDER…: messages of programs in C use the field's terms.

Reads the string literals of the .c and .def files below the folders, adjacent ones as one. A string with a space is a
message, unless it has a comment of C, which is emitted code. Prints `FILE:LINE: 'cells': say element` for each word of
TERMS in a message, and the number of messages. Fails if there is such a word.
"""
import os
import re
import sys

# Words that this project once had of its own, and the field's terms for them.
TERMS = {
    r"cells?": "element",
    r"look-?ups?": "gather or table read",
    r"deals?|dealt": "schedule",
    r"in turn": "in place, or alternately",
    r"occurrences?": "scheduled instance",
    r"(?:made|computed|done) again": "recomputed",
    r"(?:stored|computed) whole": "in a whole array, or not tiled",
    r"stands?": "is",
    r"says? so|have it|made for good": "what it is",
}
WORDS = re.compile("|".join(rf"(?<![-\w])({word})(?![-\w])" for word in TERMS))
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\])'|"(?:\\.|[^"\\\n])*\"""", re.S)
BETWEEN = re.compile(r"[\s\\]*(?:PRI\w+[\s\\]*)?")


def strings(text):
    """(offset, the text between the quotes) of each string; adjacent literals are one."""
    begin, end, parts = 0, 0, []
    for token in TOKEN.finditer(text):
        if not token.group().startswith('"'):
            continue
        if parts and not BETWEEN.fullmatch(text, end, token.start()):
            yield begin, "".join(parts)
            parts = []
        if not parts:
            begin = token.start()
        parts.append(token.group()[1:-1])
        end = token.end()
    if parts:
        yield begin, "".join(parts)


def check(path):
    """The numbers of messages and of words; prints the words."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    messages = [(at, string) for at, string in strings(text) if " " in string and "/*" not in string]
    found = [(at, word) for at, string in messages for word in WORDS.finditer(string)]
    for at, word in found:
        term = list(TERMS.values())[word.lastindex - 1]
        print(f"{path}:{text.count(chr(10), 0, at) + 1}: '{word.group()}': say {term}")
    return len(messages), len(found)


def files(folders):
    for folder in folders:
        for where, _, names in sorted(os.walk(folder)):
            yield from (os.path.join(where, name) for name in sorted(names) if name.endswith((".c", ".def")))


def main():
    counts = [check(path) for path in files(sys.argv[1:])]
    print(f"{sum(messages for messages, _ in counts)} messages")
    sys.exit(1 if any(words for _, words in counts) else 0)


if __name__ == "__main__":
    main()
