"""readme_program.py README OUT [WHICH]: writes a block of Python of the README: 0 the tour's program, 1 the one of pm.compile."""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    blocks = re.findall(r"^```python\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
if len(blocks) != 2:
    sys.exit(f"{sys.argv[1]} has {len(blocks)} blocks of Python, expected two")
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write(blocks[int(sys.argv[3]) if len(sys.argv) > 3 else 0])
