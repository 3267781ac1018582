"""A random pipeline as text, valid by construction: random_pipeline.make(seed).

Every case is restricted to the points whose reads stay inside what they read, so that any index may be tried; computed
indices are clamped to it, or are remainders; other reads have boundary modes. What no case covers takes the default.
Some stages have tuples as values, and some have updates. No value is a NaN, and no conversion from float to integer is
out of range. Beside stages of any shape (here) there are those that pictures are made of (random_shapes.py), and
classes of several stages (random_classes.py). What a pipeline has is counted by name (`features`).
"""
import collections
import math
import random
from dataclasses import dataclass, field

import random_classes

INTEGERS = ["u8", "i8", "i16", "u16", "i32", "u32", "i64", "u64"]
FLOATS = ["f32", "f64"]
HALVES = ["f16", "bf16"]
NARROW = ["i1"] + HALVES
TYPES = ["u8"] * 3 + ["i16", "u16", "i8", "u32", "i64", "u64"] + ["i32"] * 3 + ["f32"] * 6 + ["f64"] * 2
INTEGER_OPS = "addi subi muli mini maxi andi ori xori divi remi trunc_div trunc_rem addi addi subi".split()
FLOAT_OPS = "addf subf mulf minf maxf addf subf".split()
INTEGER_KINDS = "sum sum product min max and or assign".split()
FLOAT_KINDS = "sum sum min max assign".split()
SIGNED = {"i8", "i16", "i32", "i64"}
MODES = ["clamp", "repeat", "mirror", "mirror101", "constant"]
STYLES = {
    "any": {"any": 1},
    "picture": {"any": 3, "stencil": 5, "down": 2, "up": 2, "point": 3, "channels": 1, "transpose": 1},
    "pyramid": {"any": 1, "stencil": 2, "down": 5, "up": 5},
    "chain": {"stencil": 6, "point": 4, "channels": 0.5, "up": 0.3, "down": 0.3, "scan": 0.2},
    "classes": {"any": 2, "stencil": 1, "point": 1, "pyramid": 1.5, "wavelet": 1.5, "strides": 1.5, "window": 1.5,
                "offsets": 1.5, "scans": 1.5, "costly": 1.5},
    "ordered": {"any": 2, "stencil": 1, "scan": 4, "reduce": 2, "histogram": 2, "lookup": 2, "relax": 2, "transpose": 1},
}


@dataclass(frozen=True)
class Dim:
    """lower <= x and den * x < num * param + extra; without a param, x < extra. `less` is another param, taken off."""

    param: str = ""
    num: int = 1
    den: int = 1
    lower: int = 0
    extra: int = 0
    less: str = ""

    def inside(self, x):
        limit = f"{self.num}{self.param} + {self.extra}" if self.param else str(self.extra)
        limit += f" - {self.less}" if self.less else ""
        return f"{self.lower} <= {x} and {f'{self.den}*({x})' if self.den > 1 else x} < {limit}"

    def extent(self, sizes):
        limit = (self.num * sizes[self.param] if self.param else 0) + self.extra - (sizes[self.less] if self.less else 0)
        return max(0, -(-limit // self.den) - self.lower)


@dataclass
class Stage:
    name: str
    types: list
    dims: list
    boundary: list = None  # of an input: a mode for each dimension

    def arrays(self):
        """(name, type) of its arrays."""
        if len(self.types) == 1:
            return [(self.name, self.types[0])]
        return [(f"{self.name}_{i}", kind) for i, kind in enumerate(self.types)]

    def type_text(self):
        return self.types[0] if len(self.types) == 1 else f"({', '.join(self.types)})"


@dataclass
class Pipeline:
    """`params` are (name, type); `lowest` is the least value of each size and `even` names those that must be even;
    inputs, funcs and outputs are stages. `portable`: every type is one of the C target. `features` are counted."""

    text: str = ""
    params: list = field(default_factory=list)
    lowest: dict = field(default_factory=dict)
    even: set = field(default_factory=set)
    inputs: list = field(default_factory=list)
    funcs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    portable: bool = True
    features: collections.Counter = field(default_factory=collections.Counter)


class Body:
    """The ops of one case."""

    def __init__(self, rng):
        self.rng, self.lines, self.count = rng, [], 0

    def op(self, text):
        self.count += 1
        self.lines.append(f"%{self.count - 1} = {text}")
        return f"%{self.count - 1}"

    def read(self, stage, indices, boundary=""):
        """The elements, with their types."""
        text = f"stage.read @{stage.name}[{', '.join(indices)}]{boundary} : {', '.join(stage.types)}"
        if len(stage.types) == 1:
            return [(self.op(text), stage.types[0])]
        self.count += 1
        self.lines.append(f"%{self.count - 1}:{len(stage.types)} = {text}")
        return [(f"%{self.count - 1}#{i}", kind) for i, kind in enumerate(stage.types)]

    def constant(self, kind):
        if kind == "i1":
            return self.op(f"arith.constant {self.rng.choice(['true', 'false'])}")
        if kind in FLOATS + HALVES:
            value = self.rng.choice(["0.0", "0.5", "-1.25", "2.0", "0.1", "3.0"])
        else:
            value = self.rng.choice([0, 1, 2, 3, 5, 7, 100] + ([-1, -3] if kind in SIGNED else []))
        return self.op(f"arith.constant {value} : {kind}")

    def bounded(self, value, kind):
        low, high = (self.op(f"arith.constant {c} : {kind}") for c in ("-1000.0", "1000.0"))
        above = self.op(f"arith.maxf {value}, {low} : {kind}")
        return self.op(f"arith.minf {above}, {high} : {kind}")

    def convert(self, value, have, want):
        if have == want:
            return value
        if have in HALVES and want != "f32":
            return self.convert(self.op(f"arith.cast {value} : ({have}) -> f32"), "f32", want)
        if want == "i1":
            return self.condition(value, self.constant(have), have)
        if have in FLOATS and want not in FLOATS + HALVES:
            if self.rng.random() < 0.5 or want not in SIGNED or want == "i8":
                return self.op(f"arith.sat_cast {value} : ({have}) -> {want}")
            return self.op(f"arith.cast {self.bounded(value, have)} : ({have}) -> {want}")
        if self.rng.random() < 0.15 and have not in NARROW + ["index"] and want not in FLOATS + HALVES:
            return self.op(f"arith.sat_cast {value} : ({have}) -> {want}")
        return self.op(f"arith.cast {value} : ({have}) -> {want}")

    def condition(self, a, b, kind):
        return self.op(f"arith.cmp {self.rng.choice('eq ne lt le gt ge'.split())}, {a}, {b} : {kind}")

    def combine_floats(self, a, b, kind):
        pick = self.rng.random()
        if pick < 0.08:
            one = self.op(f"arith.constant 1.0 : {kind}")
            size = self.op(f"math.abs {b} : {kind}")
            return self.op(f"arith.divf {a}, {self.op(f'arith.addf {size}, {one} : {kind}')} : {kind}")
        if pick < 0.2:
            what = self.rng.choice(["abs", "floor", "ceil", "round", "sqrt"])
            if what == "sqrt":
                a = self.op(f"math.abs {a} : {kind}")
            a = self.op(f"math.{what} {a} : {kind}")
        elif pick < 0.25:
            a = self.op(f"arith.negf {a} : {kind}")
        return self.op(f"arith.{self.rng.choice(FLOAT_OPS)} {a}, {b} : {kind}")

    def combine(self, a, b, kind):
        if self.rng.random() < 0.1:
            return self.op(f"arith.select {self.condition(a, b, kind)}, {a}, {b} : {kind}")
        if kind in FLOATS:
            return self.combine_floats(a, b, kind)
        if self.rng.random() < 0.08:
            amount = self.op(f"arith.constant {self.rng.choice([1, 2, 4, 9])} : {kind}")
            return self.op(f"arith.{self.rng.choice(['shli', 'shri'])} {a}, {amount} : {kind}")
        return self.op(f"arith.{self.rng.choice(INTEGER_OPS)} {a}, {b} : {kind}")


class Maker(random_classes.Classes):
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.pipeline = Pipeline()
        self.dice = random.Random(f"constants of {seed}")  # of what only pipelines with constants have
        self.stages, self.lines, self.unread, self.dead, self.constants = [], [], [], [], []
        self.reads = {}  # names of the producers, by that of the consumer
        self.style = self.rng.choice(["any", "any", "picture", "picture", "picture", "pyramid", "chain", "ordered", "ordered", "classes", "classes"])
        self.modes = self.rng.choice([0, 0, 0.1, 0.5])
        self.narrow = self.rng.choice([0, 0, 0, 0.15])
        self.hub = None
        self.odd = self.rng.choice([0, 0.02, 0.1])
        self.change = self.rng.choice([0.05, 0.2, 0.4])
        self.computed = self.rng.choice([0, 0, 0.1, 0.4])
        self.tuples = self.rng.choice([0, 0.2, 0.6])
        self.updates = self.rng.choice([0, 0.1, 0.4])

    def chance(self, p):
        return self.rng.random() < p

    def body(self):
        return Body(self.rng)

    def fixed(self, extent):
        return Dim(extra=extent)

    # --- shapes ---

    def size_dim(self, param):
        return Dim(param, extra=self.rng.choice([0, 0, 0, 0, 1, 2]))

    def input_dims(self):
        rank = self.rng.choice([0] + [1] * 3 + [2] * 10 + [3] * 5 + [4])
        sizes = [self.size_dim("R"), self.size_dim("C")]
        few = [Dim(extra=self.rng.choice([2, 3])) for _ in range(2)]
        if rank < 2:
            return [self.rng.choice(sizes)][:rank]
        if rank == 3 and self.chance(0.15):
            return sizes + [self.size_dim(self.rng.choice("RC"))]
        dims = few[: rank - 2] + sizes
        return dims[rank - 2 :] + dims[: rank - 2] if self.chance(0.2) else dims

    def varied(self, dim):
        """The dimension of a consumer: the same, at another resolution, or cut."""
        if not dim.param or not self.chance(self.change):
            return dim
        num, den = dim.num, dim.den
        pick = self.rng.random()
        if pick < 0.08 and num == den == 1:
            den = 3
        elif pick < 0.3:
            num, den = (num // 2, den) if num > 1 else (num, min(den * 2, 4))
        elif pick < 0.5:
            num, den = (num, den // 2) if den > 1 else (min(num * 2, 2), den)
        lower = self.rng.choice([0, 0, 0, 0, 1, -2])
        less = "K" if "K" in self.pipeline.lowest and self.chance(0.3) else ""
        return Dim(dim.param, num, den, lower, self.rng.choice([0, 0, 0, -1, 1, 2]), less)

    def stage_dims(self, base):
        dims = [self.varied(d) for d in base.dims]
        pick = self.rng.random()
        if pick > 0.98:
            return []
        if pick < 0.1 and len(dims) == 2:
            dims.reverse()
        elif pick < 0.2 and len(dims) < 4:
            channels = len(dims) >= 2
            dims.insert(0, Dim(extra=self.rng.choice([1, 2, 3])) if channels else self.size_dim(self.rng.choice("RC")))
        elif pick < 0.28 and len(dims) > 1:
            dims.pop(0)
        return dims

    # --- indices: (text in the op, text in the set) ---

    def offset(self, op, point, amounts=(0, 0, 0, -1, 1, -2, 2, -1, 1, 3)):
        amount = self.rng.choice(amounts)
        sign = "-" if amount < 0 else "+"
        return (f"{op} {sign} {abs(amount)}", f"{point} {sign} {abs(amount)}") if amount else (op, point)

    def scaled(self, name, have, want):
        """The index for a dimension `want` from `%name` along the dimension `have`."""
        times, by = want.num * have.den, want.den * have.num
        common = math.gcd(times, by)
        times, by = times // common, by // common
        if self.chance(self.odd):
            times, by = self.rng.choice([(1, 1), (2, 1), (1, 2), (1, 3)])
        op, point = (f"%{name} * {times}", f"{times}{name}") if times > 1 else (f"%{name}", name)
        if not want.param:
            return self.offset(op, point, [0] * 8 + [1, -1])
        if by == 1:
            return self.offset(op, point)
        op, point = self.offset(op, point)
        op, point = f"({op}) floordiv {by}", f"floor(({point})/{by})"
        return self.offset(op, point) if self.chance(0.5) else (op, point)

    def odd_index(self, want, names):
        name = self.rng.choice(names) if names else None
        pick = self.rng.random()
        if name and pick < 0.3 and want.param:
            self.note("index from the other end")
            return f"%{want.param} - 1 - %{name}", f"{want.param} - 1 - {name}"
        if name and pick < 0.45:
            by = self.rng.choice([2, 3])
            self.note("index modulo")
            return f"%{name} mod {by}", f"({name} mod {by})"
        if name and pick < 0.55 and "K" in self.pipeline.lowest:
            self.note("param in an index")
            return f"%{name} + %K", f"{name} + K"
        if name and pick < 0.65:
            return self.offset(f"%{name}", name)
        if want.param and pick < 0.75:
            return f"%{want.param} - 1", f"{want.param} - 1"
        constant = str(self.rng.choice([0, 0, 1, 2]))
        return constant, constant

    def index(self, want, dims, names):
        matching = [(n, d) for n, d in zip(names, dims) if d.param == want.param]
        if not matching or self.chance(self.odd):
            return self.odd_index(want, names)
        return self.scaled(*self.rng.choice(matching), want)

    # --- stages ---

    def split(self, dims, names):
        """Constraints of disjoint cases."""
        if not dims:
            return [["true"]]
        cases = self.split_along(dims, names)
        self.note("parity cases", any("mod 2" in c for case in cases for c in case))
        return cases

    def split_along(self, dims, names):
        where = [i for i, d in enumerate(dims) if d.param] or list(range(len(dims)))
        i = self.rng.choice(where)
        x, p = names[i], dims[i].param
        pick = self.rng.random()
        if pick < 0.55:
            return [["true"]]
        if pick < 0.7:
            return [[f"{x} mod 2 = 0"], [f"{x} mod 2 = 1"]]
        if pick < 0.74 and len(names) > 1:
            a, b = names[-2:]
            return [[f"{a} mod 2 = {i}", f"{b} mod 2 = {k}"] for i in (0, 1) for k in (0, 1)]
        if pick < 0.8 and len(names) > 1:
            return [[f"{names[-2]} <= {names[-1]}"], [f"{names[-2]} > {names[-1]}"]]
        if pick < 0.88 and p:
            return [[f"({x} < 1 or {x} >= {p} - 1)"], [f"1 <= {x} < {p} - 1"]]
        at = self.rng.choice(["1", "2", "5"] + ([f"{p} - 1", f"{p} - 3"] if p else []))
        return [[f"{x} < {at}"], [f"{x} >= {at}"]][: self.rng.choice([1, 2, 2])]

    # --- indices that are computed, and kept inside by a clamp or a remainder ---

    def raw_index(self, body, names, found):
        narrow = [(v, k) for v, k in found if k in ("u8", "i16", "i32", "u16", "u32")]
        if narrow and (not names or self.chance(0.4)):
            value, kind = self.rng.choice(narrow)
            return body.op(f"arith.cast {value} : ({kind}) -> index")
        amount = body.op(f"arith.constant {self.rng.choice([-5, -2, -1, 0, 1, 2, 7])} : index")
        if not names:
            return amount
        return body.op(f"arith.addi %{self.rng.choice(names)}, {amount} : index")

    def size_value(self, body, dim, extra):
        number = body.op(f"arith.constant {dim.extra + extra} : index")
        if not dim.param:
            return number
        size = body.op(f"arith.cast %{dim.param} : ({dict(self.pipeline.params)[dim.param]}) -> index")
        return body.op(f"arith.addi {size}, {number} : index")

    def may_compute(self, dim):
        return dim.num == dim.den == 1 and not dim.less and self.chance(self.computed)

    def remainder_index(self, body, dim, names, found, constraints):
        """The remainder of a sum that may leave 64 bits, or None."""
        wide = [(v, k) for v, k in found if k in ("i32", "i64", "u32", "u64")]
        if not wide or not self.chance(self.computed):
            return None
        self.note("remainder of any sum")
        value, kind = self.rng.choice(wide)
        value = body.op(f"arith.cast {value} : ({kind}) -> index")
        point = f" + %{self.rng.choice(names)}" if names else ""
        by = self.rng.choice([2, 3])
        constraints += [dim.inside(str(dim.lower)), dim.inside(str(dim.lower + by - 1))]
        return f"({self.rng.choice([1, by, 5])} * {value}{point} - 1) mod {by} + {dim.lower}"

    def computed_index(self, body, dim, names, found):
        value = self.raw_index(body, names, found)
        low = body.op(f"arith.constant {dim.lower} : index")
        if self.chance(0.3):
            rest = body.op(f"arith.remi {value}, {self.size_value(body, dim, -dim.lower)} : index")
            return body.op(f"arith.addi {rest}, {low} : index")
        last = self.size_value(body, dim, -1)
        if self.chance(0.2):
            value = self.mirrored(body, value, low, last)
        if self.chance(0.2):
            value = self.replaced(body, value, low, last)
        above = body.op(f"arith.maxi {value}, {low} : index")
        return body.op(f"arith.mini {above}, {last} : index")

    def mirrored(self, body, value, low, last):
        """At both ends, by up to the extent."""
        twice = [body.op(f"arith.addi {end}, {end} : index") for end in (low, last)]
        before, behind = (body.op(f"arith.subi {end}, {value} : index") for end in twice)
        first = body.op(f"arith.maxi {value}, {before} : index")
        return body.op(f"arith.mini {first}, {behind} : index")

    def replaced(self, body, value, low, last):
        """By another index on one side."""
        outside = body.op(f"arith.cmp {self.rng.choice(['lt', 'gt', 'eq'])}, {value}, {self.rng.choice([low, last])} : index")
        return body.op(f"arith.select {outside}, {self.rng.choice([low, last])}, {value} : index")

    def near_border(self, body, dims, names):
        """A condition on the point, in integers of some width."""
        at = self.rng.randrange(len(names))
        kind = self.rng.choice(["index", "i32", "i64"])
        shift = body.op(f"arith.constant {self.rng.choice([-2, -1, 0, 1, 2])} : {kind}")
        point = body.convert(f"%{names[at]}", "index", kind)
        near = body.op(f"arith.addi {point}, {shift} : {kind}")
        end = body.convert(self.size_value(body, dims[at], 0), "index", kind)
        first = body.convert(body.op(f"arith.constant {dims[at].lower} : index"), "index", kind)
        below, above = body.op(f"arith.cmp lt, {near}, {first} : {kind}"), body.op(f"arith.cmp ge, {near}, {end} : {kind}")
        return self.rng.choice([below, above, body.op(f"arith.ori {below}, {above} : i1")])

    def bordered(self, body, read, dims, names):
        """Elements that are a constant where the point is near the border."""
        condition = self.near_border(body, dims, names)
        return [(body.op(f"arith.select {condition}, {body.constant(kind)}, {value} : {kind}"), kind) for value, kind in read]

    def indices(self, body, stage, dims, names, constraints, found=()):
        """Of a point of the stage; the constraints keep it inside."""
        indices = []
        for dim in stage.dims:
            remainder = self.remainder_index(body, dim, names, found, constraints)
            if remainder:
                indices.append(remainder)
            elif self.may_compute(dim):
                self.note("computed index")
                indices.append(self.computed_index(body, dim, names, found))
                constraints.append(dim.inside(str(dim.lower)))
            else:
                index, point = self.index(dim, dims, names)
                indices.append(index)
                constraints.append(dim.inside(point))
        return indices

    # --- reads with boundary modes ---

    def some_mode(self, stage):
        mode = self.rng.choice(MODES)
        return "clamp" if mode == "constant" and len(stage.types) > 1 else mode

    def some_modes(self, stage):
        """One for each dimension; '' for none."""
        modes = [self.some_mode(stage) for _ in stage.dims]
        return [m if self.chance(0.8) else "" for m in modes] if self.chance(0.4) else modes

    def mode_text(self, modes, kind):
        words = [f"constant({self.rng.choice(['2.5', '-1.0'] if kind in FLOATS + HALVES else ['0', '1'])})" if m == "constant"
                 else m or "none" for m in modes]
        return f" boundary {words[0]}" if len(set(words)) == 1 else f" boundary [{', '.join(words)}]"

    def far_index(self, body, want, dims, names, found):
        """Any index, which may be outside."""
        if self.chance(self.computed):
            self.note("computed index with a mode")
            return self.raw_index(body, names, found), None
        op, point = self.index(want, dims, names)
        return self.offset(op, point, (0, 0, -1, 1, -2, 2, -4, 5, 9))

    def read_with_modes(self, body, producer, modes, dims, names, constraints, found=(), own=True):
        """Constraints keep the dimensions without a mode inside, and see that there is something to be read."""
        indices = []
        for dim, mode in zip(producer.dims, modes):
            index, point = self.far_index(body, dim, dims, names, found) if mode else self.index(dim, dims, names)
            indices.append(index)
            constraints.append(dim.inside(str(dim.lower) if mode else point))
            if mode:
                self.note(f"{mode} of {'an input' if producer in self.pipeline.inputs else 'a stage'}")
        return body.read(producer, indices, self.mode_text(modes, producer.types[0]) if own else "")

    def read(self, body, producer, dims, names, constraints, found=()):
        if producer.boundary and self.chance(0.7):
            self.note("mode stated by the input")
            return self.read_with_modes(body, producer, producer.boundary, dims, names, constraints, found, own=False)
        if producer.dims and self.chance(self.modes):
            return self.read_with_modes(body, producer, self.some_modes(producer), dims, names, constraints, found)
        plain = " boundary none" if producer.boundary else ""
        return body.read(producer, self.indices(body, producer, dims, names, constraints, found), plain)

    def leaves(self, body, producers, dims, names, constraints):
        found = []
        for producer in producers:
            for _ in range(self.rng.choice([1, 1, 1, 2, 3])):
                read = self.read(body, producer, dims, names, constraints, found)
                found += self.bordered(body, read, dims, names) if names and self.chance(self.computed / 2) else read
        if names and self.chance(0.2):
            found.append((f"%{self.rng.choice(names)}", "index"))
        if self.chance(0.2):
            name, kind = self.rng.choice(self.pipeline.params)
            found.append((f"%{name}", kind))
        return found + self.read_constants(body, names, found)

    def value(self, body, found, want):
        """Of what was found, and maybe a guard."""
        work = self.rng.choice(["i32", "f32"] if want in NARROW else [want, want, "i32", "f32"])
        value, kind = found[0]
        value = body.convert(value, kind, work)
        for other, kind in found[1:]:
            value = body.combine(value, body.convert(other, kind, work), work)
            if self.chance(0.1):
                value = body.combine(value, body.constant(work), work)
        if self.chance(0.12):
            self.note("guard")
            body.lines.append(f"stage.guard {body.condition(value, body.constant(work), work)} : i1")
        if self.chance(0.5) or len(found) == 1:
            value = body.combine(value, body.constant(work), work)
        if work in FLOATS:
            value = body.bounded(value, work)
        return body.convert(value, work, want)

    def values(self, body, stage, found):
        """One for each element, mostly of different parts of what was found."""
        parts = [found] + [self.rng.sample(found, self.rng.randint(1, len(found))) for _ in stage.types[1:]]
        return [self.value(body, part, kind) for part, kind in zip(parts, stage.types)]

    def case_lines(self, stage, producers, names, constraints):
        body = self.body()
        constraints = [d.inside(n) for d, n in zip(stage.dims, names)] + [c for c in constraints if c != "true"]
        found = self.leaves(body, producers, stage.dims, names, constraints)
        values = self.values(body, stage, found)
        return constraints, body.lines + [f"stage.yield {', '.join(values)} : {', '.join(stage.types)}"]

    def update_lines(self, stage, producers, dims, names):
        body = self.body()
        constraints = [d.inside(n) for d, n in zip(dims, names)]
        own = self.chance(0.3)
        self.note("update that reads its stage", own)
        found = self.leaves(body, producers + [stage] * own, dims, names, constraints)
        indices = self.indices(body, stage, dims, names, constraints, found)
        values = self.values(body, stage, found)
        kinds = [self.rng.choice(FLOAT_KINDS if kind in FLOATS else INTEGER_KINDS) for kind in stage.types]
        if len(kinds) > 1 and self.dice.random() < 0.3:
            self.note("choice of tuples")
            kinds = [self.dice.choice(["argmin", "argmax"])] + ["with"] * (len(kinds) - 1)
        pairs = ", ".join(f"{kind}, {value}" for kind, value in zip(kinds, values))
        return constraints, body.lines + [f"stage.combine {pairs} into [{', '.join(indices)}] : {', '.join(stage.types)}"]

    def set_text(self, names, constraints):
        params = ", ".join(self.pipeline.lowest)
        where = f" : {' and '.join(constraints)}" if constraints else ""
        return f'#isl.set<"[{params}] -> {{ [{", ".join(names)}]{where} }}">'

    def domain_text(self, stage):
        names = [f"d{i}" for i in range(len(stage.dims))]
        return self.set_text(names, [d.inside(n) for d, n in zip(stage.dims, names)])

    def add_input(self, name):
        stage = Stage(name, [self.rng.choice(TYPES)], self.input_dims())
        mode = ""
        if stage.dims and self.chance(self.modes / 2):
            stage.boundary = self.some_modes(stage)
            mode = self.mode_text(stage.boundary, stage.types[0])
        self.pipeline.inputs.append(stage)
        self.stages.append(stage)
        self.lines.append(f"stage.input @{name} : {stage.types[0]}{mode} on {self.domain_text(stage)}")

    # --- constants ---

    def number_text(self, kind):
        if kind == "i1":
            return self.dice.choice(["true", "false"])
        if kind in FLOATS + HALVES:
            return self.dice.choice(["0.0", "-0.0", "0.1", "-1.5", "3.0", "1e-40", "255.0"])
        return str(self.dice.choice([0, 0, 1, 2, 3, 5, 7, 100] + ([-1, -100] if kind in SIGNED else [])))

    def numbers_text(self, kind, extents):
        if not extents:
            return self.number_text(kind)
        return f"[{', '.join(self.numbers_text(kind, extents[1:]) for _ in range(extents[0]))}]"

    def add_constant(self, name):
        extents = [self.dice.choice([1, 2, 3, 4, 8, 30]) for _ in range(self.dice.choice([1, 1, 1, 2, 3]))]
        kind = self.dice.choice(TYPES + NARROW)
        modes = [self.dice.choice(MODES) for _ in extents] if self.dice.random() < 0.4 else []
        stage = Stage(name, [kind], [self.fixed(n) for n in extents], modes)
        self.constants.append(stage)
        mode = self.mode_text(modes, kind) if modes else ""
        shape = "".join(f"{n}x" for n in extents)
        self.lines.append(f"stage.constant @{name}{mode} dense<{shape}{kind}: {self.numbers_text(kind, extents)}>")

    def constant_index(self, extent, mode, names, found):
        integers = [v for v, k in found if k in INTEGERS]
        pick = self.dice.random()
        if integers and pick < 0.6:
            self.note("look-up in a constant")
            value = self.dice.choice(integers)
            return value if mode else f"({value} + {self.dice.choice([0, 3])}) mod {extent}"
        if names and pick < 0.8:
            point = f"%{self.dice.choice(names)} - {self.dice.choice([0, 1, 9])}"
            return point if mode else f"({point}) mod {extent}"
        return str(self.dice.randrange(extent))

    def read_constants(self, body, names, found):
        read = []
        for stage in self.constants:
            if self.dice.random() < 0.4:
                continue
            self.note("constant")
            self.note("type " + stage.types[0])
            modes = stage.boundary or [""] * len(stage.dims)
            indices = [self.constant_index(d.extra, m, names, found + read) for d, m in zip(stage.dims, modes)]
            read += body.read(stage, indices)
        return read

    def producers(self):
        """Mostly the last stages, so that chains are long; those without a reader first."""
        recent = self.stages[-4:]
        found = [self.unread[0]] if self.unread and self.chance(0.7) else [self.rng.choice(recent)]
        for _ in range(self.rng.choice([0, 0, 1, 1, 2]) + 3 * self.chance(0.05)):
            other = self.rng.choice(self.stages if self.chance(0.3) else recent)
            if other not in found:
                found.append(other)
        if self.hub and self.chance(0.6):
            found = [self.hub] + [f for f in found if f is not self.hub]
        return found

    def add_body(self, word, names, constraints, lines):
        arguments = ", ".join(f"%{n}" for n in names)
        self.lines.append(f"  stage.{word}({arguments}) on {self.set_text(names, constraints)} {{")
        self.lines += [f"    {line}" for line in lines] + ["  }"]

    def new_stage(self, name, producers, dims):
        kinds = [producers[0].types[0] if self.chance(0.5) else self.rng.choice(TYPES)]
        if self.chance(self.tuples):
            kinds += [self.rng.choice(TYPES) for _ in range(self.rng.choice([1, 1, 2]))]
        elif self.chance(self.narrow):
            kinds = [self.rng.choice(NARROW)]
        if kinds[0] in NARROW and len(kinds) > 1:
            kinds[0] = "f32"
        return Stage(name, kinds, dims)

    def begin(self, stage):
        default = ""
        if self.chance(0.3) and stage.types[0] not in NARROW:
            self.note("default")
            numbers = [f"{'2.5' if kind in FLOATS else 9} : {kind}" for kind in stage.types]
            default = f" default {numbers[0]}" if len(numbers) == 1 else f" default [{', '.join(numbers)}]"
        self.lines.append(f"stage.func @{stage.name} : {stage.type_text()} on {self.domain_text(stage)}{default} {{")

    def end(self, stage, producers):
        self.lines.append("}")
        self.unread = [s for s in self.unread if s not in producers] + [stage]
        self.stages.append(stage)
        self.pipeline.funcs.append(stage)
        self.reads[stage.name] = {p.name for p in producers}

    def names_of(self, dims):
        return self.rng.choice([["x", "y", "z", "w"], ["c", "i", "j", "k"]])[: len(dims)]

    def add_any(self, name):
        producers = self.producers()
        stage = self.new_stage(name, producers, self.stage_dims(producers[0]))
        self.begin(stage)
        names = self.names_of(stage.dims)
        for constraints in self.split(stage.dims, names):
            self.add_body("case", names, *self.case_lines(stage, producers, names, constraints))
        while self.chance(self.updates) and stage.types[0] not in NARROW:
            self.note("update")
            dims = self.rng.choice([producers[0].dims, stage.dims])
            names = ["u", "v", "w", "s"][: len(dims)]
            self.add_body("update", names, *self.update_lines(stage, producers, dims, names))
        self.end(stage, producers)

    def add_func(self, name):
        weights = STYLES[self.style]
        kind = self.rng.choices(list(weights), list(weights.values()))[0]
        if kind == "any" or not getattr(self, f"add_{kind}")(name):
            self.add_any(name)
        if not self.hub and self.chance(0.06):
            self.hub = self.stages[-1]

    def add_params(self):
        p = self.pipeline
        p.params = [(n, self.rng.choice(["i32"] * 5 + ["i64", "index", "u64", "u32", "u16"])) for n in "RC"]
        p.lowest = {n: self.rng.choice([1, 1, 1, 2, 3]) for n in "RC"}
        p.even = {n for n in "RC" if self.chance(0.1)}
        if self.chance(0.2):
            p.params.append(("K", self.rng.choice(["i32", "u8", "i64"])))
            p.lowest["K"] = 0
        if self.chance(0.3):
            p.params.append(("t", self.rng.choice(FLOATS)))
        self.lines += [f"%{n} = stage.param @{n} : {k}" for n, k in p.params]

    def add_outputs(self):
        """Those without a reader, at most three, and maybe some that have one; types that arrays have."""
        chosen = [s for s in self.unread if s.types[0] not in NARROW and s not in self.dead][-3:]
        funcs = [s for s in self.pipeline.funcs if s.types[0] not in NARROW]
        if funcs and self.chance(0.3) and len(chosen) < 3 or not chosen:
            chosen += [s for s in [self.rng.choice(funcs)] if s not in chosen]
        self.pipeline.outputs = chosen
        self.lines += [f"stage.output @{s.name}" for s in chosen]

    # --- what it has ---

    def note(self, feature, when=True):
        if when:
            self.pipeline.features[feature] += 1

    def depth(self):
        """Stages of the longest chain."""
        depth = {}
        for stage in self.pipeline.funcs:
            depth[stage.name] = 1 + max([depth.get(p, 0) for p in self.reads[stage.name]], default=0)
        return max(depth.values())

    def needed(self):
        """Names of the stages that the outputs need."""
        found, left = set(), [s.name for s in self.pipeline.outputs]
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left += self.reads.get(name, ())
        return found

    def note_graph(self):
        funcs, readers = self.pipeline.funcs, collections.Counter(p for reads in self.reads.values() for p in reads)
        for stage in self.pipeline.inputs + funcs:
            self.note(f"rank {len(stage.dims)}")
            self.note("tuple", len(stage.types) > 1)
            self.note("needed by four", readers[stage.name] >= 4)
            self.note("param in a domain", any(d.less for d in stage.dims))
            for kind in set(stage.types):
                self.note(f"type {kind}")
        for stage in funcs:
            self.note("reads four", len(self.reads[stage.name]) >= 4)
        self.note("chain of ten", self.depth() >= 10)
        self.note("ranks mixed", len({len(s.dims) for s in funcs}) > 1)
        self.note("several outputs", len(self.pipeline.outputs) > 1)
        self.note("output read inside", any(readers[s.name] for s in self.pipeline.outputs))
        self.note("dead stage", bool({s.name for s in funcs} - self.needed()))
        self.pipeline.portable = not any(k in HALVES for s in funcs + self.constants for k in s.types)

    def make(self):
        self.add_params()
        for i in range(self.rng.choice([1, 1, 2])):
            self.add_input(f"in{i}")
        for i in range(self.dice.choice([0, 0, 0, 0, 1, 3])):
            self.add_constant(f"k{i}")
        least, most = (10, 16) if self.style == "chain" else (2, 8)
        for i in range(self.rng.randint(least, most)):
            self.add_func(f"f{i}")
            self.dead += self.stages[-1:] * self.chance(0.03)
        while not any(s.types[0] not in NARROW for s in self.pipeline.funcs):
            self.add_any(f"f{len(self.pipeline.funcs)}")
        self.add_outputs()
        self.note_graph()
        sizes = list(self.pipeline.lowest)
        holds = [f"{n} >= {least}" for n, least in self.pipeline.lowest.items()] + (["K <= 3"] if "K" in sizes else [])
        holds += [f"{n} mod 2 = 0" for n in sorted(self.pipeline.even)]
        context = f'#isl.set<"[{", ".join(sizes)}] -> {{  : {" and ".join(holds)} }}">'
        body = "".join(f"  {line}\n" for line in self.lines)
        self.pipeline.text = f'stage.pipeline @p context {context} fp "strict" {{\n{body}}}\n'
        return self.pipeline


def make(seed):
    return Maker(seed).make()
