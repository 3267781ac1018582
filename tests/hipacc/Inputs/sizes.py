"""What sizes.cpp computes: sizes.py IN.npy OUT.npy. Its range and least value are of the whole picture."""
import sys

import numpy as np

F = np.float32
photo, got = np.load(sys.argv[1]), np.load(sys.argv[2])
height, width = photo.shape
most, least = photo.max(), photo.min()
span = F(int(most) - int(least)) if most > least else F(1)
weights = [F(0.5), F(2) / span, F(1) / F(width)]
padded = np.pad(photo[:, 2:], ((0, 0), (1, 1)), "edge").astype(F)
value = (photo[:, 2:].astype(F) - F(least)) * (F(255) / span)
smooth = weights[0] * padded[:, :-2] + weights[1] * padded[:, 1:-1] + weights[2] * padded[:, 2:]
y, x = np.mgrid[0:height, 0:width - 2]
value = np.where(x >= width - 2 - width // 3, smooth, value)
value = np.where(y > height // 2, value + (width % 5 + x // 2).astype(F), value)
want = np.zeros((height, width), F)
want[:, 2:] = value
assert got.dtype == want.dtype and np.array_equal(got, want), np.argwhere(got != want)[:4]
print(f"{width}x{height}: equal")
