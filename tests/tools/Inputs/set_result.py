"""set_result.py FILE SETTING: makes it the result of the only entry of a file of pm-tune, half the default's time."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    root = json.load(file)
(entry,) = root["entries"]
entry.update(settings=[sys.argv[2]], ratio=0.5)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(root, file)
