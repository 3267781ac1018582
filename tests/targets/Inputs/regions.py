"""regions.py DIR: the input of regions.pmir."""
import sys

import numpy as np

np.save(sys.argv[1] + "/a.npy", np.arange(17, dtype=np.float32) ** 2)
