"""The stages that pictures are made of, for random_pipeline.py: stencils, sampling, scans, reductions, histograms.

Each `add_…` adds a stage that reads the last ones, or returns False where these have not the dimensions for it. A point
is a list of indices, each a pair: its text in the op and in the set.
"""
import dataclasses
import itertools
import math


def at(names):
    """The point of the stage itself."""
    return [(f"%{n}", n) for n in names]


def moved(index, amount):
    sign = "-" if amount < 0 else "+"
    return tuple(f"{text} {sign} {abs(amount)}" for text in index) if amount else index


def times(index, k):
    op, point = index
    return f"{op} * {k}", f"{k}*({point})"


def divided(index, k):
    op, point = index
    return f"({op}) floordiv {k}", f"floor(({point})/{k})"


def resized(dim, up, down):
    """`up` times as many points and then the `down`-th part."""
    num, den = dim.num * up, dim.den * down
    common = math.gcd(num, den)
    return dataclasses.replace(dim, num=num // common, den=den // common, lower=0, extra=0, less="")


class Shapes:
    def last(self, suits):
        """One of the last stages that suits, mostly one without a reader; None when none does."""
        if self.style == "chain" and suits(self.stages[-1]) and self.chance(0.85):
            return self.stages[-1]
        found = [s for s in self.unread if suits(s)] if self.chance(0.7) else []
        found = found or [s for s in self.stages[-4:] if suits(s)]
        if self.hub and suits(self.hub) and self.chance(0.5):
            return self.hub
        return self.rng.choice(found) if found else None

    def long_axes(self, stage):
        return [i for i, d in enumerate(stage.dims) if d.param]

    def tap(self, body, producer, point, constraints, modes=None):
        """A read that is kept inside, or has modes."""
        for dim, (_, index), mode in zip(producer.dims, point, modes or [""] * len(point)):
            constraints.append(dim.inside(str(dim.lower) if mode else index))
        text = self.mode_text(modes, producer.types[0]) if modes else " boundary none" if producer.boundary else ""
        return body.read(producer, [op for op, _ in point], text)

    def sum_of(self, body, found, want):
        """A weighted sum, in i32 or f32."""
        work = self.rng.choice([want] if want in ("i32", "f32", "f64", "i64") else ["i32", "f32"])
        letter, total = "f" if work[0] == "f" else "i", None
        for value, kind in found:
            value = body.convert(value, kind, work)
            if self.chance(0.6):
                weight = self.rng.choice(["0.25", "0.5", "-1.0", "0.125", "2.0"] if letter == "f" else [1, 2, 3, 4, -1])
                weight = body.op(f"arith.constant {weight} : {work}")
                value = body.op(f"arith.mul{letter} {value}, {weight} : {work}")
            total = value if total is None else body.op(f"arith.add{letter} {total}, {value} : {work}")
        if letter == "f":
            total = body.bounded(total, work)
        elif self.chance(0.5):
            total = body.op(f"arith.divi {total}, {body.op(f'arith.constant {len(found)} : {work}')} : {work}")
        return body.convert(total, work, want)

    def yield_all(self, body, stage, found):
        values = [self.sum_of(body, found[i % 2 :] or found, kind) for i, kind in enumerate(stage.types)]
        body.lines.append(f"stage.yield {', '.join(values)} : {', '.join(stage.types)}")

    def add_case(self, stage, names, constraints, reads):
        """`reads` are (producer, point, modes); a modulo or a bound may be among the constraints."""
        body, found = self.body(), []
        where = [d.inside(n) for d, n in zip(stage.dims, names)] + constraints
        for producer, point, modes in reads:
            found += self.tap(body, producer, point, where, modes)
        self.yield_all(body, stage, found)
        self.add_body("case", names, where, body.lines)

    def add_simple(self, name, producers, dims, cases):
        """A stage of which `cases` gives (constraints, reads) for the names of its dimensions."""
        stage = self.new_stage(name, producers, dims)
        self.begin(stage)
        names = self.names_of(dims)
        for constraints, reads in cases(names):
            self.add_case(stage, names, constraints, reads)
        self.end(stage, producers)
        return True

    # --- the same size ---

    def window(self, rank, axes):
        """Distances of the reads, at most nine."""
        shape = self.rng.choice(["line", "line", "cross", "box", "sparse"])
        far = self.rng.choice([1, 1, 1, 2, 3])
        if shape == "line":
            along = self.rng.choice(axes)
            return [[k if i == along else 0 for i in range(rank)] for k in range(-far, far + 1)]
        if shape == "cross":
            ends = [[k if i == a else 0 for i in range(rank)] for a in axes for k in (-far, far)]
            return [[0] * rank] + ends
        steps = [(-1, 0, 1) if i in axes[-2:] else (0,) for i in range(rank)]
        if shape == "box":
            return [list(p) for p in itertools.product(*steps)]
        return [[self.rng.randint(-far, far) if i in axes else 0 for i in range(rank)] for _ in range(4)]

    def cut(self, dims, window):
        """Dimensions that the window does not leave, for some."""
        before = [max(0, -min(w[i] for w in window)) for i in range(len(dims))]
        behind = [max(0, max(w[i] for w in window)) for i in range(len(dims))]
        return [dataclasses.replace(d, lower=d.lower + b, extra=d.extra - e * d.den)
                for d, b, e in zip(dims, before, behind)]

    def add_stencil(self, name):
        producer = self.last(self.long_axes)
        if not producer:
            return False
        axes, rank = self.long_axes(producer), len(producer.dims)
        window = self.window(rank, axes)
        self.note(f"stencil along {min(len([i for i in axes if any(w[i] for w in window)]), 3)} dimensions")
        modes = self.some_modes(producer) if self.chance(max(self.modes, 0.2)) else None
        for mode in modes or []:
            self.note(f"{mode} of {'an input' if producer in self.pipeline.inputs else 'a stage'}", mode)
        dims = self.cut(producer.dims, window) if not modes and self.chance(0.3) else list(producer.dims)
        return self.add_simple(name, [producer], dims, lambda names: [
            ([], [(producer, [moved(i, k) for i, k in zip(at(names), w)], modes) for w in window])])

    def add_point(self, name):
        """Stages of the same size, point by point."""
        first = self.last(lambda s: True)
        others = [s for s in self.stages[-6:] if s is not first and [d.param for d in s.dims] == [d.param for d in first.dims]]
        producers = [first] + others[: self.rng.choice([0, 1, 1, 2, 4])]
        return self.add_simple(name, producers, list(first.dims), lambda names: [
            ([], [(p, at(names), None) for p in producers])])

    # --- sampling ---

    def sampled_axes(self, stage):
        axes = [i for i in self.long_axes(stage) if stage.dims[i].num * stage.dims[i].den <= 4]
        return [a for a in axes if self.chance(0.7)] or axes[-1:]

    def add_down(self, name):
        producer = self.last(lambda s: self.sampled_axes(s))
        if not producer or not (axes := self.sampled_axes(producer)):
            return False
        k = self.rng.choice([2, 2, 2, 3])
        offsets = self.rng.choice([[0], [1], [0, 1], [-1, 0, 1], [-1, 0, 1, 2]])
        self.note(f"every {k}th point")
        self.note("at 2x + 1", k == 2 and 1 in offsets)
        dims = [resized(d, 1, k) if i in axes else d for i, d in enumerate(producer.dims)]
        return self.add_simple(name, [producer], dims, lambda names: [([], [
            (producer, [moved(times(p, k), o) if i in axes else p for i, p in enumerate(at(names))], None) for o in offsets])])

    def upsampled(self, producer, axes, k, names, amount):
        return [moved(divided(moved(p, self.rng.choice([0, 0, 1]) if k == 2 else 0), k), amount) if i in axes else p
                for i, p in enumerate(at(names))]

    def add_up(self, name):
        producer = self.last(lambda s: self.sampled_axes(s))
        if not producer or not (axes := self.sampled_axes(producer)):
            return False
        k = self.rng.choice([2, 2, 2, 3])
        self.note(f"{k} points of one")
        dims = [resized(d, k, 1) if i in axes else d for i, d in enumerate(producer.dims)]
        if self.chance(0.4):
            self.note("each phase its case")
            phases = list(itertools.product(range(k), repeat=min(len(axes), 2)))
            return self.add_simple(name, [producer], dims, lambda names: [
                ([f"{names[a]} mod {k} = {r}" for a, r in zip(axes, phase)],
                 [(producer, self.upsampled(producer, axes, k, names, r > 0), None) for r in phase])
                for phase in phases])
        amounts = self.rng.choice([[0], [0, 1], [-1, 0]])
        return self.add_simple(name, [producer], dims, lambda names: [
            ([], [(producer, self.upsampled(producer, axes, k, names, amount), None) for amount in amounts])])

    # --- other ranks, other orders ---

    def add_channels(self, name):
        """One value of all channels, or channels of one value."""
        if self.chance(0.5):
            return self.add_luminance(name) or self.add_spread(name)
        return self.add_spread(name) or self.add_luminance(name)

    def add_luminance(self, name):
        producer = self.last(lambda s: len(s.dims) > 1 and not all(d.param for d in s.dims))
        if not producer:
            return False
        self.note("channels become one")
        channel = self.rng.choice([i for i, d in enumerate(producer.dims) if not d.param])
        few, dims = producer.dims[channel], [d for i, d in enumerate(producer.dims) if i != channel]
        numbers = [(str(k), str(k)) for k in range(few.lower, few.lower + min(few.extent({}), 4))]
        return bool(numbers) and self.add_simple(name, [producer], dims, lambda names: [
            ([], [(producer, at(names)[:channel] + [number] + at(names)[channel:], None) for number in numbers])])

    def add_spread(self, name):
        producer = self.last(lambda s: len(s.dims) < 4)
        if not producer:
            return False
        self.note("one becomes channels")
        place = self.rng.choice([0, len(producer.dims)])
        dims = list(producer.dims)
        dims.insert(place, self.fixed(self.rng.choice([2, 3])))
        without = lambda names: [p for i, p in enumerate(at(names)) if i != place]
        conditions = lambda names: [[f"{names[place]} = 0"], [f"{names[place]} >= 1"]] if self.chance(0.3) else [[]]
        return self.add_simple(name, [producer], dims, lambda names: [
            (c, [(producer, without(names), None)]) for c in conditions(names)])

    def add_transpose(self, name):
        producer = self.last(lambda s: len(s.dims) > 1)
        if not producer:
            return False
        self.note("transpose")
        a, b = self.rng.sample(range(len(producer.dims)), 2)
        swapped = list(range(len(producer.dims)))
        swapped[a], swapped[b] = b, a
        return self.add_simple(name, [producer], [producer.dims[i] for i in swapped], lambda names: [
            ([], [(producer, [at(names)[i] for i in swapped], None)])])

    # --- what has an order ---

    def earlier(self, rank):
        """Distances of the points that a point is computed from, and the name of the shape."""
        last = self.rng.randrange(rank)
        one = lambda axis, k: [k if i == axis else 0 for i in range(rank)]
        kind = self.rng.choice(["scan", "scan", "second order"] + ["integral", "wavefront"] * (rank > 1))
        if kind == "scan":
            return [one(last, -1)], "scan along rows" if last == rank - 1 else "scan along columns"
        if kind == "second order":
            return [one(last, -1), one(last, -2)], "recurrence of second order"
        a, b = one(rank - 2, -1), one(rank - 1, -1)
        both = [x + y for x, y in zip(a, b)]
        if kind == "integral":
            return [a, b, both], "integral image"
        return [a, both, [x - y for x, y in zip(a, b)]], "wavefront"

    def add_scan(self, name):
        producer = self.last(lambda s: s.dims)
        if not producer:
            return False
        distances, feature = self.earlier(len(producer.dims))
        self.note(feature)
        return self.add_recurrence(name, producer, distances)

    def add_recurrence(self, name, producer, distances):
        """A stage whose points are computed from those at the distances, where there are such, and from the producer."""
        stage = self.new_stage(name, [producer], list(producer.dims))
        if stage.types[0] in ("i1", "f16", "bf16"):
            return False
        self.begin(stage)
        names = self.names_of(stage.dims)
        inside = [d.inside(moved(p, k)[1]) for w in distances for d, p, k in zip(stage.dims, at(names), w) if k]
        inside = " and ".join(inside)
        self.add_case(stage, names, [f"not ({inside})"], [(producer, at(names), None)])
        own = [(stage, [moved(p, k) for p, k in zip(at(names), w)], None) for w in distances]
        self.add_case(stage, names, [inside], own + [(producer, at(names), None)])
        self.end(stage, [producer])
        return True

    def add_relax(self, name):
        """Two buffers in turn: f[t mod 2, x] from f[(t - 1) mod 2, x - 1 .. x + 1]."""
        producer = self.last(lambda s: len(s.dims) == 1 and s.dims[0].param)
        if not producer:
            return False
        stage = self.new_stage(name, [producer], [self.fixed(2)] + producer.dims)
        if stage.types[0] in ("i1", "f16", "bf16"):
            return False
        self.note("two buffers in turn")
        self.begin(stage)
        self.add_case(stage, ["n", "x"], [], [(producer, at(["x"]), None)])
        body, constraints = self.body(), [f"1 <= n < {self.rng.choice([3, 4])}", stage.dims[1].inside("x")]
        found = []
        for k in (-1, 0, 1):
            found += self.tap(body, stage, [("(%n - 1) mod 2", "((n - 1) mod 2)"), moved(("%x", "x"), k)], constraints)
        values = ", ".join(f"assign, {self.sum_of(body, found[i % 2 :], kind)}" for i, kind in enumerate(stage.types))
        body.lines.append(f"stage.combine {values} into [%n mod 2, %x] : {', '.join(stage.types)}")
        self.add_body("update", ["n", "x"], constraints, body.lines)
        self.end(stage, [producer])
        return True

    def combine_lines(self, body, stage, found, indices):
        kinds = [self.rng.choice(["sum", "sum", "min", "max"]) for _ in stage.types]
        values = ", ".join(f"{kind}, {self.sum_of(body, found, want)}" for kind, want in zip(kinds, stage.types))
        order = " associative" * (all(t[0] in "iu" for t in stage.types) and self.chance(0.2))
        body.lines.append(f"stage.combine {values} into [{', '.join(indices)}]{order} : {', '.join(stage.types)}")

    def add_reduce(self, name):
        producer = self.last(lambda s: s.dims)
        if not producer:
            return False
        rank = len(producer.dims)
        kept = [i for i in range(rank) if self.chance(0.5)]
        kept = kept[1:] if len(kept) == rank else kept
        if not self.reduce(name, producer, kept):
            return False
        self.note("reduction to fewer dimensions" if kept else "reduction to one value")
        if self.chance(0.3) and self.reduce(f"{name}_too", producer, kept):
            self.note("two reductions of the same points")
        return True

    def reduce(self, name, producer, kept):
        """Over all dimensions but those kept."""
        stage = self.new_stage(name, [producer], [producer.dims[i] for i in kept])
        if stage.types[0] in ("i1", "f16", "bf16"):
            return False
        self.begin(stage)
        names, body = ["u", "v", "w", "s"][: len(producer.dims)], self.body()
        constraints = [d.inside(n) for d, n in zip(producer.dims, names)]
        found = self.tap(body, producer, at(names), constraints)
        self.combine_lines(body, stage, found, [f"%{names[i]}" for i in kept])
        self.add_body("update", names, constraints, body.lines)
        self.end(stage, [producer])
        return True

    def bin_of(self, body, value, kind, bins):
        """As an index, by a remainder or a clamp."""
        value = body.op(f"arith.cast {body.convert(value, kind, 'i32')} : (i32) -> index")
        if self.chance(0.5):
            return body.op(f"arith.remi {value}, {body.op(f'arith.constant {bins} : index')} : index")
        low, high = (body.op(f"arith.constant {end} : index") for end in (0, bins - 1))
        return body.op(f"arith.mini {body.op(f'arith.maxi {value}, {low} : index')}, {high} : index")

    def add_histogram(self, name):
        producer = self.last(lambda s: s.dims)
        if not producer:
            return False
        bins, rank = self.rng.choice([1, 4, 7, 16]), len(producer.dims)
        each = [0] if rank > 1 and self.chance(0.3) else []
        stage = self.new_stage(name, [producer], [producer.dims[i] for i in each] + [self.fixed(bins)])
        if stage.types[0] in ("i1", "f16", "bf16"):
            return False
        self.note("histogram")
        self.begin(stage)
        names, body = ["u", "v", "w", "s"][:rank], self.body()
        constraints = [d.inside(n) for d, n in zip(producer.dims, names)]
        found = self.tap(body, producer, at(names), constraints)
        cell = self.bin_of(body, *found[0], bins)
        self.combine_lines(body, stage, found, [f"%{names[i]}" for i in each] + [cell])
        self.add_body("update", names, constraints, body.lines)
        self.end(stage, [producer])
        return True

    def add_lookup(self, name):
        table = self.last(lambda s: len(s.dims) == 1 and not s.dims[0].param and s.dims[0].lower == 0)
        producer = self.last(lambda s: s is not table)
        if not table or not producer:
            return False
        self.note("table looked up")
        stage = self.new_stage(name, [producer, table], list(producer.dims))
        self.begin(stage)
        names, body = self.names_of(stage.dims), self.body()
        constraints = [d.inside(n) for d, n in zip(stage.dims, names)]
        found = self.tap(body, producer, at(names), constraints)
        found += body.read(table, [self.bin_of(body, *found[0], table.dims[0].extent({}))])
        self.yield_all(body, stage, found)
        self.add_body("case", names, constraints, body.lines)
        self.end(stage, [producer, table])
        return True
