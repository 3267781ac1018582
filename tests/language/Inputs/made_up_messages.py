"""What tests/lib/mistakes.py says of messages that no tool gives."""

import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import mistakes

MADE_UP = [
    ("error", 4, 1, "'stage.read' has two"),
    ("error", 4, 1, "it should be @f"),
    ("error", 9, 1, "it should be there"),
    ("note", 4, 2, "of %x"),
    ("other", 0, 0, "lost"),
]
print(*mistakes.complaints(Path(sys.argv[2]), MADE_UP), sep="\n")
