"""The lexer for Pygments has a token for all text of each .pmir below a folder: lexer.py FOLDER LEAST"""
import sys
from pathlib import Path

from pygments.token import Error

from pm.lexer import PmirLexer

files = sorted(Path(sys.argv[1]).rglob("*.pmir"))
wrong = {}
for file in files:
    text = file.read_text(encoding="utf-8", errors="replace")
    tokens = list(PmirLexer(stripnl=False, ensurenl=False).get_tokens(text))
    assert "".join(value for _, value in tokens) == text.replace("\r\n", "\n").replace("\r", "\n"), file
    if bad := [value for kind, value in tokens if kind is Error]:
        wrong[str(file)] = bad[:5]
print(wrong, len(files))
sys.exit(bool(wrong) or len(files) < int(sys.argv[2]))
