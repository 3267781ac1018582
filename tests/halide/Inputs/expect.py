"""What real Halide 21 computes for the programs of this folder.

  expect.py PYTHON FILE…          compares the `// expect:` lines with it
  expect.py PYTHON --write FILE…  writes them
  expect.py PYTHON --mistake FILE…  prints what Halide, or the C++ compiler, says of a wrong program
PYTHON is one that has the package `halide<22` of PyPI; g++ with C++17 is needed. A script becomes the class of a
generator: its inputs, outputs, parameters and functions are members, variables, types and constants are global, and all
other statements are the body of generate(). A script with ImageParam or output() becomes a function. A file that has the
class of a generator stays as it is.
"""
import hashlib
import os
import re
import struct
import subprocess
import sys
from decimal import Decimal

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(here)), "lib"))

import halide_values as values

WORK = os.environ.get("HALIDE_WORK", "/tmp/halide-expect")
FLAGS = ["-std=c++17", "-O0", "-w", "-fno-rtti"]
MEMBER = re.compile(r"(Halide::)?(Input|Output|GeneratorParam|GeneratorInput|GeneratorOutput)\s*<")
GLOBAL = re.compile(r"(static |const |constexpr |Var |using |struct |enum |class |template|typedef |namespace )")
PARAMETER = re.compile(r"(ImageParam|Param\s*<[^>]*>)\s+(.*);", re.S)
FUNCTION = re.compile(r"[\w:<>,&*\s]+[\s&*]\w+\s*\([^;{}]*\)\s*(const\s*)?\{")
STATEMENT = re.compile(r"(if|for|while|switch|do|else|return)\b")


def blank_comments(text):
    """Comments and strings become blanks of the same length, but for the ends of lines."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])*\'',
                  lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


def statements(text):
    """The statements at the top level with their first lines."""
    blank, start, depth = blank_comments(text), 0, 0
    for i, char in enumerate(blank):
        depth += (char in "({[") - (char in ")}]")
        ends = depth == 0 and (char == ";" or (char == "}" and closes(blank[start:i + 1], blank[i + 1:])))
        if ends or (depth == 0 and char == "\n" and blank[start:i + 1].lstrip().startswith("#")):
            yield text[start:i + 1], blank[start:i + 1], text.count("\n", 0, start) + 1
            start = i + 1
    if blank[start:].strip():
        yield text[start:], blank[start:], text.count("\n", 0, start) + 1


def closes(head, rest):
    """Whether a `}` ends a statement: not that of an initializer, nor an if before its else."""
    if re.match(r"\s*(else|while\s*\([^;{}]*\)\s*;)", rest) and not re.match(r"\s*while", head):
        return re.match(r"\s*else", rest) is None
    before = re.sub(r"\([^()]*\)", "", head.split("{")[0])
    return re.match(r"\s*[;,.)]", rest) is None and ("=" not in before or re.match(r"\s*(for|if|while)", head))


def program_of(text, path):
    blank = blank_comments(text)
    head = f'#include "real.h"\nusing namespace Halide;\n'
    line = f'#line 1 "{path}"\n'
    if "Generator<" in blank and "class" in blank:
        name = re.search(r"(?:class|struct)\s+(\w+)\s*:", blank)[1]
        registered = re.search(r"HALIDE_REGISTER_GENERATOR\(\s*[\w:<>]+\s*,\s*(\w+)", blank)
        tail = "" if registered else f"\nHALIDE_REGISTER_GENERATOR({name}, registered)\n"
        return head + line + text + tail + call_generator(registered[1] if registered else "registered")
    parts = {"global": "", "member": "", "body": ""}
    script = re.search(r"\bImageParam\b|\boutput\s*\(|^Param\s*<", blank, re.M)
    for statement, stripped, first in statements(text):
        word = stripped.strip()
        part = "body"
        if MEMBER.match(word) and not script:
            part = "member"
        elif word.startswith("#") or GLOBAL.match(word) or (script and PARAMETER.match(word)):
            part = "global"
        elif FUNCTION.match(word) and not STATEMENT.match(word):
            part = "global" if script else "member"
        parts[part] += f'#line {first} "{path}"\n{statement}\n'
    if script:
        return head + parts["global"] + script_main(parts["body"], blank)
    return (head + parts["global"] + "class Script : public Halide::Generator<Script> {\npublic:\n" +
            parts["member"] + "void generate() {\n" + parts["body"] + "}\n};\nHALIDE_REGISTER_GENERATOR(Script, script)\n" +
            call_generator("script"))


def call_generator(name):
    return f'\nint main() {{ return real::guarded([] {{ real::run_generator(real::read_case(), "{name}"); }}); }}\n'


def script_main(body, blank):
    lines = ["void script(std::vector<Func> &outputs) {",
             "auto output = [&](auto... f) { (outputs.push_back(f), ...); };", body, "}",
             "int main() { return real::guarded([] {", "real::Case c = real::read_case();",
             "std::vector<Func> outputs;", "script(outputs);"]
    for match in re.finditer(r"\bImageParam\s+([^;]*);", blank):
        for name in re.findall(r"(\w+)\s*[({]", match[1]):
            if name not in ("Int", "UInt", "Float", "Bool"):
                lines.append(f"if (c.inputs.count(real::plain({name}.name()))) "
                             f"{name}.set(c.inputs.at(real::plain({name}.name())));")
    for match in re.finditer(r"\bParam\s*<[^>]*>\s+([^;]*);", blank):
        for name in re.findall(r"(\w+)\s*[({]", match[1]):
            lines.append(f"if (c.params.count(real::plain({name}.name()))) real::set_param({name}.parameter(), "
                         f"c.params.at(real::plain({name}.name())));")
    return "\n".join([*lines, "real::realize(c, Pipeline(outputs));", "}); }", ""])


class Halide:
    def __init__(self, python):
        where = "import halide, importlib.metadata as m; print(m.version('halide')); print(halide.__path__[0])"
        found = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True)
        self.version, self.root = found.stdout.splitlines()
        self.work = WORK
        os.makedirs(self.work, exist_ok=True)
        self.includes = [f"-I{self.work}", f"-I{self.root}/include"]
        header, made = f"{here}/real.h", f"{self.work}/real.h.gch"
        if not os.path.exists(made) or os.path.getmtime(made) < os.path.getmtime(header):
            with open(header, encoding="utf-8") as file, open(f"{self.work}/real.h", "w", encoding="utf-8") as copy:
                copy.write(file.read())
            own = f"{made}.{os.getpid()}"
            self.compile(["-x", "c++-header", f"{self.work}/real.h", "-o", own])
            os.replace(own, made)

    def compile(self, words):
        return subprocess.run(["g++", *FLAGS, *self.includes, *words], capture_output=True, text=True, check=False)

    def build(self, text, path):
        """The program, or what the C++ compiler says."""
        source = program_of(text, path)
        with open(f"{here}/real.h", encoding="utf-8") as file:
            key = hashlib.sha1((re.sub(r"(?m)^\s*//.*$", "", source) + file.read()).encode()).hexdigest()[:16]
        made = f"{self.work}/{os.path.basename(path)}.{key}"
        if os.path.exists(made):
            return made, ""
        own = f"{made}.{os.getpid()}"
        with open(own + ".cpp", "w", encoding="utf-8") as file:
            file.write(source)
        libraries = [f"-L{self.root}/lib64", "-lHalide", f"-Wl,-rpath,{self.root}/lib64", "-lpthread", "-ldl"]
        result = self.compile([own + ".cpp", "-o", own, *libraries])
        if result.returncode:
            return None, result.stderr
        os.replace(own, made)
        return made, ""

    def run(self, text, path):
        """The outputs as `NAME TYPE RANK EXTENT… VALUE…`, or what is said."""
        made, said = self.build(text, path)
        if not made:
            return None, said
        try:
            case = case_text(values.read_test(text))
            result = subprocess.run([made], input=case, capture_output=True, text=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return None, "runs for more than 60 seconds"
        if result.returncode:
            return None, f"exit status {result.returncode}: {result.stderr}"
        return result.stdout, ""


def case_text(test):
    lines = [f"in {name} {a.kind} {len(a.extents)} {' '.join(map(str, a.extents))} {' '.join(a.words)}"
             for name, a in test.inputs.items()]
    lines += [f"param {name} {value}" for name, value in test.params.items()]
    lines += [f"extents {name} {len(e)} {' '.join(map(str, e))}" for name, e in test.extents.items()]
    return "\n".join(lines) + "\n"


def shortest(word, kind):
    """The shortest text that is the same number of that type."""
    if kind[0] != "f" or not re.match(r"-?[\d.]", word):
        return word
    code = "f" if kind == "f32" else "d"
    same = struct.pack(code, float(word))
    text = word
    for digits in range(1, 18):
        text = f"{float(word):.{digits}g}"
        try:
            if struct.pack(code, float(text)) == same:
                break
        except OverflowError:  # rounded up beyond the greatest f32
            pass
    return format(Decimal(text), "f") if 1e-6 < abs(float(word)) < 1e12 else text


def expect_lines(said):
    lines = []
    for line in said.splitlines():
        name, kind, rank, *rest = line.split()
        extents, words = [int(e) for e in rest[:int(rank)]], [shortest(w, kind) for w in rest[int(rank):]]
        lines += values.format_array("expect", name, values.Array(kind, extents, words))
    return lines


def with_expectations(text, lines):
    kept, skip = [], False
    for line in text.split("\n"):
        skip = line.startswith("// expect:") or (skip and values.goes_on(line))
        if not skip:
            kept.append(line)
    at = max(i for i, line in enumerate(kept) if re.match(r"// (in|param|extents):", line)) + 1
    while at < len(kept) and values.goes_on(kept[at]):
        at += 1
    return "\n".join(kept[:at] + lines + kept[at:])


def main():
    python, *words = sys.argv[1:]
    write, mistake = "--write" in words, "--mistake" in words
    halide = Halide(python)
    failed = 0
    for path in (w for w in words if not w.startswith("--")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        out, said = halide.run(text, path)
        if mistake:
            print(f"== {path}\n{said or 'no error: ' + out}")
        elif out is None:
            failed += 1
            print(f"{path}: {said[:3000]}")
        elif write:
            with open(path, "w", encoding="utf-8") as file:
                file.write(with_expectations(text, expect_lines(out)))
        elif with_expectations(text, expect_lines(out)) != text:
            failed += 1
            print(f"{path}: Halide {halide.version} has\n" + "\n".join(expect_lines(out)))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
