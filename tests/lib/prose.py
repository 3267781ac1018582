"""prose.py [--most=N] PAGE…: sentences of pages have at most N words (25); headings, tables and code are left out.

Prints `PAGE:LINE: 31 words: …` for each sentence that is longer, and a line for each page: `PAGE: 120 sentences, median 14,
p90 22, longest 31`. Fails if a sentence is too long. What stands in backquotes counts as one word.
"""
import re
import sys

import doc_lines

END = re.compile(r"(?<!e\.g)(?<!i\.e)[.?!][)\"*_`]*\s+(?=[^a-z\s])")
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def sentences(text):
    """(offset in the text, sentence) of each."""
    begin = 0
    for end in END.finditer(text):
        yield begin, text[begin:end.end()]
        begin = end.end()
    yield begin, text[begin:]


def words(sentence):
    plain = LINK.sub(r"\1", CODE.sub("code", sentence))
    return [word for word in plain.split() if re.search(r"\w", word)]


def sentences_of(path):
    """(line, words) of the sentences of a page."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, run, is_prose in doc_lines.paragraphs(lines):
        text = "\n".join(run)
        item = doc_lines.ITEM.match(text)
        text = text[item.end() if item else 0:]
        for offset, sentence in sentences(text) if is_prose else []:
            yield number + 1 + text.count("\n", 0, offset), words(sentence)


def check(path, most):
    """Prints what is said of a page; whether no sentence is too long."""
    found = [(line, run) for line, run in sentences_of(path) if run]
    long = [(line, run) for line, run in found if len(run) > most]
    for line, run in long:
        print(f"{path}:{line}: {len(run)} words: {' '.join(run[:8])} …")
    lengths = sorted(len(run) for _, run in found) or [0]
    median, p90 = lengths[len(lengths) // 2], lengths[len(lengths) * 9 // 10]
    print(f"{path}: {len(found)} sentences, median {median}, p90 {p90}, longest {lengths[-1]}")
    return not long


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--most=")]
    most = int(options[-1].split("=")[1]) if options else 25
    pages = [word for word in sys.argv[1:] if word not in options]
    sys.exit(0 if all([check(page, most) for page in pages]) else 1)


if __name__ == "__main__":
    main()
