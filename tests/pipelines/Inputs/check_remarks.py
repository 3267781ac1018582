"""check_remarks.py TEN ALL: what --remarks shows is the beginning of what --remarks=all says, by cost."""
import re
import sys

ten, all_of_them = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
lines = [line for line in ten.splitlines() if " remark: [" in line]
said = [line for line in all_of_them.splitlines() if " remark: [" in line]
more = int(re.search(r"^(\d+) more: --remarks=all$", ten, re.M)[1])
assert set(lines) <= set(said) and len(lines) + more == len(said), (len(lines), more, len(said))


def cost(block):
    """Of a line and what stands behind it: ms, 0 where none are said."""
    together = re.search(r"^  … and \d+ more like it, ([0-9.e-]+) ms with it", block, re.M)
    own = together or re.search(r"the prediction is ([0-9.e-]+) ms|(?:takes|in) ([0-9.e-]+) ms", block)
    return float(next(g for g in own.groups() if g)) if own else 0


blocks = re.split(r"^(?=\S+: remark: \[)", ten, flags=re.M)[1:]
costs = [cost(block) for block in blocks if "would cost" not in block or "with it" in block]
assert costs == sorted(costs, reverse=True) and costs[0] > 0, costs
