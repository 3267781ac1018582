"""Runs a program of PolyMage in Python, as it is.

What it imports of PolyMage's compiler, and modules that are not there, have the language; its own files are read. What
it asks from outside (a command line, pictures) is `Unknown`, but for the constants that are given.
"""
import ast
import importlib.machinery
import os
import re
import sys
import types
from dataclasses import dataclass

from naive import evaluate, language

PREFIXES = ["impipe", "dsl"]  # of programs that import nothing


class Unknown(dict):
    """Any key, attribute, call and operation gives another one; what is set stays, but for what is fixed."""

    def __init__(self, fixed=None):
        super().__init__(fixed or {})
        self.__dict__["fixed"] = dict(fixed or {})

    def __setitem__(self, key, value):
        super().__setitem__(key, self.fixed.get(key, value))

    def __missing__(self, key):
        self[key] = Unknown()
        return self[key]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    __setattr__ = __setitem__

    def __call__(self, *args, **named):
        return Unknown()

    def __bool__(self):
        return True

    def __int__(self):
        return 1

    def __float__(self):
        return 1.0


for _operator in "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod pow".split():
    setattr(Unknown, f"__{_operator}__", Unknown.__call__)


class OfPython2(ast.NodeTransformer):
    """`/` of two integers floors."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        name = ast.copy_location(ast.Name("quotient of python 2", ast.Load()), node)
        return ast.copy_location(ast.Call(name, [node.left, node.right], []), node)


def quotient(a, b):
    return a // b if isinstance(a, int) and isinstance(b, int) else a / b


def outside(name):
    """A module that is not there: it has the language, and anything else."""
    made = types.ModuleType(name)
    made.__dict__.update(language.names(), __path__=[], __getattr__=missing_name)
    return made


def missing_name(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Unknown()


class Outside:
    """Finds modules that no other finds, and those of a folder with PolyMage's own compiler."""

    def __init__(self, always):
        self.always = always

    def find_spec(self, name, path=None, target=None):
        folders = (f for f in sys.path if os.path.exists(os.path.join(f, name + ".py")))
        if self.always or os.path.exists(os.path.join(next(folders, ""), "constructs.py")):
            return importlib.machinery.ModuleSpec(name, self)
        return None

    def create_module(self, spec):
        return outside(spec.name)

    def exec_module(self, module):
        pass


def value_of(text):
    """Of a constant."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def split_constants(constants):
    """Values by name, and those of app_data."""
    plain, fixed = {}, {}
    for text in constants:
        name, value = text.split("=", 1)
        (fixed if "." in name else plain)[name.split(".")[-1]] = value_of(value)
    return plain, fixed


def prepare_modules(folder, fixed):
    os.chdir(folder)
    sys.path[0], sys.argv[:] = folder, sys.argv[:1]
    sys.modules["arg_parser"] = outside("arg_parser")
    sys.modules["arg_parser"].parse_args = lambda: Unknown(fixed)
    sys.meta_path[:] = [Outside(False), *sys.meta_path, Outside(True)]


def parse(text, path):
    """A line that ends in an operator goes on in the next, as the language has it."""
    try:
        return ast.parse(text, path)
    except SyntaxError:
        return ast.parse(re.sub(r"([-+*/|&]) *$", r"\1 \\", text, flags=re.MULTILINE), path)


def top_functions(tree, namespace):
    return [namespace[node.name] for node in tree.body if isinstance(node, ast.FunctionDef)]


def arguments_of(function, plain, fixed):
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    without = names[: len(names) - len(defaults)]
    data = Unknown(plain | fixed)
    if without and os.path.exists("init.py"):
        set_up(data)
    return {n: plain.get(n, data) for n in names if n in plain or n in without}


def set_up(data):
    """As far as it goes without pictures."""
    try:
        __import__("init").init_all(data)
    except Exception as error:
        print(f"the set-up ends early: {type(error).__name__}: {error}", file=sys.stderr)


def stages_of(result):
    if isinstance(result, language.Function):
        return [result]
    if isinstance(result, dict):
        result = result.values()
    return [s for part in result for s in stages_of(part)] if isinstance(result, (list, tuple, type({}.values()))) else []


@dataclass
class Program:
    parameters: list
    images: list
    stages: list  # but for tables
    names: dict  # at top level
    given: list  # the outputs, if the program says which they are

    def outputs(self, live_outs=()):
        """Of those names, or what no other stage reads."""
        named = self.names | {s.name: s for s in self.stages}
        read = set().union(*(evaluate.reads(s) - {s} for s in self.stages))
        return [named[name] for name in live_outs] or self.given or [s for s in self.stages if s not in read]


def execute(tree, path, namespace, function, plain, fixed):
    """The outputs that the program gives."""
    try:
        exec(compile(tree, path, "exec", optimize=1), namespace)
        if not function and any(not isinstance(s, language.Table) for s in language.made.stages):
            return []
        builder = namespace[function] if function else top_functions(tree, namespace)[-1]
        return stages_of(builder(**arguments_of(builder, plain, fixed)))
    except language.Built as built:
        return built.args[0]


def run(path, function=None, constants=()):
    """The program of a file. What it imports stays in Python, so another one with files of its own needs a new process."""
    sys.dont_write_bytecode = True
    sys.setrecursionlimit(1_000_000)
    plain, fixed = split_constants(constants)
    with open(path, encoding="utf-8") as file:
        tree = parse(file.read(), path)
    language.made.clear()
    namespace = language.names() | {"__name__": "program", "quotient of python 2": quotient} | plain
    if any(isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.walk(tree)):
        prepare_modules(os.path.dirname(os.path.abspath(path)), fixed)
    else:
        namespace |= language.MATH | {prefix: outside(prefix) for prefix in PREFIXES}
        tree = ast.fix_missing_locations(OfPython2().visit(tree))
    given = execute(tree, path, namespace, function, plain, fixed)
    made = language.made
    stages = [s for s in made.stages if not isinstance(s, language.Table)]
    return Program(list(made.parameters), list(made.images), stages, namespace, given)
