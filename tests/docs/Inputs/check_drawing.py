"""check_drawing.py PAGE ROOT: the drawing in the page's section "Levels and passes" names every pass of the pipeline on stdin, as
pm-opt --dump-pass-pipeline prints it; those that decide stand in their order, and every folder that it names is there."""
import os
import re
import sys


def main():
    page, root = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        drawing = file.read().split("## Levels and passes\n")[1].split("\n## ")[0]
    schedule, lower = re.sub(r"\{[^}]*\}", "", sys.stdin.read()).strip().removeprefix("stage.pipeline(").split(")")
    decide = schedule.split(",") + ["lower-poly"]
    rows = re.findall(r"^ +\|  ([a-z-]+)(?:  |, )", drawing, re.MULTILINE)
    if [row for row in rows if row in decide] != decide:
        sys.exit(f"the drawing has {rows}, the pipeline {decide}")
    missing = [name for name in lower.strip(",").split(",") if not re.search(rf"\b{name}\b", drawing)]
    missing += [path for path in re.findall(r"\b(?:dialects|frontends|targets|passes)/[\w./]*\w", drawing)
                if not os.path.exists(os.path.join(root, path))]
    if missing:
        sys.exit(f"the drawing lacks, or the tree does: {missing}")


main()
