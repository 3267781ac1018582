"""A pipeline with an update of every operation and type, into cells that the values choose and into one cell.

  every_combination.py > every.pmir
The parameters are R and C, the size of the image that is combined; one input a type. Integers wrap. The floats are
0.5 or 2, so that sums and products are exact, and are marked associative.
"""
INTEGERS = "i1 i8 i16 i32 i64 u8 u16 u32 u64".split()
FLOATS = "f32 f64".split()
POINTS = '#isl.set<"[R, C] -> { [x, y] : 0 <= x < R and 0 <= y < C }">'


def operations(kind):
    return "sum product min max".split() + ([] if kind in FLOATS else ["and", "or"])


def update(kind, operation, target):
    mark = " associative" if kind in FLOATS else ""
    return f"""    stage.update(%x, %y) on {POINTS} {{
      %v = stage.read @v_{kind}[%x, %y] : {kind}
      %k = stage.read @keys[%x, %y] : u8
      %cell = stage.read @cells[%k] : u8
      stage.combine {operation}, %v into [{target}]{mark} : {kind}
    }}"""


def funcs(kind, operation):
    name = f"{operation}_{kind}"
    yield f"""  stage.func @{name} : {kind} on #isl.set<"{{ [v] : 0 <= v < 16 }}"> default 1 : {kind} {{
{update(kind, operation, "%cell")}
  }}"""
    yield f"""  stage.func @one_{name} : {kind} on #isl.set<"{{ [] }}"> {{
{update(kind, operation, "")}
  }}"""


def values(kind):
    """The input, or for floats a stage of few values."""
    if kind not in FLOATS:
        return f"  stage.input @v_{kind} : {kind} on {POINTS}"
    return f"""  stage.func @v_{kind} : {kind} on {POINTS} {{
    stage.case(%x, %y) on {POINTS} {{
      %k = stage.read @keys[%x, %y] : u8
      %n = arith.constant 1 : u8
      %odd = arith.andi %k, %n : u8
      %zero = arith.constant 0 : u8
      %c = arith.cmp eq, %odd, %zero : u8
      %half = arith.constant 0.5 : {kind}
      %two = arith.constant 2.0 : {kind}
      %v = arith.select %c, %half, %two : {kind}
      stage.yield %v : {kind}
    }}
  }}"""


TUPLE = f"""  stage.func @pair : (i16, f32) on #isl.set<"{{ [v] : 0 <= v < 16 }}"> default [5 : i16, 0.25 : f32] {{
    stage.update(%x, %y) on {POINTS} {{
      %v = stage.read @v_i16[%x, %y] : i16
      %w = stage.read @v_f32[%x, %y] : f32
      %k = stage.read @keys[%x, %y] : u8
      %cell = stage.read @cells[%k] : u8
      stage.combine sum, %v, product, %w into [%cell] associative : i16, f32
    }}
  }}"""


# Floats of which zeros have one sign; of equal first values the others decide, at last the point.
CHOICE = f"""  stage.func @{{0}} : ({{1}}, u8, i32, i32) on #isl.set<"{{{{ [v] : 0 <= v < 16 }}}}"> default [{{2}} : {{1}}, 3 : u8, -1 : i32, -1 : i32] {{{{
    stage.update(%x, %y) on {POINTS.replace("{", "{{").replace("}", "}}")} {{{{
      %v = stage.read @v_{{1}}[%x, %y] : {{1}}
      %k = stage.read @keys[%x, %y] : u8
      %cell = stage.read @cells[%k] : u8
      %i = arith.cast %x : (index) -> i32
      %j = arith.cast %y : (index) -> i32
      stage.combine {{3}}, %v, with, %cell, with, %i, with, %j into [%cell]{{4}} : {{1}}, u8, i32, i32
    }}}}
  }}}}"""


def choices():
    for kind in "i1 i8 u16 u64 f32 f64".split():
        for word, first in ("argmin", "true" if kind == "i1" else "2.0" if kind in FLOATS else "100"), ("argmax", "false" if kind == "i1" else "0.5" if kind in FLOATS else "1"):
            name = f"{word}_{kind}"
            text = CHOICE.format(name, kind, first, word, " associative" if kind in FLOATS else "")
            yield name, text.replace("true : i1", "true").replace("false : i1", "false")


def main():
    print("""stage.pipeline @every context #isl.set<"[R, C] -> { : R >= 0 and C >= 0 }"> fp "strict" {
  %R = stage.param @R : i32
  %C = stage.param @C : i32""")
    print(f"""  stage.input @keys : u8 on {POINTS}
  stage.func @cells : u8 on #isl.set<"{{ [k] : 0 <= k < 256 }}"> {{
    stage.case(%k) on #isl.set<"{{ [k] : 0 <= k < 256 }}"> {{
      %n = arith.constant 16 : index
      %rest = arith.remi %k, %n : index
      %cell = arith.cast %rest : (index) -> u8
      stage.yield %cell : u8
    }}
  }}""")
    names = []
    for kind in INTEGERS + FLOATS:
        print(values(kind))
        for operation in operations(kind):
            print("\n".join(funcs(kind, operation)))
            names += [f"{operation}_{kind}", f"one_{operation}_{kind}"]
    print(TUPLE)
    for name, text in choices():
        print(text)
        names.append(name)
    for name in names + ["pair"]:
        print(f"  stage.output @{name}")
    print("}")


main()
