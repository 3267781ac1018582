"""Random programs in C++ whose values a compiler knows: names in namespaces and classes, overload sets, lambdas,
templates, arithmetic of mixed types. Each line `print(…);` stands for itself: what the compiler refuses, as
ambiguous calls, is left out."""

import random

SCALARS = ["int", "unsigned", "int8_t", "uint8_t", "int16_t", "uint16_t", "int64_t", "uint64_t", "float", "double", "bool"]
OTHERS = ["std::string", "const char *", "std::vector<int>", "std::vector<float>", "A", "B", "C", "Plain", "Scoped"]
PRELUDE = """
struct A { int v = 1; };
struct B : A { int w = 2; };
struct C { int v; C(int n) : v(n) {} };
enum Plain { plain_one = 1, plain_two };
enum class Scoped { one = 1, two };
template <typename T> struct Box { T v; Box(T a) : v(a) {} T twice() const { return v + v; } };
"""


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []

    def pick(self, *items):
        return self.random.choice(items)

    def literal(self, type_name):
        n = self.random.randint(1, 300) # a cast 0 is a null pointer to some compilers
        return {
            "int": f"{n}", "unsigned": f"{n}u", "int64_t": f"(int64_t){n}", "uint64_t": f"(uint64_t){n}", "float": f"{n}.5f",
            "double": f"{n}.25", "bool": self.pick("true", "false"), "std::string": f'std::string("s{n}")',
            "const char *": f'"c{n}"', "std::vector<int>": "std::vector<int>{1, 2}",
            "std::vector<float>": "std::vector<float>(2)", "A": "A()", "B": "B()", "C": f"C({n})",
            "Plain": "plain_two", "Scoped": "Scoped::two",
        }.get(type_name, f"({type_name}){n}")

    def type(self):
        return self.pick(*SCALARS) if self.random.random() < 0.55 else self.pick(*OTHERS)

    def parameter(self, i):
        name = self.type()
        mark = self.pick("", "", "", "const &", "&")
        text = f"const {name} &p{i}" if mark == "const &" and name != "const char *" else f"{name} &p{i}" if mark == "&" else f"{name} p{i}"
        return text

    def overloads(self, name, indent, prefix="", suffix="", first=0):
        seen = set()
        for i in range(self.random.randint(2, 5)):
            n = self.random.randint(1, 3)
            params = [self.parameter(k) for k in range(n)]
            key = tuple(p.rsplit(" ", 1)[0].replace("const ", "") for p in params)
            if key in seen:
                continue
            seen.add(key)
            if self.random.random() < 0.2 and "&" not in params[-1] and not params[-1].startswith("const"):
                type_name = params[-1].rsplit(" ", 1)[0]
                params[-1] += " = " + self.literal(type_name)
            self.lines.append(f"{indent}{prefix}int {name}({', '.join(params)}){suffix} {{ return {first + i}; }}")
        if self.random.random() < 0.4 and not suffix:
            what = self.pick("T", "T", "const std::vector<T> &", "T *", "const Box<T> &")
            self.lines.append(f"{indent}template <typename T> {prefix}int {name}({what} x) {{ return {first + 20}; }}")

    def arguments(self):
        return ", ".join(self.argument() for _ in range(self.random.randint(1, 3)))

    def argument(self):
        kind = self.random.random()
        if kind < 0.35:
            return self.pick(*(f"v{i}" for i in range(len(self.variables))))
        if kind < 0.45:
            return self.pick("Box<int>(3)", "Box<double>(0.5)", "&v0", "{1, 2}", "'x'")
        return self.literal(self.type())

    def arithmetic(self, depth):
        if depth == 0 or self.random.random() < 0.2:
            i = self.random.randrange(len(self.numbers))
            return f"n{i}" if self.random.random() < 0.7 else self.literal(self.pick(*SCALARS))
        a, b = self.arithmetic(depth - 1), self.arithmetic(depth - 1)
        op = self.pick("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "==", "&&", "?")
        if op == "/":
            return f"({a} / (({b}) * 0 + {self.random.randint(1, 9)}))"
        if op == "%":
            return f"((int64_t)({a}) % {self.random.randint(1, 9)})"
        if op in ("<<", ">>"):
            return f"((unsigned)(int64_t)({a}) {op} {self.random.randint(0, 7)})"
        if op in ("&", "|", "^"):
            return f"((int)(int64_t)({a}) {op} (uint16_t)(int64_t)({b}))"
        if op == "?":
            return f"({a} ? {b} : {self.arithmetic(depth - 1)})"
        return f"({a} {op} {b})"

    def text(self):
        self.lines = [PRELUDE]
        out = self.lines
        self.overloads("f", "")
        out.append("namespace near {")
        self.overloads("f", "", first=100)
        self.overloads("g", "", first=200)
        out.append("int call_f(int a) { return f(a); }\nnamespace deep {")
        self.overloads("g", "", first=300)
        out.append("int call_f(int a) { return f(a) + 1000; }\nint call_g(double a) { return g(a); }\n}\n}")
        out.append("struct S {")
        self.overloads("m", "  ", first=400)
        self.overloads("m", "  ", suffix=" const", first=450)
        self.overloads("s", "  ", prefix="static ", first=500)
        self.overloads("f", "  ", first=600)
        out.append("  int call() { return f(1); }\n  virtual int virt(int a) { return a; }\n  int plain(int a) { return a + 1; }")
        out.append("  int through(int a) { return virt(a) * 10 + plain(a); }\n};")
        out.append("struct D : S {")
        if self.random.random() < 0.5:
            out.append("  using S::m;")
        self.overloads("m", "  ", first=700)
        out.append("  int virt(int a) override { return a + 5; }\n  int plain(int a) { return S::plain(a) + 50; }\n};")
        out.append("int of_base(S &s) { return s.through(2) + s.plain(1); }\nint of_copy(S s) { return s.through(2); }")
        out.append("int main() {\n  S s; D d; const S cs = S(); D *pd = &d; S *ps = &d;")
        self.variables = [self.type() for _ in range(6)]
        for i, name in enumerate(self.variables):
            const = "const " if self.random.random() < 0.3 and name != "const char *" else ""
            out.append(f"  {const}{name} v{i} = {self.literal(name)};")
        for _ in range(24):
            callee = self.pick("f", "near::f", "near::g", "near::deep::g", "::f", "s.m", "cs.m", "d.m", "S::s", "D::s", "d.f",
                               "d.S::m", "pd->m", "ps->m")
            out.append(f"  print({callee}({self.arguments()}));")
        using = self.pick("near", "near::deep")
        out.append(f"  {{ using namespace {using};")
        for _ in range(4):
            out.append(f"    print({self.pick('f', 'g', 'call_f', 'call_g')}({self.arguments()}));")
        out.append("  }")
        for call in ("s.call()", "d.call()", "of_base(d)", "of_base(s)", "of_copy(d)", "pd->plain(1)", "ps->plain(1)",
                     "ps->virt(1)", "near::call_f(1)", "near::deep::call_f(2)", "near::deep::call_g(1.5)", "d.S::virt(3)"):
            out.append(f"  print({call});")
        self.numbers = [self.pick(*SCALARS) for _ in range(5)]
        for i, name in enumerate(self.numbers):
            out.append(f"  {name} n{i} = {self.literal(name)};")
        for i in range(12):
            out.append(f"  print({self.arithmetic(3)});")
        for i, name in enumerate(self.numbers):
            op = self.pick("+=", "-=", "*=", "=")
            cast = "(int64_t)" if name not in ("float", "double") else ""
            out.append(f"  n{i} {op} {cast}({self.arithmetic(1)}); print(n{i});")
        for i in range(4):
            captures = self.pick("=", "&", "n0, &n1", "=, &n2", "&, n3", "n0, n1, n2, n3, n4", "x = n4 + 1, &n0")
            body = self.pick("n0 + a", "n0 * a + n1", "a + n2", "n3 + n4", "x + a", "[=](int b) { return b + n0 + a; }(2)")
            out.append(f"  auto l{i} = [{captures}](int a) {{ return {body}; }};")
        for i in range(5):
            out.append(f"  n{i} = {self.literal(self.numbers[i])};")
        for i in range(4):
            out.append(f"  print(l{i}({i + 1}));")
        out.append("  print(Box<int>(v0 ? 1 : 2).twice());\n  print(Box<float>(n0).twice());\n}")
        return "\n".join(out) + "\n"
