"""Sessions with pm-lsp: lsp.py PLUGIN FOLDER-OF-PMIR. Prints the name of each that went well."""
import os
import random
import sys
import time
from pathlib import Path

from lsp_client import Server, at

PLUGIN, FOLDER = sys.argv[1:3]
SCALE = 5 if os.environ.get("PM_TEST_CONFIG") == "asan" else 1  # of what takes long
IR, PY, CPP = "file:///nowhere/a.pmir", "file:///nowhere/a%20b.py", "file:///nowhere/a.cpp"
BLUR = (Path(__file__).parent / "blur.pmir").read_text()
LINES = BLUR.split("\n")


def place(line, word, text=LINES):
    """A request's place inside the first `word` of a line."""
    return at(IR, line, text[line].index(word) + 1)


def span(range_):
    """line:from-to, or line:from-line:to."""
    start, end = range_["start"], range_["end"]
    to = "" if start["line"] == end["line"] else f"{end['line']}:"
    return f"{start['line']}:{start['character']}-{to}{end['character']}"


def equal(what, expected):
    assert what == expected, f"{what!r} instead of {expected!r}"


def messages(diagnostics):
    return [(span(d["range"]), d["severity"], d["message"]) for d in diagnostics]


def edit(text, *pairs):
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    return text


# --- sessions ---

def appear_and_vanish(s):
    s.open(IR, "pmir", BLUR)
    equal(s.diagnostics(IR), [])
    s.change(IR, edit(BLUR, ("%0 = stage.read @img", "%0 = stage.red @img"), ("%2 : f32\n      stage.yield", "%2 : f31\n      stage.yield")), 2)
    equal([(where, severity, text.split(":")[0]) for where, severity, text in messages(s.diagnostics(IR))], [
        ("6:11-20", 1, "unknown op 'stage.red'; did you mean 'stage.read'?"),
        ("10:31-34", 1, "found 'f31', but expected a type")])
    equal(s.published[IR]["version"], 2)
    s.change(IR, BLUR, 3)
    equal(s.diagnostics(IR), [])
    s.change(IR, edit(BLUR, ("    stage.case(%x, %y) on", "    stage.case(%x) on")), 4)
    assert s.diagnostics(IR)
    s.published.clear()
    s.notify("textDocument/didClose", {"textDocument": {"uri": IR}})
    equal(s.diagnostics(IR), [])


def the_verifier_and_notes(s):
    s.open(IR, "pmir", edit(BLUR, ("stage.output @by", "stage.output @bz")))
    equal(messages(s.diagnostics(IR)), [("24:2-14", 1, "'stage.output' names @bz, which does not exist; did you mean @bx?")])
    s.change(IR, edit(BLUR, ("%1 = stage.read @img", "%0 = stage.read @img")), 2)
    first, *_ = s.diagnostics(IR)
    equal(messages([first]), [("7:6-8", 1, "'%0' is defined twice")])
    note, = first["relatedInformation"]
    equal((note["message"], note["location"]["uri"], span(note["location"]["range"])), ("first defined here", IR, "6:6-8"))


def meanings(s):
    s.open(IR, "pmir", BLUR)
    hover = lambda p: s.request("textDocument/hover", p)
    text = hover(place(6, "stage.read"))
    equal(span(text["range"]), "6:11-21")
    for part in ("**stage.read**", "Traits: READS", "| results | `values` | scalar | of the types of the stage's elements |"):
        assert part in text["contents"]["value"], part
    equal(hover(place(9, "%0"))["contents"]["value"],
          "```pmir\n%0 : f32\n```\n```pmir\n%0 = stage.read @img[%x, %y] : f32\n```\n"
          "\nThe result `values` of `stage.read`: of the types of the stage's elements.\n")
    assert "```pmir\n%x : index\n```" in hover(place(6, "%x"))["contents"]["value"]
    assert "An argument of a region of `stage.case`" in hover(place(6, "%x"))["contents"]["value"]
    equal(hover(place(16, "@bx"))["contents"]["value"], f"```pmir\n{LINES[4].strip(' {')}\n```\n")
    equal(hover(at(IR, 5, 40)), None)
    equal(hover(at(IR, 500, 40)), None)


def places(s):
    s.open(IR, "pmir", BLUR)
    where = lambda method, p, **more: [span(l["range"]) for l in s.request(f"textDocument/{method}", dict(p, **more))]
    equal(where("definition", place(9, "%0")), ["6:6-8"])
    equal(where("definition", place(17, "%x + 1")), ["15:15-17"])
    equal(where("definition", place(16, "@bx")), ["4:13-16"])
    equal(where("definition", place(16, "stage.read")), [])
    equal(where("references", place(1, "%R"), context={"includeDeclaration": False}), [])
    equal(where("references", place(8, "%y"), context={"includeDeclaration": True}), ["5:19-21", "6:31-33", "7:31-33", "8:31-33"])
    equal(where("references", place(8, "%y"), context={"includeDeclaration": False}), ["6:31-33", "7:31-33", "8:31-33"])
    equal(where("references", place(4, "@bx"), context={"includeDeclaration": False}), ["16:22-25", "17:22-25", "18:22-25"])
    twice = "stage.pipeline @a {\n  stage.constant @c dense<1xu8: [1]>\n  stage.output @c\n}\n"
    s.change(IR, twice + twice.replace("@a", "@b") + "// @c\n", 2)
    equal(where("definition", at(IR, 2, 17)), ["1:17-19"])
    equal(where("definition", at(IR, 6, 17)), ["5:17-19"])
    repeated = ("loop.func @f {\n  %i = loop.param @i : index\n  %o = buf.output @o(%i, %i) : memref<?x?xf32>\n"
                "  %v:2 = loop.if %t : (f32, f32) {\n    loop.yield %a, %a : f32, f32\n  } else {\n    loop.yield %a, %a : f32, f32\n  }\n"
                "  %w = arith.addf %v#0, %v#1 : f32\n}\n")
    s.change(IR, repeated, 3)
    equal(where("references", at(IR, 1, 3), context={"includeDeclaration": True}), ["1:2-4", "2:21-23", "2:25-27"])
    equal(len(s.diagnostics(IR)), 5)


def outline(s):
    s.open(IR, "pmir", BLUR)
    symbols = s.request("textDocument/documentSymbol", {"textDocument": {"uri": IR}})
    flat = lambda all_: [(x["name"], x["detail"], span(x["selectionRange"]), flat(x["children"])) for x in all_]
    equal(flat(symbols), [("blur", "stage.pipeline", "0:15-20", [
        ("R", "stage.param", "1:19-21", []), ("C", "stage.param", "2:19-21", []), ("img", "stage.input", "3:14-18", []),
        ("bx", "stage.func", "4:13-16", []), ("by", "stage.func", "14:13-16", []), ("by", "stage.output", "24:15-18", [])])])
    equal(span(symbols[0]["range"]), "0:0-25:1")
    s.change(IR, edit(BLUR, ("%3 = arith.addf", "%3 = arith.add")), 2)
    symbols = s.request("textDocument/documentSymbol", {"textDocument": {"uri": IR}})
    equal(len(symbols[0]["children"]), 6)
    s.change(IR, "loop.func @f {\n  %i = loop.param @i : index\n}\n", 3)
    function, = s.request("textDocument/documentSymbol", {"textDocument": {"uri": IR}})
    equal((function["name"], function["kind"], [c["name"] for c in function["children"]]), ("f", 12, ["i"]))


def completions(s):
    s.open(IR, "pmir", BLUR)
    items = s.request("textDocument/completion", at(IR, 6, LINES[6].index("ad @img")))
    labels = [item["label"] for item in items]
    assert "stage.read" in labels and "arith.addf" in labels and "twice.twice" not in labels
    equal({span(item["textEdit"]["range"]) for item in items}, {"6:11-19"})
    items = s.request("textDocument/completion", at(IR, 6, LINES[6].index("@img") + 2))
    equal(sorted(item["label"] for item in items), ["@C", "@R", "@blur", "@bx", "@by", "@img"])
    s.change(IR, edit(BLUR, ("%0 = stage.read @img", "%0 = stage.red @img")), 2)
    action, = s.request("textDocument/codeAction", {"textDocument": {"uri": IR}, "range": {}, "context": {"diagnostics": s.diagnostics(IR)[:1]}})
    change, = action["edit"]["changes"][IR]
    equal((action["title"], span(change["range"]), change["newText"]), ("change to 'stage.read'", "6:11-20", "stage.read"))


def columns_of_utf16(s):
    text = 'loop.func @f {\n  /**/\n  loop.require %b, "ä\U0001F600"  loop.require %b, "\U0001F600"  loop.require %c, "x"\n}\n'
    text = text.replace("/**/", "%b = arith.constant true // \U0001F600")
    line = text.split("\n")[2]
    units = lambda part: len(line[:line.index(part)].encode("utf-16-le")) // 2
    s.open(IR, "pmir", text)
    equal([span(d["range"]) for d in s.diagnostics(IR)], [f"2:{units('%c')}-{units('%c') + 2}"])
    second = units('%b, "\U0001F600')
    equal((units("%c"), second), (62, 39))
    for column in (second, second + 1, second + 2):
        equal([span(l["range"]) for l in s.request("textDocument/definition", at(IR, 2, column))], ["1:2-4"])
    equal(s.request("textDocument/definition", at(IR, 2, second - 1)), [])
    used = s.request("textDocument/references", at(IR, 1, 2, context={"includeDeclaration": False}))
    equal([span(l["range"]) for l in used], ["2:15-17", "2:39-41"])


PROGRAM = """R = Parameter(Int, "R")
img = Image(Float, "img", [R])
x, rows = Variable(Int, "x"), Interval(Int, 1, R - 2)
f = Function(([x], [rows]), Float, "f")
f.defn = [ img(x - 1) + img(x + 1) ]
"""


def programs(s):
    s.open(PY, "python", PROGRAM)
    equal(s.diagnostics(PY), [])
    s.change(PY, PROGRAM.replace("x + 1", "x + 3"), 2)
    error, = s.diagnostics(PY)
    equal(span(error["range"]), "4:24-27")
    assert "is read for" in error["message"], error
    s.change(PY, PROGRAM.replace("rows]", "cols]"), 3)
    equal(span(s.diagnostics(PY)[0]["range"]), "3:20-24")
    equal(s.request("textDocument/hover", at(PY, 1, 1)), None)
    equal(s.request("textDocument/documentSymbol", {"textDocument": {"uri": PY}}), [])
    s.open(CPP, "cpp", 'Input<Buffer<uint8_t, 1>> in{"in"};\nOutput<Buffer<uint8_t, 1>> out{"out"};\nVar x("x");\nout(x) = inn(x);\n')
    equal(span(s.diagnostics(CPP)[0]["range"]), "3:9-12")
    s.change(CPP, "", 2)
    equal(span(s.diagnostics(CPP)[0]["range"]), "0:0-0")
    s.open("untitled:Untitled-1", "pmir", "arith.nothing\n")
    equal(span(s.diagnostics("untitled:Untitled-1")[0]["range"]), "0:0-13")
    s.open("file:///nowhere/notes.txt", "plaintext", "text")
    equal(s.request("textDocument/hover", at("file:///nowhere/notes.txt", 0, 1)), None)


def programs_in_one_language():
    with Server(["pm-lsp", "--from=polymage", "--const=N=1", "--const=M=2"]) as s:
        s.initialize()
        s.open(CPP, "cpp", PROGRAM.replace("x + 1", "x + N + M - 2"))
        equal(s.diagnostics(CPP), [])
        s.open(IR, "pmir", BLUR)
        equal(s.diagnostics(IR), [])
        s.change(CPP, PROGRAM.replace("x + 1", "x + N"), 2)
        equal(messages(s.diagnostics(CPP)), [("0:0-23", 2, "--const M has no effect, the program does not ask for that name")])
        equal(s.end(), 0)


def crashes(s):
    for word, message in [("read-null", "bug of ours"), ("fill-stack", "bug of ours"), ("panic", "bug of ours"), ("word", "it is none of its words")]:
        s.open(f"file:///{word}.crash", "crash", word)
        error, = s.diagnostics(f"file:///{word}.crash")
        assert message in error["message"], error


def endless_programs(s):
    """They are late; meanwhile, and behind it, the server answers."""
    s.open("file:///e.crash", "crash", "endless")
    equal(messages(s.diagnostics("file:///e.crash")), [("0:0-0", 1, "the text is not read after 0.5 s, which may be a loop that does not end")])
    s.open(PY, "python", "while True:\n    pass\n" + PROGRAM)
    error, = s.diagnostics(PY)
    assert "is not read after 0.5 s" in error["message"] or "still running" in error["message"], error
    s.open("file:///e.crash", "crash", "endless")
    s.open(IR, "pmir", BLUR)
    begun = time.monotonic()
    assert s.request("textDocument/hover", place(6, "stage.read"))
    s.change("file:///e.crash", "word", 2)
    equal(len(s.diagnostics("file:///e.crash")), 1)
    assert time.monotonic() - begun < 20


def wrong_messages(s):
    code = lambda answer: answer["code"]
    for body, expected in [(b"{", -32700), (b"\xff\xfe", -32700), (b"[" * 5000, -32700), (b"[]", -32600), (b"3", -32700), (b'{"id": 7}', -32600)]:
        s.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        message = s.receive()
        equal((message["error"]["code"], message["id"]), (expected, 7 if b"7" in body else None))
    for header in (b"Content-Type: x", b"Content-Length: x", b"Content-Length: -3", b"nothing"):
        s.write(header + b"\r\n\r\n")
        equal(s.receive()["error"]["code"], -32700)
    body = b'{"jsonrpc":"2.0","id":"nine","method":"x"}'
    s.write(b"content-length:%d\r\nContent-Type: x\r\n\r\n" % len(body))
    s.write(body)
    equal(s.receive()["error"]["code"], -32601)
    equal(code(s.request("textDocument/nothing", {})), -32601)
    equal(code(s.request("initialize", {})), -32600)
    for params in (None, [], {}, {"textDocument": 3}, {"textDocument": {"uri": IR}, "position": {"line": "1"}}):
        equal(code(s.request("textDocument/hover", params)), -32602)
        for method in ("didOpen", "didChange", "didSave", "didClose", "nothing"):
            s.notify(f"textDocument/{method}", params)
    equal(s.request("textDocument/hover", at(IR, -1, -1)), None)
    s.open(IR, "pmir", "\0" + BLUR)
    equal(span(s.diagnostics(IR)[0]["range"]), "0:0-1")


def a_huge_file(s):
    head, tail = "loop.func @f {\n  %v0 = arith.constant 0 : index\n", "}\n"
    n = 30000 // SCALE
    body = "".join(f"  %v{i} = arith.addi %v{i - 1}, %v0 : index\n" for i in range(1, n + 1))
    s.open(IR, "pmir", head + body + tail)
    begun = time.monotonic()
    equal(s.diagnostics(IR), [])
    equal([span(l["range"]) for l in s.request("textDocument/definition", at(IR, n + 1, 24))], [f"{n}:2-{4 + len(str(n - 1))}"])
    long_line = "%0 = arith.constant 0 : index " * (5000 // SCALE) + "arith.nothing"
    s.open(IR, "pmir", long_line)
    equal(len(s.diagnostics(IR)), 1000)
    assert s.request("textDocument/hover", at(IR, 0, len(long_line) - 20)) is None
    s.open(IR, "pmir", "loop.if %c { " * 2000)
    assert "nesting" in s.diagnostics(IR)[0]["message"]
    assert time.monotonic() - begun < 60


def mutated(random_, text):
    data = list(text)
    for _ in range(random_.randint(1, 8)):
        i, j = sorted(random_.randrange(len(data) + 1) for _ in range(2))
        kind = random_.randrange(4)
        if kind == 0:
            del data[i:min(j, i + 40)]
        elif kind == 1:
            data[i:i] = data[j:j + 40]
        elif kind == 2:
            data[i:i] = random_.choice(['"', "{", "}", "%", "@", "(", "#isl.set<\"", "\n", "\U0001F600", "-", "9" * 25, "%x", "@bx", "\0"])
        else:
            data[i:i + 1] = chr(random_.randrange(1, 256))
    return "".join(data)


def mutations(s):
    """No text of IR ends the server, and each is answered."""
    random_ = random.Random(2026)
    files = sorted(Path(FOLDER).rglob("*.pmir"))
    assert len(files) > 20
    s.open(IR, "pmir", BLUR)
    for version in range(150 // SCALE):
        text = mutated(random_, random_.choice(files).read_text(errors="replace"))
        s.change(IR, text, version)
        line = random_.randrange(text.count("\n") + 2)
        s.request("textDocument/documentSymbol", {"textDocument": {"uri": IR}})
        for method in ("hover", "definition", "references", "completion"):
            s.request(f"textDocument/{method}", at(IR, line, random_.randrange(60)))
        for d in s.diagnostics(IR):
            assert "bug of ours" not in d["message"] and "not read" not in d["message"], (version, d)


def without_the_life_of_a_session():
    with Server(["pm-lsp"]) as s:
        equal(s.request("textDocument/hover", place(0, "stage"))["code"], -32002)
        s.notify("exit")
        equal(s.process.wait(20), 1)
    with Server(["pm-lsp"]) as s:
        s.initialize()
        s.request("shutdown")
        equal(s.request("textDocument/hover", place(0, "stage"))["code"], -32600)
        s.process.stdin.close()  # no exit
        equal(s.process.wait(20), 1)
    with Server(["pm-lsp"]) as s:
        s.initialize()
        s.open(IR, "pmir", BLUR)
        s.process.stdin.close()
        equal(s.process.wait(20), 1)
    with Server(["pm-lsp"]) as s:
        s.initialize()
        s.write(b"Content-Length: 999999999999\r\n\r\n")
        equal(s.receive()["error"]["code"], -32700)
        equal(s.process.wait(20), 1)
    with Server(["pm-lsp", f"--load-plugin={PLUGIN}", "--timeout=100"]) as s:
        s.initialize()
        s.open("file:///e.crash", "crash", "endless")
        s.request("textDocument/documentSymbol", {"textDocument": {"uri": IR}})
        s.process.terminate()
        equal(s.process.wait(20), 1)


SESSIONS = [appear_and_vanish, the_verifier_and_notes, meanings, places, outline, completions, columns_of_utf16, programs, crashes,
            endless_programs, wrong_messages, a_huge_file, mutations]

for session in SESSIONS:
    limit = "0.5" if session == endless_programs else "60"
    with Server(["pm-lsp", f"--load-plugin={PLUGIN}", f"--timeout={limit}"]) as server:
        server.initialize()
        session(server)
        equal(server.end(), 0)
    print(session.__name__, flush=True)
for session in (programs_in_one_language, without_the_life_of_a_session):
    session()
    print(session.__name__, flush=True)
