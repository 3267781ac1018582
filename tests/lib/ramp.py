"""ramp.py WIDTH HEIGHT FILE.npy: a picture of u16 whose elements differ, [height][width]."""
import sys

import numpy as np

width, height, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
np.save(path, (np.arange(width * height) * 7919 % 40000).astype(np.uint16).reshape(height, width))
