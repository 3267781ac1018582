"""The default pipeline as the tools have it, cut into prefixes and into single passes."""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def default_pipeline():
    """The text of the PIPELINE row `default` in pm/pipelines.def, with passes in place of the names of others."""
    with open(os.path.join(ROOT, "pm", "pipelines.def"), encoding="utf-8") as file:
        rows = file.read().split("PIPELINE(")[1:]
    texts = {re.match('"([^"]*)"', row).group(1): ",".join(re.findall(r'PM_STEP\("([^"]*)"', row)) for row in rows}
    name = re.compile(r"(?<![\w-])(?:" + "|".join(texts) + r")(?![\w({=-])")
    text = "default"
    while name.search(text):
        text = name.sub(lambda found: texts[found.group()], text)
    return text


def split(text):
    """The elements of a pipeline: at commas outside parentheses and braces."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "({") - (c in ")}")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]] if text else []


def passes():
    """(name, anchor) of every pass, from passes/passes.def."""
    with open(os.path.join(ROOT, "passes", "passes.def"), encoding="utf-8") as file:
        return re.findall(r'PASS\(\w+, "([^"]+)", "([^"]+)"', file.read())


def with_options(text, **options):
    """The pipeline with options given to passes: with_options(t, group="strategy=all", tile="sizes=8x64")."""
    for name, value in options.items():
        text = re.sub(rf"(?<![\w-]){name.replace('_', '-')}(\{{[^}}]*\}})?(?=[,)]|$)", f"{name.replace('_', '-')}{{{value}}}", text)
    return text
