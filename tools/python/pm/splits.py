"""Programs in parts: outputs of one shape, and results of the whole picture, as a histogram, which tiles give together."""
import re

from pm import errors

TILE = 256  # of the results that are combined; they do not depend on the tiles that workers compute


def with_outputs(pipeline, names):
    """The program that gives these outputs alone."""
    text = pipeline.ir("")
    lines = [line for line in text.splitlines(True)
             if not (match := re.match(r"\s*stage\.output @(\w+)", line)) or _is_of(match[1], names)]
    return pipeline.derived("".join(lines))


def _is_of(stage, names):
    """Elements of a tuple are outputs of one stage."""
    return any(name == stage or re.fullmatch(re.escape(stage) + r"_\d+", name) for name in names)


def by_shape(pipeline, shapes):
    """Programs whose outputs have one shape each."""
    groups = {}
    for name, shape in shapes.items():
        groups.setdefault(shape, []).append(name)
    return [pipeline] if len(groups) == 1 else [with_outputs(pipeline, names) for names in groups.values()]


class Split:
    """partials gives results of tiles, NAME_tiles; combine makes one of several, NAME_sum; rest takes these in place of the
    picture. The pass split-reductions makes them (docs/updates.md)."""

    def __init__(self, pipeline):
        self.partials, self.combine, self.rest = (
            pipeline.derived(pipeline.ir(f"split-reductions{{part={part} tile={TILE}}}")) for part in ("partials", "combine", "rest"))

    def combined(self, tiles):
        """Of arrays [n, …] by name, those of outputs by name."""
        import numpy

        given = {p.name: tiles.get(p.name) for p in self.combine.inputs}
        absent = {p.name: numpy.zeros((0, *map(int, p.extents[1:])), p.dtype) for p in self.combine.inputs if given[p.name] is None}
        made = self.combine(**{**given, **absent})
        made = dict(zip((p.name for p in self.combine.outputs), made if len(self.combine.outputs) > 1 else (made,)))
        return {self.sum_of(name): made[self.sum_of(name)] for name in tiles}

    def sum_of(self, name):
        """The output of combine, and input of rest, that comes of an output of partials."""
        at = [p.name for p in self.combine.inputs].index(name)
        return self.combine.outputs[at].name


def split(problem):
    """The parts of a program whose tiles would each need the whole picture for results of it, else None; and why not."""
    if not problem.gathers:
        return None, ""
    try:
        return Split(problem.pipeline), ""
    except errors.Error as error:
        first = str(error).partition(": error: ")[2].partition("\n")[0]
        if not first:
            raise
        return None, "" if first.startswith("no update of") else first
