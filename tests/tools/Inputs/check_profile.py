"""check_profile.py PROFILE.json < REMARKS: times and predictions of the groups of histeq.py, and what the remarks say of them."""
import json
import math
import re
import sys

GROUP = re.compile(r"the last is @(\w+); the prediction is ([\d.e+-]+) ms \(.*?new memory ([\d.e+-]+),.*?, ([\d.]+) ([kM]?B) moved")
SIZES = {"B": 1, "kB": 1e3, "MB": 1e6}

with open(sys.argv[1], encoding="utf-8") as file:
    run = json.load(file)
groups = {group["group"]: group for group in run["groups"]}
said = {name: (float(ms) - float(new), float(moved) * SIZES[unit]) for name, ms, new, moved, unit in GROUP.findall(sys.stdin.read())}
assert list(groups) == ["hist_part", "hist", "cdf", "equalised"] and set(said) == set(groups), (groups, said)
for name, (ms, moved) in said.items():
    assert math.isclose(1e3 * groups[name]["predicted_s"], ms, rel_tol=0.02), (name, groups[name], ms)
    assert math.isclose(groups[name]["bytes"], moved, rel_tol=0.01), (name, groups[name], moved)
assert math.isclose(sum(group["predicted_s"] for group in groups.values()), run["predicted_s"], rel_tol=1e-9)
# A sum for each of 256 values, of which the partial ones are 16: the points of the picture take the time.
assert groups["cdf"]["operations"] == 255 and groups["equalised"]["operations"] == 6 * 240 * 320, groups
assert groups["hist_part"]["s"] > groups["hist"]["s"] + groups["cdf"]["s"] > 0, groups
assert 0 <= run["rest_s"] < groups["hist_part"]["s"] and run["machine"]["vector_mops"] > 0, run
