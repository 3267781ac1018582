"""What bench/asm prints: what the innermost loops of the benchmark pipelines have come to in machine code. See bench/README.md.

A program is lowered to loops once. Their IR, as a file, is compiled by each target with the lines of that file as debug
information. So every instruction is one of a line of the IR, and the stores of a loop say what it makes.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

import tables  # finds tests/lib
from arguments import pattern
from tables import BENCHMARKS

MACHINE = os.path.join(tables.ROOT, "tests", "lib", "machines", "xeon.json")
CODES = {"llvm-v3": ("llvm", "x86-64-v3"), "llvm-v4": ("llvm", "x86-64-v4"), "gcc-v3": ("c", "x86-64-v3")}
KERNELS = ["unsharp", "harris", "blur_u16", "blur_f32", "harris2x2", "gauss5-clamp", "laplace5", "harris_int", "conv_sep",
           "minifluxdiv"]
LEAST_ELEMENTS = 4
# What pm-run gives gcc (docs/pm-run.md), without what it takes from the processor.
GCC_FLAGS = ("-std=gnu11 -O3 -march={} -fopenmp -fno-math-errno -fno-trapping-math --param=max-unswitch-insns=0 "
             "-DPM_NO_UNSWITCHING -g1")
COLUMNS = ["instructions", "loads", "stores", "shuffles", "conversions", "gathers", "spills"]

SHUFFLE = re.compile(r"v?(perm|pshuf|shuf|p?unpck|palignr|align|insert|extract|broadcast|pbroadcast|mov[hl]l?[hl]?dup"
                     r"|movddup|movlhps|movhlps|ps[lr]ldq|p?compress|p?expand|pinsr|pextr)")
CONVERSION = re.compile(r"v?(cvt|pmov[sz]x|pmovu?s?[bwdq]{2}$|packs|packu|ppack)|v?pack[su]s|v?p?ack[su]s")
GATHER = re.compile(r"v?p?(gather|scatter)")
FREE = re.compile(r"(lea|nop|prefetch)")
READS_ONLY = re.compile(r"(cmp|test|v?u?comis|v?ptest|vtest|push|bt[lqw]?$)")
MOVES = re.compile(r"(v?mov|v?p?(extract|extr|compress)|vcvtps2ph|vpmov|v?p?scatter|v?maskmov|vpmaskmov|set)")
REGISTER_BYTES = {"z": 64, "y": 32, "x": 16}
# Bytes that a store moves, where not those of its register.
NARROW = [(r"v?movss|v?movd$|v?pextrd|v?extractps", 4), (r"v?movsd|v?movq$|v?mov[lh]p[sd]|v?pextrq", 8), (r"v?pextrb|set", 1),
          (r"v?pextrw", 2), (r"v.*extract[fi](128|32x4|64x2)", 16), (r"vextract[fi](64x4|32x8)", 32)]
ELEMENT_BYTES = {"i1": 1, "u8": 1, "i8": 1, "u16": 2, "i16": 2, "f16": 2, "bf16": 2, "u64": 8, "i64": 8, "f64": 8, "index": 8}

Instruction = collections.namedtuple("Instruction", "address name operands line")


# --- from a row to code ---


def lower(name, options, folder):
    """The loops of a row as IR, by options that no computer changes, and those of the user. Returns the file."""
    benchmark = BENCHMARKS[name]
    rows, cols = (int(n) for n in tables.size_of(name).split("x"))
    path = os.path.join(folder, "loops.pmir")
    sizes = [f"--estimate={n}={v}" for n, v in benchmark.sizes(rows, cols).items()]
    constants = [f"--const={n}={v}" for n, v in benchmark.constants_for(rows, cols).items()]
    tables.run(["pm-translate", benchmark.path, f"--machine={MACHINE}", "--pass-pipeline=default", *sizes, *constants,
                *options, "-o", path])
    return path


def compile_loops(path, code, folder):
    """The object that a target makes of them, and of lines of the text that it compiles the lines of the IR."""
    target, cpu = CODES[code]
    loops = ["pmc", path, f"--machine={MACHINE}", "--pass-pipeline=canonicalize"]
    made = os.path.join(folder, code + ".o")
    if target == "llvm":
        tables.run([*loops, "--target=llvm", f"--cpu={cpu}", "--triple=x86_64-linux-gnu", "--cflags=-g", "-o", made])
        return made, None
    source = os.path.join(folder, code + ".c")
    tables.run([*loops, "--target=c", "-o", source])
    tables.run([*loops, "--target=c", "--cc=gcc", "--cflags=" + GCC_FLAGS.format(cpu), "-o", made])
    lines, line = {}, None
    with open(source, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            found = re.match(r" *(?:#pragma.*)?/\* \S+\.pmir:(\d+) \*/", text)
            line = int(found[1]) if found else line
            lines[number] = line
    return made, lines


Store = collections.namedtuple("Store", "line array bytes")


def stores_of(path):
    """Of each line of the IR that stores: the array, and the bytes of an element. An array without a name has that of its
    kind of memory. A loop whose one store has become a call or a copy has that of the loop's line, too."""
    stores, loop, inside = {}, None, []
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if re.search(r"loop\.(for|parallel) ", text):
                loop, inside = number, []
            elif text.strip() == "}":
                stores |= {loop: inside[0]} if loop and len(inside) == 1 else {}
                loop = None
            found = re.search(r"(?:buf|vec)\.store .*, %(\w+)\[.*: memref<(?:[?\d]+x)*(\w+)(?:, (\w+))?>", text)
            if found:
                name = f"({found[3]})" if found[1].isdigit() else found[1]
                stores[number] = Store(number, name, ELEMENT_BYTES.get(found[2], 4))
                inside.append(stores[number])
    return stores


# --- from an object to loops ---


def disassemble(path, lines):
    """The functions of an object, as lists of instructions with their lines in the IR. Those of the C's inline functions have
    none."""
    functions, line = [], None
    for text in tables.run(["objdump", "-d", "-l", "--no-show-raw-insn", path]).stdout.splitlines():
        if re.match(r"[0-9a-f]+ <.*>:$", text):
            functions.append([])
            continue
        found = re.match(r"(\S+):(\d+)(?: \(.*)?$", text)
        if found:
            line = int(found[2]) if lines is None else lines.get(int(found[2]))
            continue
        found = re.match(r" *([0-9a-f]+):\t(?:(?:lock|notrack|bnd|data16|cs|rep\w*) )*(\S+) *(.*?)(?: *#.*)?$", text)
        if found:
            functions[-1].append(Instruction(int(found[1], 16), found[2], found[3], line))
    return functions


def successors(code):
    """Of each instruction, by index: those that may follow."""
    index = {instruction.address: i for i, instruction in enumerate(code)}
    following = []
    for i, instruction in enumerate(code):
        after = [i + 1] if i + 1 < len(code) and not re.match(r"(jmp|ret|ud2|hlt)", instruction.name) else []
        if instruction.name.startswith("j"):
            target = re.match(r"([0-9a-f]+)\b", instruction.operands)
            after += [index[int(target[1], 16)]] if target and int(target[1], 16) in index else []
        following.append(after)
    return following


def components(nodes, following):
    """Strongly connected components with a cycle (Tarjan 1972), as sets."""
    found, stack, low, number, open_nodes = [], [], {}, {}, set()
    for root in nodes:
        work = [(root, None)] if root not in number else []
        while work:
            node, successor = work.pop()
            if successor is None:
                number[node] = low[node] = len(number)
                stack.append(node)
                open_nodes.add(node)
                successor = iter([s for s in following[node] if s in nodes])
            for s in successor:
                if s not in number:
                    work += [(node, successor), (s, None)]
                    break
                if s in open_nodes:
                    low[node] = min(low[node], low[s] if s in number else number[s])
            else:
                if low[node] == number[node]:
                    members = set(stack[stack.index(node):])
                    del stack[stack.index(node):]
                    open_nodes -= members
                    if len(members) > 1 or node in following[node]:
                        found.append(members)
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
    return found


def innermost(nodes, following):
    """Loops that have none inside: components that fall apart without the instructions where they are entered."""
    loops = []
    for members in components(nodes, following):
        entered = {s for n in range(len(following)) if n not in members for s in following[n] if s in members}
        inside = innermost(members - (entered or {min(members)}), following)
        loops += inside or [members]
    return loops


# --- what a loop does ---


def is_frame(code):
    """Register %rbp is that of the frame."""
    return any(i.name.startswith("mov") and i.operands == "%rsp,%rbp" for i in code)


def memory_of(instruction):
    """Its operand in memory, and whether that is the last one; None without one."""
    found = re.search(r"(?:%\ws:)?-?(?:0x)?[0-9a-f]*\(([^)]*)\)", instruction.operands)
    if not found or FREE.match(instruction.name):
        return None, False
    return found[1], re.fullmatch(r"(\{[^}]*\})*", instruction.operands[found.end():]) is not None


def is_spill(address, frame):
    return "," not in address and (address == "%rsp" or frame and address == "%rbp")


def is_store(instruction):
    address, last = memory_of(instruction)
    return address is not None and last and not READS_ONLY.match(instruction.name) and (
        "," in re.sub(r"\([^)]*\)", "", instruction.operands) or instruction.name.startswith(("inc", "dec", "neg", "not", "set")))


def register_bytes(name, operands):
    found = re.match(r"(?:\$\S+,)?%([xyz])mm", operands)
    if found:
        return REGISTER_BYTES[found[1]]
    found = re.match(r"%(\w+)", operands)
    if found:
        register = found[1]
        wide = {"r": 8, "e": 4}.get(register[0], 1 if register[-1] in "lh" else 2)
        return wide if not re.match(r"r\d+[dwb]$", register) else {"d": 4, "w": 2, "b": 1}[register[-1]]
    return {"b": 1, "w": 2, "l": 4, "q": 8}.get(name[-1], 4)


def stored_bytes(instruction):
    """That a store moves."""
    for name, size in NARROW:
        if re.match(name, instruction.name):
            return size
    size = register_bytes(instruction.name, instruction.operands)
    found = re.fullmatch(r"vpmovu?s?([bwdq])([bwdq])", instruction.name)
    if found:
        return size * 2 ** ("bwdq".index(found[2]) - "bwdq".index(found[1]))
    return size // 2 if instruction.name == "vcvtps2ph" else size


def kinds_of(instruction, frame):
    """The columns that it counts in, beside `instructions`."""
    name, kinds = instruction.name, []
    address, _ = memory_of(instruction)
    store = is_store(instruction)
    if address is not None and is_spill(address, frame):
        kinds.append("spills")
    elif address is not None and not GATHER.match(name):
        kinds += ["stores"] if store else ["loads"]
        kinds += ["loads"] if store and not MOVES.match(name) else []
    if GATHER.match(name):
        kinds.append("gathers")
    elif CONVERSION.match(name):
        kinds.append("conversions")
    elif SHUFFLE.match(name) and not (address is not None and "broadcast" in name):
        kinds.append("shuffles")
    return kinds


def count_loop(code, members, stores, frame):
    """What it makes in a trip, and what it takes for that: the lines that it stores by, the arrays, the elements of that
    array of which it makes most, and the counts. A store without a line is the loop's only one. None: it stores nothing that
    the IR does."""
    counts, bytes_of = collections.Counter(), collections.Counter()
    own = {stores[code[i].line] for i in members if code[i].line in stores}
    for i in members:
        counts["instructions"] += 1
        counts.update(kinds_of(code[i], frame))
        store = stores.get(code[i].line) or (min(own) if len(own) == 1 and code[i].line is None else None)
        if store and is_store(code[i]) and not is_spill(memory_of(code[i])[0], frame):
            bytes_of[store] += stored_bytes(code[i])
    if not bytes_of:
        return None
    elements = collections.Counter()
    for store, size in bytes_of.items():
        elements[store.array] += size / store.bytes
    return frozenset(s.line for s in bytes_of), " ".join(sorted(elements)), max(elements.values()), counts


def loops_of(path, code, folder, least):
    """Rows of the loops of the IR in the order of the text: the name of a loop, elements of a trip, and counts an element.
    Of a loop of the IR that has become several, vectors, the rest, it is the one that makes most a trip, at least `least`."""
    made, lines = compile_loops(path, code, folder)
    stores, widest = stores_of(path), {}
    for function in disassemble(made, lines):
        frame = is_frame(function)
        for members in innermost(set(range(len(function))), successors(function)):
            loop = count_loop(function, members, stores, frame)
            if loop and (loop[0] not in widest or loop[2] > widest[loop[0]][2]):
                widest[loop[0]] = loop
    rows, seen = [], collections.Counter()
    for lines_of_loop in sorted(widest, key=sorted):
        _, arrays, elements, counts = widest[lines_of_loop]
        if elements < least:
            continue
        seen[arrays] += 1
        name = arrays.replace(" ", "+") + (f"#{seen[arrays]}" if seen[arrays] > 1 else "")
        rows.append((name, elements, [counts[c] / elements for c in COLUMNS]))
    return rows


# --- what is printed ---


def versions():
    """Of the compilers, which the counts depend on."""
    gcc = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    return f"gcc {gcc}"


def measure(names, codes, options, least, put):
    """Calls `put` with each row, in words."""
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            path = lower(name, options, folder)
            for code in codes:
                for loop, elements, counts in loops_of(path, code, folder, least):
                    put([name, code, loop, f"{elements:g}", *[f"{c:.3f}" for c in counts]])


def put_row(row):
    print(f"{row[0]:<14}{row[1]:<9}{row[2]:<34}{row[3]:>8}" + "".join(f"{c:>13}" for c in row[4:]), flush=True)


def differences(golden, rows, within):
    """What has changed, in words: loops that are missing or new, and counts that differ by more than so many percent."""
    before = {tuple(r[:3]): r[3:] for r in golden}
    after = {tuple(r[:3]): r[3:] for r in rows}
    changed = [f"{' '.join(k)}: no such loop any more" for k in before if k not in after]
    changed += [f"{' '.join(k)}: a loop that was not there" for k in after if k not in before]
    for key in before.keys() & after.keys():
        for column, old, new in zip(["elements", *COLUMNS], before[key], after[key]):
            if abs(float(new) - float(old)) > within / 100 * float(old) + 0.001:
                changed.append(f"{' '.join(key)}: {column} {old}, now {new}")
    return sorted(changed)


def read_golden(path):
    with open(path, encoding="utf-8") as file:
        first, *rest = file.read().splitlines()
    return first, [line.split() for line in rest]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--filter", type=pattern)
    parser.add_argument("--code", choices=CODES, action="append")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--golden")
    parser.add_argument("--within", type=float, default=3)
    parser.add_argument("--write")
    parser.add_argument("options", nargs="*")
    a = parser.parse_args()
    names = [n for n in BENCHMARKS if a.filter.search(n)] if a.filter else KERNELS
    rows = []

    def put(row):
        rows.append(row)
        if not a.golden and not a.write:
            put_row(row)

    if not a.golden and not a.write:
        put_row(["", "code", "loop", "elements", *COLUMNS])
    measure(names, a.code or CODES, a.options, 0 if a.all else LEAST_ELEMENTS, put)
    if a.write:
        with open(a.write, "w", encoding="utf-8") as file:
            file.write("\n".join([versions(), *[" ".join(r) for r in rows]]) + "\n")
    if a.golden:
        made_by, golden = read_golden(a.golden)
        if made_by != versions():
            sys.exit(f"{a.golden} is of {made_by}; here is {versions()}")
        changed = differences(golden, rows, a.within)
        print(f"{len(rows)} loops, {len(changed)} differences of more than {a.within:g} %")
        print("\n".join(changed))
        return 1 if changed else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
