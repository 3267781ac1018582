"""doc_lines.py [--fix] PAGE…: lines of pages have at most 120 columns, but for rows of tables and what is fenced or indented.

Prints `PAGE:LINE: 134 columns` for each that is longer, and fails; with --fix fills their paragraphs anew.
"""
import re
import sys
import textwrap

WIDTH = 120
ITEM = re.compile(r"( *)([-*]|\d+\.) +")


def is_free(line):
    """Whether a line outside fences is not filled: nothing, a heading, a row of a table, code."""
    return not line.strip() or line.startswith(("#", "|", "    "))


def paragraphs(lines):
    """Runs of lines, as (index, lines, may be filled)."""
    found, fenced = [], False
    for number, line in enumerate(lines):
        is_fence = line.lstrip().startswith("```")
        free = fenced or is_fence or (is_free(line) and not (line.startswith("    ") and found and found[-1][2]))
        fenced ^= is_fence
        if not free and found and found[-1][2] and not ITEM.match(line):
            found[-1][1].append(line)
        else:
            found.append((number, [line], not free))
    return found


def filled(lines):
    item = ITEM.match(lines[0])
    indent = " " * (len(item[0]) if item else len(lines[0]) - len(lines[0].lstrip()))
    text = " ".join(line.strip() for line in lines)
    first = item[1] if item else indent
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def check(path, fix):
    """The lines that are too long, as messages; with fix, those that are left."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    out, messages = [], []
    for number, run, may_be_filled in paragraphs(lines):
        long = [i for i, line in enumerate(run) if len(line) > WIDTH] if may_be_filled else []
        messages += [f"{path}:{number + i + 1}: {len(run[i])} columns" for i in long if not fix]
        out += filled(run) if fix and long else run
    if fix and out != lines:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(out))
    return messages


def main():
    pages = [word for word in sys.argv[1:] if word != "--fix"]
    messages = [message for page in pages for message in check(page, "--fix" in sys.argv)]
    print("\n".join(messages))
    sys.exit(1 if messages else 0)


if __name__ == "__main__":
    main()
