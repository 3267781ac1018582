"""What editors colour, form by form: grammar.py FOLDER PAGE FILE…

FOLDER has pmir.tmLanguage.json, lexer.py, pmir.xml and syntax/pmir.vim, PAGE is of pm-translate. All forms give each character of a text the same class: what TextMate
calls keyword.control is always one token of Pygments, one group of Vim and one class of the page.
"""
import html
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from pygments.token import Error

EDITORS, PAGE, *FILES = sys.argv[1:]

ODD = r'''
%a.b-1 = "arith.addi"(%x#2, %) {a = "arith.addi", b = "x\"y\\", c = arith.addi.x, map = 0x1F, d = -1.5e-3} : (i32) -> memref<4x?xf32, heap>
@"quoted \" name" @plain.name ^bb(%0: vector<8xf32>) #alias #isl.set<"[N] -> { [x_1] : 0 <= x_1' < 2N and \"exists\" }"> // end "x
"not closed
é "ü€" 12. 12.x 4x4 4x4xf3 f32x ?xindex true.x unit truer 1e5 1e+ ->-> # @ ^ ~ `
#isl.set<"not closed
stage.read stage.readx xstage.read
'''


def of_textmate(grammar):
    """The scope of each character, None outside of all: the earliest match on a line, of those the first rule's."""
    def compiled(patterns):
        return [(re.compile(p.get("match") or p["begin"]), p) for p in patterns]

    root = compiled(grammar["patterns"])

    def scopes(text):
        found = []
        for line in text.split("\n"):
            at, of_line, inner = 0, [None] * len(line), None
            while at <= len(line):
                rules = inner["rules"] if inner else root
                matches = [(m.start(), i, m, p) for i, (r, p) in enumerate(rules) if (m := r.search(line, at)) and m.group()]
                end = inner and inner["end"].search(line, at)
                if end and not (matches and min(matches, key=lambda m: m[:2])[0] < end.start()):
                    of_line[end.start():end.end()] = [inner["name"]] * len(end.group())
                    at, inner = end.end(), None
                    if at == len(line):
                        break
                    continue
                if not matches:
                    break
                _, _, m, pattern = min(matches, key=lambda m: m[:2])
                if "begin" in pattern:
                    for group, name in pattern["beginCaptures"].items():
                        of_line[m.start(int(group)):m.end(int(group))] = [name["name"]] * len(m.group(int(group)))
                    inner = {"rules": compiled(pattern["patterns"]), "end": re.compile(pattern["end"]), "name": pattern["endCaptures"]["0"]["name"]}
                else:
                    of_line[m.start():m.end()] = [pattern["name"]] * len(m.group())
                at = m.end()
            found += of_line + [None]
        return found[:-1]
    return scopes


def of_pygments(path):
    spec = importlib.util.spec_from_file_location("lexer", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    lexer = module.PmirLexer(stripnl=False, ensurenl=False)

    def tokens(text):
        found = []
        for token, value in lexer.get_tokens(text):
            found += [None if str(token) == "Token.Text.Whitespace" or token is Error else str(token)] * len(value)
        return found
    return tokens


def of_kate(language):
    """The attribute of each character: at each place the first rule that matches there, of the context that is open."""
    contexts = {c.get("name"): c for c in language.iter("context")}
    styles = {item.get("name") for item in language.iter("itemData")}
    compiled = {name: [(re.compile(r.get("String") or re.escape(r.get("char"))), r) for r in c if r.tag in ("RegExpr", "DetectChar")]
                for name, c in contexts.items()}
    assert all(r.get("attribute") in styles for rules in compiled.values() for _, r in rules)

    def switch(stack, to):
        popped, _, pushed = to.partition("!") if to.startswith("#pop") else ("", "", to)
        return (stack[:-1] if popped else stack) + ([pushed] if pushed and pushed != "#stay" else [])

    def attributes(text):
        found, stack = [], ["Normal"]
        for line in text.split("\n"):
            at = 0
            while at < len(line):
                match = next(((m, r) for regex, r in compiled[stack[-1]] if (m := regex.match(line, at)) and m.group()), None)
                if match:
                    found += [match[1].get("attribute")] * len(match[0].group())
                    at = match[0].end()
                    stack = switch(stack, match[1].get("context"))
                elif contexts[stack[-1]].get("fallthroughContext"):
                    stack = switch(stack, contexts[stack[-1]].get("fallthroughContext"))
                else:
                    found.append(None)
                    at += 1
            found.append(None)
            while contexts[stack[-1]].get("lineEndContext") == "#pop":
                stack = stack[:-1]
        return found[:-1]
    return attributes


def of_vim(folder):
    """The group of each character; None when there is no Vim with syntax."""
    if not shutil.which("vim"):
        return None

    def groups(text):
        with tempfile.TemporaryDirectory() as scratch:
            path, out, script = (Path(scratch) / name for name in ("a.pmir", "out", "script.vim"))
            path.write_text(text)
            script.write_text(f"""
set encoding=utf-8 nocompatible synmaxcol=0
syntax on
set runtimepath^={folder}
edit {path}
runtime syntax/pmir.vim
let all = []
for l in range(1, line('$'))
  let line = []
  let c = 1
  while c <= len(getline(l))
    call add(line, synIDattr(synID(l, c, 1), 'name'))
    let c += len(matchstr(getline(l), '.', c - 1))
  endwhile
  call add(all, join(line))
endfor
call writefile(all, '{out}')
qall!
""")
            subprocess.run(["vim", "-es", "-u", "NONE", "-i", "NONE", "-n", "-S", str(script)], stdin=subprocess.DEVNULL, timeout=60)
            lines = out.read_text().split("\n")
        found = []
        for names, line in zip(lines, text.split("\n")):
            words = names.split(" ") if line else []
            assert len(words) == len(line), (words, line)
            found += [re.sub("^pmir(Text(?=.))?", "", w) or None for w in words] + [None]
        return [{"Text": None, "Open": "Punctuation"}.get(name, name) for name in found[:-1]]
    return groups


class Same:
    """Names of one form are those of another, one to one."""

    def __init__(self):
        self.there, self.back = {}, {}

    def check(self, text, ours, theirs, skip=lambda i: False):
        assert len(ours) == len(theirs) == len(text), (len(ours), len(theirs), len(text))
        for i, (a, b) in enumerate(zip(ours, theirs)):
            if text[i].isspace() or skip(i):
                continue
            place = text[max(0, i - 30):i] + "▶" + text[i:i + 20]
            assert self.there.setdefault(a, b) == b and self.back.setdefault(b, a) == a, f"{a} and {b}, {self.there.get(a)}, at {place!r}"


def page_pieces(page):
    """The text of each IR on a page, and the class of each of its characters."""
    for part in re.findall(r'<pre class="ir">(.*?)</pre>', page, re.S):
        text, classes = "", []
        for plain, name, inside in re.findall(r'([^<]+)|<span class="t-(\w+)">([^<]*)</span>', part):
            piece = html.unescape(plain or inside)
            text += piece
            classes += [name or "punctuation"] * len(piece)
        yield text, classes


def inside_text(text):
    """Whether a character is between the quotes of #dialect.kind<"…">, which a page leaves whole."""
    inside = set()
    for m in re.finditer(r'#[\w$.]+<"([^"\n]*)"', text):
        inside.update(range(m.start(1), m.end(1)))
    return inside.__contains__


scopes = of_textmate(json.loads(Path(EDITORS, "pmir.tmLanguage.json").read_text()))
tokens = of_pygments(Path(EDITORS, "lexer.py"))
texts = [ODD] + [Path(file).read_text(errors="replace").replace("\r", "") for file in FILES]

same = Same()
for text in texts:
    same.check(text, scopes(text), tokens(text))
print(f"TextMate and Pygments: {len(same.there)} classes, {len(texts) > 20}")

same = Same()
pieces = list(page_pieces(Path(PAGE).read_text()))
for text, classes in pieces:
    same.check(text, tokens(text), classes, inside_text(text))
print(f"Pygments and the page: {sorted(same.back)}")

attributes = of_kate(ElementTree.parse(Path(EDITORS, "pmir.xml")).getroot())
same = Same()
for text in texts[:20]:
    same.check(text, tokens(text), attributes(text))
print(f"Pygments and Kate: {len(same.there)} classes")

groups = of_vim(Path(EDITORS).resolve())
if not groups:
    print("no Vim")
else:
    same = Same()
    sample = ODD.replace("#isl.set<\"not closed\n", "") + "\n".join(texts[1:4])
    same.check(sample, tokens(sample), groups(sample))
    print(f"Pygments and Vim: {len(same.there)} classes")
