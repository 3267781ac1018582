"""PolyMage's own programs, built by this compiler: python -m pm.polymage main.py ARGUMENT…

Runs a script whose modules import PolyMage's `compiler` and `constructs`; these are ours then, and nothing of PolyMage
need be there. buildPipeline gives what such scripts use: generate_code() for a C++ compiler of their choice, with the
function pipeline_NAME, and pipeline_graph.write().
"""
import fractions
import math
import os
import re
import subprocess
import sys
import tempfile
import types

from pm import constructs, errors

_TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")
_C_TYPES = {"i8": "int8_t", "u8": "uint8_t", "i16": "int16_t", "u16": "uint16_t", "i32": "int32_t", "u32": "uint32_t",
            "i64": "int64_t", "u64": "uint64_t", "f32": "float", "f64": "double"}


class _Graph:
    """What graph_gen draws."""

    def __init__(self, pipe):
        self._pipe = pipe

    def write(self, path):
        """Writes the stages in the language of dot."""
        self._pipe._run("pm-translate", "--to=dot", "-o", path)


class Pipe:
    """What buildPipeline gives."""

    def __init__(self, pmir, name, estimates):
        self._pmir, self.name, self._estimates = pmir, name, estimates

    def _run(self, tool, *arguments):
        with tempfile.TemporaryDirectory(prefix="pm-") as folder:
            path = os.path.join(folder, f"{self.name}.pmir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(self._pmir)
            command = [os.path.join(_TOOLS, tool), path, *arguments]
            made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            raise errors.Error(made.stderr.strip())

    def generate_code(self, is_extern_c_func=False, are_io_void_ptrs=False, outputs_no_alloc=True):
        """C++ with pipeline_NAME: scalars, images and outputs, each by name. Outputs are the caller's memory."""
        with tempfile.TemporaryDirectory(prefix="pm-") as folder:
            machine_code = os.path.join(folder, "code.s")
            self._run("pmc", "--parallel=pool", "--cflags=-O3 -fPIC", *self._estimates, "-o", machine_code)
            with open(machine_code, encoding="utf-8") as file:
                code = re.sub(r"(?<![\w.\"])\.L(?=\w)", ".Lpm", file.read())  # labels of its own
        return _text(self._pmir, self.name, code, is_extern_c_func, are_io_void_ptrs)

    @property
    def pipeline_graph(self):
        return _Graph(self)


def _arguments(pmir):
    """[(name, C type, is array)] in the order of the program: scalars, inputs, outputs."""
    scalars = [(name, _C_TYPES[kind], False) for name, kind in re.findall(r"stage\.param @(\w+) : (\w+)", pmir)]
    inputs = [(name, "const " + _C_TYPES[kind], True) for name, kind in re.findall(r"stage\.input @(\w+) : (\w+)", pmir)]
    of = dict(re.findall(r"stage\.func @(\w+) : (\w+)", pmir))
    outputs = [(name, _C_TYPES[of[name]], True) for name in re.findall(r"stage\.output @(\w+)", pmir)]
    return scalars, inputs, outputs


def _text(pmir, name, code, is_extern_c, by_void):
    groups = _arguments(pmir)
    own = [a for group in groups for a in group]
    theirs = [a for group in groups for a in sorted(group)]
    parameters = ", ".join(f"{'void *' if by_void and array else kind + (' *' if array else ' ')}a_{n}" for n, kind, array in theirs)
    given = ", ".join(f"({kind} *)a_{n}" if array else f"a_{n}" for n, kind, array in own)
    prototype = ", ".join(f"{kind}{' *' if array else ''}" for _, kind, array in own)
    linkage = 'extern "C" ' if is_extern_c else ""
    function = re.search(r"stage\.pipeline @(\w+)", pmir)[1]
    return (f"// Made by pm, which is no part of what runs this: machine code for {name}, and PolyMage's entry.\n"
            f"#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n\n"
            f'extern "C" int {function}({prototype});\nextern "C" const char *{function}_strerror(int);\n\n'
            f"{linkage}void pipeline_{name}({parameters})\n{{\n"
            f"  const int code = {function}({given});\n"
            f'  if (code) {{ std::fprintf(stderr, "pipeline_{name}: %s\\n", {function}_strerror(code)); std::abort(); }}\n}}\n\n'
            f'asm(R"pm(\n{code}\n.text\n)pm");\n')


@constructs._boundary
def buildPipeline(outputs, param_estimates=(), param_constraints=(), grouping=(), group_size=None, inline_directives=(),
                  tile_sizes=(), size_threshold=None, pipe_name=None, options=()):
    """The pipeline of these stages. Estimates count; what PolyMage has to be told of groups and tiles is decided here."""
    name = pipe_name or outputs[0]._recipe[2]
    _, pmir = constructs.program(list(outputs), name=pipe_name, depth=1)
    names = re.findall(r"stage\.param @(\w+)", pmir)
    estimates = [f"--estimate={n}={int(value)}" for n, value in map(_estimate, param_estimates) if n in names]
    return Pipe(pmir, re.search(r"stage\.pipeline @(\w+)", pmir)[1] if pipe_name is None else name, estimates)


def _estimate(pair):
    parameter, value = pair
    return next((a for a in parameter._recipe[2] if isinstance(a, str)), None), value


def _module(name, names):
    module = types.ModuleType(name, f"PolyMage's {name}, by pm")
    vars(module).update(names)
    return module


def _tune(*args, **named):
    raise errors.Error("PolyMage's tuner is not part of pm, pm-tune does its work: pm-tune program.py")


def install():
    """Makes PolyMage's modules ours, for what is imported from here on."""
    names = {n: v for n, v in vars(constructs).items() if not n.startswith("_") and (
        isinstance(v, (constructs._Name, type)) or hasattr(v, "_pm_name"))}
    sys.modules["constructs"] = _module("constructs", names)
    sys.modules["tuner"] = _module("tuner", {"tune": _tune})
    if not hasattr(fractions, "gcd"):
        fractions.gcd = math.gcd  # which PolyMage's utils take from there, as Python had it until 3.8
    sys.modules["compiler"] = _module("compiler", {**names, "buildPipeline": buildPipeline})


def main(arguments):
    if not arguments:
        sys.exit(__doc__.strip())
    script = os.path.abspath(arguments[0])
    install()
    sys.argv = arguments
    sys.path[0:0] = [os.path.dirname(script)]
    with open(script, encoding="utf-8") as file:
        code = compile(file.read(), script, "exec")
    exec(code, {"__name__": "__main__", "__file__": script, "__builtins__": __builtins__})


if __name__ == "__main__":
    main(sys.argv[1:])
