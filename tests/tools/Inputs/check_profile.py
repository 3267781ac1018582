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
# A sum for each of 256 values. How long each takes is not asked: a busy machine gives any times.
assert groups["cdf"]["operations"] == 255 and groups["equalised"]["operations"] == 6 * 240 * 320, groups
assert all(group["s"] >= 0 for group in groups.values()) and any(group["s"] > 0 for group in groups.values()), groups
assert run["rest_s"] >= 0 and run["machine"]["vector_mops"] > 0, run
