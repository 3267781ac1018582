"""deep.py FOLDER: writes programs that nest N deep, and compiles each. pmc takes it or refuses it at a place in it."""
import subprocess
import sys

N = 30000

HALIDE = 'Input<Buffer<float, 1>> in{"in"};\nOutput<Buffer<float, 1>> out{"out"};\nVar x("x");\nout(x) = in(x);\n'
CALLS = "int f(int n) { %s }\nint called = f(190);\n"
CXX = {
    "else-if": "if (0) ; else " * N + ";",
    "else-if-in-calls": CALLS % ("if (n == 1000) return 1; else " * 3000 + "return n ? f(n - 1) : 0;"),
    "if": "if (1) " * N + ";",
    "if-in-calls": CALLS % ("if (n) " * 900 + "return f(n - 1); return 0;"),
    "blocks-in-calls": CALLS % ("{ if (n) " * 190 + "return f(n - 1);" + "}" * 190 + " return 0;"),
    "for": "for (; 0;) " * N + ";",
    "do": "do " * N + ";" + " while (0);" * N,
    "parentheses": "int q = " + "(" * N + "1" + ")" * N + ";",
    "signs": "int q = " + "- " * N + "1;",
    "choices": "int q = " + "1 ? 1 : " * N + "1;",
    "casts": "int q = " + "(int)" * N + "1;",
    "members": "int q = a" + ".b" * N + ";",
    "scopes": "int q = a" + "::b" * N + "(1);",
    "templates": "std::vector<" * N + "int" + ">" * N + " v;",
    "lists": "std::vector<int> v = " + "{" * N + "}" * N + ";",
    "lambdas": "int q = " + "[] { return " * N + "1" + "; }()" * N + ";",
    "macros": "".join(f"#define A{i} A{i + 1}\n" for i in range(N // 2)) + "int q = A0;",
    "#if": "#if 1\n" * N + "#endif\n" * N,
    "#if-signs": "#if " + "!" * N + "1\n#endif",
}

POLYMAGE = """R = Parameter(Int, "R")
img = Image(Float, "img", [R])
x = Variable(Int, "x")
s = Function(([x], [Interval(Int, 0, R - 1)]), Float, "s")
s.defn = [ img(x) ]
"""
PYTHON = {
    "elif": "if 0:\n  q = 1\n" + "elif 0:\n  q = 1\n" * N,
    "parentheses": "q = " + "(" * N + "1" + ")" * N,
    "lists": "q = " + "[" * N + "]" * N,
    "signs": "q = " + "-" * N + "1",
    "choices": "q = " + "1 if 0 else " * N + "1",
    "lambdas": "q = " + "lambda: " * N + "1",
    "sums": "q = " + "1 + " * N + "1",
    "blocks": "".join(" " * i + "if 1:\n" for i in range(1000)) + " " * 1000 + "q = 1",
}

STAGES = """stage.pipeline @s context #isl.set<"[R] -> { : R >= 1 }"> {
  %%R = stage.param @R : i32
  stage.input @img : f32 on #isl.set<"[R] -> { [i] : 0 <= i < R }">
  stage.func @s : f32 on #isl.set<"[R] -> { [x] : %s 0 <= x < R }"> {
    stage.case(%%x) on #isl.set<"[R] -> { [x] : 0 <= x < R }"> {
      %%0 = stage.read @img[%%x] : f32
      stage.yield %%0 : f32
    }
  }
  stage.output @s
}
"""
SETS = {
    "parentheses": "(" * N + "x >= 0" + ")" * N + " and",
    "quotients": "floor((" * N + "x" + ")/2)" * N + " >= 0 and",
    "exists": "(exists e : " * N + "e = x" + ")" * N + " and",
    "tuples": "[" * N + "x" + "]" * N + " and",
    "regions": "}" * N,
}


def programs():
    for name, text in CXX.items():
        yield name + ".cpp", HALIDE + text + "\n"
    for name, text in PYTHON.items():
        yield name + ".py", POLYMAGE + text + "\n"
    for name, text in SETS.items():
        yield name + ".pmir", STAGES % text
    yield "ops.pmir", "builtin.module {\n" * N + "}\n" * N


def main():
    folder = sys.argv[1]
    for name, text in programs():
        path = f"{folder}/{name}"
        with open(path, "w") as f:
            f.write(text)
        r = subprocess.run(["pmc", path, "-o", f"{folder}/out.c"], capture_output=True, text=True, timeout=60)
        at_its_place = r.returncode == 1 and f"{name}:" in r.stderr and "error: " in r.stderr
        if r.returncode != 0 and not at_its_place:
            sys.exit(f"{path}: exit status {r.returncode}\n{r.stderr[:500]}")


main()
