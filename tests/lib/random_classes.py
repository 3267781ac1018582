"""Several stages at a time, for random_pipeline.py: the classes of pipelines whose schedules have rules of their own.

Pyramids, wavelet pairs, windows with borders, planes of offsets, scans along both dimensions, and point-wise stages of
much work that are used at several offsets. Each `add_…` is as in random_shapes.py; stages are named after the class's.
"""
import itertools

import random_shapes
from random_shapes import at, divided, moved, resized, times

NO_UPDATES = ("i1", "f16", "bf16")


class Classes(random_shapes.Shapes):
    def plane(self):
        """A stage of two long dimensions at most, whose points are all of a picture, or None."""
        return self.last(lambda s: 0 < len(s.dims) < 4 and any(d.param and d.num == d.den == 1 for d in s.dims))

    def full_axes(self, stage):
        """Dimensions at full resolution, at most two."""
        return [i for i, d in enumerate(stage.dims) if d.param and d.num == d.den == 1][-2:]

    # --- pyramids ---

    def add_level_below(self, name, above, axes):
        taps = self.rng.choice([[0], [0, 1], [-1, 0, 1], [-1, 0, 1, 2]])
        dims = [resized(d, 1, 2) if i in axes else d for i, d in enumerate(above.dims)]
        self.add_simple(name, [above], dims, lambda names: [([], [
            (above, [moved(times(p, 2), o) if i in axes else p for i, p in enumerate(at(names))], None) for o in taps])])
        return self.stages[-1]

    def add_level_above(self, name, below, axes, dims, skipped):
        taps = self.rng.choice([[0], [0, 1], [-1, 0]])

        def reads(names):
            near = [(below, [moved(divided(p, 2), o) if i in axes else p for i, p in enumerate(at(names))], None) for o in taps]
            return [([], near + [(s, at(names), None) for s in skipped])]

        self.add_simple(name, [below] + skipped, dims, reads)
        return self.stages[-1]

    def add_pyramid(self, name):
        """Down by levels and up again, with or without what the way down had; up in all dimensions at once or in each."""
        top = self.plane()
        if not top:
            return False
        axes, count = self.full_axes(top), self.rng.choice([2, 2, 3, 3, 4, 5, 6])
        skips, apart = self.chance(0.5), self.chance(0.3)
        self.note(f"pyramid of {count} levels")
        self.note("pyramid with skip connections", skips)
        levels = [top]
        for k in range(count):
            levels.append(self.add_level_below(f"{name}_d{k}", levels[-1], axes))
        low = levels.pop()
        for k in reversed(range(count)):
            target = levels.pop()
            for part in [[a] for a in axes] if apart else [axes]:
                dims = [target.dims[i] if i in part else d for i, d in enumerate(low.dims)]
                whole = part[-1] == axes[-1]
                low = self.add_level_above(f"{name}_u{k}_{part[0]}", low, part, dims, [target] if skips and whole else [])
        return True

    def add_wavelet(self, name):
        """A low and a high band of one stage, and maybe the way back, by parity."""
        whole = self.plane()
        if not whole:
            return False
        self.note("wavelet pair")
        axis = self.rng.choice(self.full_axes(whole))
        dims = [resized(d, 1, 2) if i == axis else d for i, d in enumerate(whole.dims)]
        bands = []
        for letter, taps in (("l", [0, 1]), ("h", self.rng.choice([[1, 0], [1, 0, 2]]))):
            self.add_simple(f"{name}_{letter}", [whole], dims, lambda names, taps=taps: [([], [
                (whole, [moved(times(p, 2), o) if i == axis else p for i, p in enumerate(at(names))], None) for o in taps])])
            bands.append(self.stages[-1])
        if self.chance(0.4):
            return True
        self.note("wavelet pair and back")
        half = lambda names: [divided(p, 2) if i == axis else p for i, p in enumerate(at(names))]
        return self.add_simple(f"{name}_w", bands, list(whole.dims), lambda names: [
            ([f"{names[axis]} mod 2 = {r}"], [(band, half(names), None) for band in bands]) for r in (0, 1)])

    def add_strides(self, name):
        """Cases by the remainders of two dimensions, each with a divisor of its own."""
        coarse = self.last(lambda s: len([d for d in s.dims if d.param and d.num * d.den <= 2]) > 1)
        if not coarse:
            return False
        axes = [i for i, d in enumerate(coarse.dims) if d.param and d.num * d.den <= 2][-2:]
        by = dict(zip(axes, self.rng.choice([(2, 3), (3, 2), (4, 2), (2, 4)])))
        self.note("parities of different strides")
        dims = [resized(d, by.get(i, 1), 1) for i, d in enumerate(coarse.dims)]
        point = lambda names, far: [moved(divided(p, by[i]), far) if i in by else p for i, p in enumerate(at(names))]
        phases = list(itertools.product(*(range(by[a]) for a in axes)))
        return self.add_simple(name, [coarse], dims, lambda names: [
            ([f"{names[a]} mod {by[a]} = {r}" for a, r in zip(axes, phase)],
             [(coarse, point(names, far), None) for far in ([0, 1] if sum(phase) % 2 else [0])]) for phase in phases])

    # --- updates ---

    def updated(self, name, producer, dims):
        stage = self.new_stage(name, [producer], dims)
        return None if stage.types[0] in NO_UPDATES else stage

    def add_window(self, name):
        """Sums, least or greatest over windows that reach beyond the border."""
        producer = self.plane()
        stage = producer and self.updated(name, producer, list(producer.dims))
        if not stage:
            return False
        self.note("window with borders")
        axes = self.long_axes(producer)[-2:]
        self.begin(stage)
        names, offsets = ["u", "v", "w", "s"][: len(producer.dims)], ["i", "j"][: len(axes)]
        extents = {a: self.rng.choice([2, 3, 5]) for a in axes}
        body, constraints = self.body(), [d.inside(n) for d, n in zip(producer.dims, names)]
        constraints += [f"0 <= {o} < {extents[a]}" for o, a in zip(offsets, axes)]
        point, modes = at(names), [""] * len(names)
        for offset, axis in zip(offsets, axes):
            op, index = point[axis]
            point[axis] = moved((f"{op} + %{offset}", f"{index} + {offset}"), -(extents[axis] // 2))
            modes[axis] = self.some_mode(producer)
        found = self.tap(body, producer, point, constraints, modes)
        self.combine_lines(body, stage, found, [f"%{n}" for n in names])
        self.add_body("update", names + offsets, constraints, body.lines)
        self.end(stage, [producer])
        return True

    def add_offsets(self, name):
        """A plane for each offset, maybe smoothed, and all planes in one."""
        producer = self.last(lambda s: 0 < len(s.dims) < 3 and self.long_axes(s))
        if not producer:
            return False
        axis, count = self.rng.choice(self.long_axes(producer)), self.rng.choice([3, 4, 5])
        self.note("planes of offsets")
        modes = ["" if i != axis else self.some_mode(producer) for i in range(len(producer.dims))]

        def reads(names):
            own, far = at(names[1:]), at(names[1:])
            op, index = far[axis]
            far[axis] = moved((f"{op} + %{names[0]}", f"{index} + {names[0]}"), -(count // 2))
            return [([], [(producer, own, None), (producer, far, modes)])]

        self.add_simple(f"{name}_p", [producer], [self.fixed(count)] + list(producer.dims), reads)
        planes = self.stages[-1]
        if self.chance(0.6):
            near = [self.some_mode(planes) if i == axis + 1 else "" for i in range(len(planes.dims))]
            self.add_simple(f"{name}_b", [planes], list(planes.dims), lambda names: [([], [
                (planes, [moved(p, o) if i == axis + 1 else p for i, p in enumerate(at(names))], near) for o in (-1, 0, 1)])])
            planes = self.stages[-1]
        stage = self.updated(f"{name}_s", planes, list(producer.dims))
        if not stage:
            return True
        self.begin(stage)
        names, body = ["k", "u", "v", "w"][: len(planes.dims)], self.body()
        constraints = [d.inside(n) for d, n in zip(planes.dims, names)]
        found = self.tap(body, planes, at(names), constraints)
        self.combine_lines(body, stage, found, [f"%{n}" for n in names[1:]])
        self.add_body("update", names, constraints, body.lines)
        self.end(stage, [planes])
        return True

    # --- scans both ways ---

    def add_swapped(self, name, producer):
        swapped = list(range(len(producer.dims)))
        swapped[-2:] = reversed(swapped[-2:])
        self.add_simple(name, [producer], [producer.dims[i] for i in swapped], lambda names: [
            ([], [(producer, [at(names)[i] for i in swapped], None)])])
        return self.stages[-1]

    def add_scans(self, name):
        """Along the last dimension and the one before, which a transpose makes the last, or not."""
        producer = self.last(lambda s: len(s.dims) > 1)
        if not producer:
            return False
        turned, last = self.chance(0.6), len(producer.dims) - 1
        self.note("scans both ways")
        self.note("scans with transposes", turned)
        one = lambda axis, k: [k if i == axis else 0 for i in range(last + 1)]
        for k in range(2):
            axis = last if turned or k == 0 else last - 1
            distances = [one(axis, -1)] + ([one(axis, -2)] if self.chance(0.3) else [])
            if not self.add_recurrence(f"{name}_s{k}", producer, distances):
                return k > 0
            producer = self.add_swapped(f"{name}_t{k}", self.stages[-1]) if turned else self.stages[-1]
        return True

    # --- much work ---

    def add_costly(self, name):
        """A stage with calls, roots and quotients, and a stencil of it."""
        producer = self.last(self.long_axes)
        if not producer:
            return False
        stage = self.new_stage(f"{name}_c", [producer], list(producer.dims))
        self.note("costly stage at several offsets")
        self.begin(stage)
        names, body = self.names_of(stage.dims), self.body()
        constraints = [d.inside(n) for d, n in zip(stage.dims, names)]
        value, kind = self.tap(body, producer, at(names), constraints)[0]
        value = body.bounded(body.convert(value, kind, "f32"), "f32")
        one = body.op("arith.constant 1.0 : f32")
        for what in self.rng.sample(["sqrt", "sin", "cos", "exp", "div"], self.rng.choice([1, 2, 3])):
            if what == "div":
                value = body.op(f"arith.divf {one}, {body.op(f'arith.addf {value}, {one} : f32')} : f32")
                value = body.bounded(value, "f32")
            elif what == "exp":
                value = body.op(f"math.exp {body.op(f'math.sin {value} : f32')} : f32")
            else:
                value = body.op(f"math.abs {value} : f32") if what == "sqrt" else value
                value = body.op(f"math.{what} {value} : f32")
        values = [body.convert(value, "f32", kind) for kind in stage.types]
        body.lines.append(f"stage.yield {', '.join(values)} : {', '.join(stage.types)}")
        self.add_body("case", names, constraints, body.lines)
        self.end(stage, [producer])
        costly, axis = self.stages[-1], self.rng.choice(self.long_axes(producer))
        modes = [self.some_mode(costly) if i == axis else "" for i in range(len(costly.dims))]
        return self.add_simple(f"{name}_n", [costly], list(costly.dims), lambda names: [([], [
            (costly, [moved(p, o) if i == axis else p for i, p in enumerate(at(names))], modes) for o in (-1, 0, 1, 2)])])
