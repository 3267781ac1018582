"""put_peers.py LIBRARY FILE.json [--cpu]: the tables of bench/peers/run for a small picture and the app blur, with a
library in place of Halide's.
"""
import os
import sys
from argparse import Namespace

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "bench"))

import peers

peers.SIZES["blur"] = "66x98"
library, path, *cpu = sys.argv[1:]
sys.exit(peers.put_tables({"blur": library}, Namespace(threads=[1, 2], seconds=0.01, cpu=cpu, json=path)))
