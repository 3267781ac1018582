"""check_prediction.py BENCH.json < REMARKS: the predicted time of a call is that of the groups but for new memory."""
import json
import re
import sys

text = sys.stdin.read()
groups = re.findall(r"the prediction is ([0-9.e-]+) ms \(computing [0-9.e-]+, moving [0-9.e-]+, new memory ([0-9.e-]+)", text)
expected = sum(float(time) - float(new) for time, new in groups)
with open(sys.argv[1], encoding="utf-8") as file:
    predicted = 1e3 * json.load(file)["predicted_s"]
assert len(groups) == 2 and abs(predicted - expected) < 0.02 * expected, (groups, predicted)
