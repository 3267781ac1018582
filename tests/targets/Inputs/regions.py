"""regions.py DIR: the inputs of regions.pmir and one-box.py."""
import sys

import numpy as np

np.save(sys.argv[1] + "/a.npy", np.arange(17, dtype=np.float32) ** 2)
np.save(sys.argv[1] + "/img.npy", (np.arange(13 * 9) ** 2 % 251).reshape(13, 9).astype(np.uint8))
