"""ramp.py WIDTH HEIGHT FILE.npy: a picture of u16 whose elements differ, [height][width]."""
import sys

import npy

width, height, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
npy.save(path, "u2", (height, width), [i * 7919 % 40000 for i in range(width * height)])
