"""set_result.py FILE SETTING [THREADS]: makes it the result of the only entry of a file of pm-tune, half the default's time; or that
of a copy behind it, for so many threads."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    root = json.load(file)
(entry,) = root["entries"]
result = {"settings": [sys.argv[2]], "ratio": 0.5}
if len(sys.argv) > 3:
    root["entries"].append({**entry, **result, "threads": int(sys.argv[3])})
else:
    entry.update(result)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(root, file)
