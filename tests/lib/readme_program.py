"""readme_program.py README OUT: writes the program of the README's tour, its one block of Python."""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    blocks = re.findall(r"^```python\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
if len(blocks) != 1:
    sys.exit(f"{sys.argv[1]} has {len(blocks)} blocks of Python, expected one")
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write(blocks[0])
