"""conversions.py NAME: NAME.a.npy of f32 and NAME.b.npy of f64, with numbers around the ends of all integer types."""
import sys

import numpy as np

first = [-1.5, 300, -300, 70000, 2.0**31, 3e9, -3e9, 2.0**63, 2.0**64, np.inf, -np.inf, np.nan]
ends = [sign * (2.0**bits + by) for bits in (7, 8, 15, 16, 31, 32, 63, 64) for by in (-1, -0.5, 0, 0.5, 1) for sign in (1, -1)]
far = [sign * 2.0**bits * (1 + by) for bits in (31, 32, 63, 64) for by in (-(2.0**-22), 2.0**-22) for sign in (1, -1)]
others = np.random.RandomState(1)
others = others.randn(300) * 10.0 ** others.randint(0, 25, 300)
numbers = np.concatenate([first, ends, far, [0, -0.0, 0.5, -0.5, 0.99, -0.99, 1e-40, 3e38, -3e38], others])
np.save(f"{sys.argv[1]}.a.npy", numbers.astype(np.float32))
np.save(f"{sys.argv[1]}.b.npy", numbers.astype(np.float64))
