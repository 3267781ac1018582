"""names.py [--scripts] PYPROJECT: the name and the version of the distribution, or the names of its console scripts."""
import os
import re
import sys
import tomllib

path = sys.argv[-1]
with open(path, "rb") as file:
    described = tomllib.load(file)
if "--scripts" in sys.argv:
    print("\n".join(described["project"]["scripts"]))
else:
    version = described["tool"]["scikit-build"]["metadata"]["version"]
    with open(os.path.join(os.path.dirname(path), version["input"])) as file:
        print(described["project"]["name"], re.search(version["regex"], file.read())["value"])
