"""Random programs, sizes and chunks: a map is the whole picture, or a refusal that names a stage or an input."""
import collections
import random
import re
import sys
import unittest

import dask
import dask.array as da
import hypothesis
import numpy as np
import pm
import pm.dask
from dask_programs import STRICT, as_tuple
from hypothesis import strategies
from random_polymage import PLANE, Program, random_array

outcomes = collections.Counter()


def random_chunks(rng, shape):
    """Of any sizes, some of them empty."""
    made = []
    for n in shape:
        ends = sorted(rng.choices(range(n + 1), k=rng.choice([0, 1, 2, 2, 3, 5])))
        made.append(tuple(b - a for a, b in zip([0, *ends], [*ends, n])))
    return tuple(made)


class Random(unittest.TestCase):
    def outcome(self, seed, rows, columns, rng):
        program = Program(seed)
        stages = [name for name, *_ in program.stages if name.startswith("s")]
        planes = [name for name, dims, _ in program.stages if name in stages and dims == PLANE]
        outputs = rng.sample(planes, min(2, len(planes))) if planes and rng.random() < 0.3 else [rng.choice(stages)]
        f = pm.Pipeline(program.text, "program.py", live_out=outputs, **STRICT)
        try:
            inputs = {p.name: random_array(np.random.default_rng(seed), program.inputs[p.name], (rows, columns)) for p in f.inputs}
            sizes = {"R": rows, "C": columns} if not inputs else {}
            sizes = {p.name: sizes[p.name] for p in f.parameters if p.name in sizes}
            whole = as_tuple(f(**inputs, **sizes))
        except pm.Error as error:
            return f"no whole: {error}"
        given = {name: array if rng.random() < 0.2 else da.from_array(array, chunks=random_chunks(rng, array.shape))
                 for name, array in inputs.items()}
        chunks = None if rng.random() < 0.2 else random_chunks(rng, whole[0].shape)
        halo, allow = rng.choice(["blocks", "slices"]), rng.random() < 0.5
        try:
            made = as_tuple(pm.dask.map(f, **given, chunks=chunks, halo=halo, allow_rechunk=allow, **sizes))
            got = dask.compute(*made, scheduler="sync")
        except pm.Error as error:
            named = set(re.findall(r"\w+", str(error))) & {*stages, *inputs}
            self.assertTrue(named, error)
            return f"refused: {type(error).__name__}"
        for one, want in zip(got, whole):
            self.assertEqual((one.shape, one.dtype), (want.shape, want.dtype))
            np.testing.assert_array_equal(one, want, f"seed {seed} {outputs} {rows}x{columns} {chunks}\n{program.text}")
        return "equal"

    @hypothesis.settings(max_examples=int(sys.argv.pop()) if sys.argv[-1].isdigit() else 200, derandomize=True, deadline=None,
                         database=None,
                         phases=[hypothesis.Phase.generate], suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(strategies.integers(0, 10**6), strategies.integers(3, 60), strategies.integers(3, 60), strategies.integers(0, 10**6))
    def test_programs(self, seed, rows, columns, way):
        outcomes[self.outcome(seed, rows, columns, random.Random(way))] += 1

    @classmethod
    def tearDownClass(cls):
        for text, n in outcomes.most_common():
            print(f"{n} {text}")


if __name__ == "__main__":
    unittest.main()
