"""Programs in parts: outputs of one shape, and results of the whole picture, as a histogram, which tiles give together."""
import re

from pm import errors, tiles

# Behind these, sets of stages are those that are needed.
DOMAINS = "expand-boundaries,infer-domains"
TILE = 256  # of the results that are combined; they do not depend on the tiles that workers compute


def with_outputs(pipeline, names):
    """The program that gives these outputs alone."""
    lines = [(line, re.match(r"\s*stage\.output @(\w+)", line)) for line in pipeline.ir("").splitlines(True)]
    stages = {match[1] for _, match in lines if match}
    kept = "".join(line for line, match in lines if not match or any(_is_of(name, match[1], stages) for name in names))
    return pipeline.derived(pipeline.derived(kept).ir(DOMAINS))


def _is_of(name, stage, stages):
    """Elements of a tuple are outputs of one stage."""
    return name == stage or name not in stages and re.fullmatch(re.escape(stage) + r"_\d+_*", name)


def alone(pipeline):
    """A program that needs no other files: as PMIR, of languages whose texts may include some."""
    text = pipeline._text if isinstance(pipeline._text, bytes) else pipeline._text.encode()
    suffixes = (".pmir",) if b"import" in text else (".pmir", ".py")
    of_itself = pipeline._filename.endswith(suffixes) and not pipeline._given.get("language")
    return pipeline if of_itself else pipeline.derived(pipeline.ir(""))


def problems(pipeline, shapes, scalars):
    """One for each shape of outputs, of a pipeline and sizes of its inputs."""
    shapes = {p.name: shapes[p.name] for p in pipeline.inputs}
    extents, groups = {p.name: p.extents for p in pipeline.outputs}, {}
    for name, shape in pipeline.shapes(**shapes, **scalars).items():
        groups.setdefault((shape, extents[name]), []).append(name)
    programs = [pipeline] if len(groups) == 1 else [with_outputs(pipeline, names) for names in groups.values()]
    known = {**pipeline.sizes(**shapes, **scalars), **scalars}
    return [tiles.Problem(program, {p.name: shapes[p.name] for p in program.inputs},
                          {p.name: known[p.name] for p in program.parameters if p.kind == "scalar" and p.name in known})
            for program in programs]


class Split:
    """partials gives results of tiles, NAME_tiles; combine makes one of several, NAME_sum; rest takes these in place of the
    picture. The pass split-reductions makes them (docs/updates.md)."""

    def __init__(self, pipeline):
        self.partials, self.combine, self.rest = (
            pipeline.derived(pipeline.ir(f"{DOMAINS},split-reductions{{part={part} tile={TILE}}}")) for part in ("partials", "combine", "rest"))

    def combined(self, tiles):
        """Of arrays [n, …] by name, those of outputs by name."""
        import numpy

        given = {p.name: tiles.get(p.name) for p in self.combine.inputs}
        counts = {p.extents[0]: len(given[p.name]) for p in self.combine.inputs if given[p.name] is not None}
        absent = {p.name: numpy.zeros((counts.get(p.extents[0], 0), *map(int, p.extents[1:])), p.dtype) for p in self.combine.inputs
                  if given[p.name] is None}
        made = self.combine(**{**given, **absent})
        made = dict(zip((p.name for p in self.combine.outputs), made if len(self.combine.outputs) > 1 else (made,)))
        return {self.sum_of(name): made[self.sum_of(name)] for name in tiles}

    def sum_of(self, name):
        """The output of combine, and input of rest, that comes of an output of partials."""
        at = [p.name for p in self.combine.inputs].index(name)
        return self.combine.outputs[at].name


    def shape_of(self, name):
        """Of that sum, and its type."""
        of = next(p for p in self.combine.outputs if p.name == self.sum_of(name))
        return tuple(map(int, of.extents)), of.dtype


def levels(problem):
    """What has to be known of the whole picture first, as pairs of a Split and the problems of its tiles; and what is left
    behind them, whose tiles need windows."""
    made = []
    while problem.gathers:
        try:
            sums = Split(problem.pipeline)
        except errors.Error as error:
            first = str(error).partition(": error: ")[2].partition("\n")[0]
            if not first:
                raise
            problem.why_whole = "" if first.startswith("no update of") else first
            break
        partials = problems(sums.partials, problem.shapes, problem.scalars_of(sums.partials))
        made.append((sums, partials))
        of_sums = {sums.sum_of(name): sums.shape_of(name)[0] for partial in partials for name in partial.outputs}
        problem = tiles.Problem(sums.rest, {p.name: {**problem.shapes, **of_sums}[p.name] for p in sums.rest.inputs},
                                problem.scalars_of(sums.rest))
    return made, problem
