"""Changed programs of Halide, HIPAcc or ImageCL through the frontend: it takes them, or refuses them, and does nothing else.

  fuzz_halide.py [--language halide] [--seeds 0..99] [--tool "pm-translate …"] [--folder DIR]… [--limit SECONDS]
                 [--timeout 20] [--keep DIR] [--quiet]
For every seed a program of the folders (those of the language in tests and bench/pipelines) is drawn and changed, and
the tool reads it: `--tool=cxx-run --folder=tests/cxx/Inputs` is for frontends/cxx alone. Names, numbers and operators
become others, what is between brackets comes from elsewhere, lines are deleted, doubled, swapped, taken from another
program. A failure is any exit status but 0 and 1, what a sanitizer or the compiler says of itself, and a run longer
than --timeout. The same seed gives the same program as long as those of the repository are the same. --keep gets the
programs of failures; --limit begins no seed later.
"""
import argparse
import glob
import os
import random
import re
import subprocess
import sys
import tempfile
import time

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ["tests/halide/language"] * 2 + [
    "tests/halide/mistakes", "tests/halide/schedules", "tests/halide/impossible", "bench/pipelines/halide"]
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|\d[\w.]*|::|->|<<|>>|&&|\|\||[-+*/%&|^=!<>]=|\+\+|--|\s+|.', re.S)
HIPACC_FOLDERS = ["bench/pipelines/hipacc"] * 20 + ["tests/hipacc/mistakes", "tests/hipacc/Inputs"]
NUMBERS = """0 1 -1 2 3 7 8 16 31 32 63 64 100 255 256 65536 2147483647 2147483648 (-2147483647-1) 4294967296
9223372036854775807 1000000000 0.5 0.5f 1e30f 1e300 (0.0f/0.0f) (1/0) 0x7fffffff 'a' 1u 1ll""".split()
OPERATORS = "+ - * / % << >> & | ^ && || == != < <= > >= = += -= *= /= ! ~".split()
BRACKETS = "( ) [ ] { } ; ? : :: #".split()
CLOSING = {"(": ")", "[": "]", "{": "}"}
WRAPPERS = [""] + """- ! ~ abs cast<uint8_t> cast<float> cast<bool> cast<int64_t> sum argmin floor sqrt Tuple Expr lerp
f in widening_add count_leading_zeros saturating_cast<int8_t> clamp select likely u16_sat std::move std::vector<Expr> RDom
Func int float bool""".split()
WORDS = """x y r f in out Func Expr Var RDom Tuple int float uint8_t auto _ std::vector<Expr> std::vector<Func> select
clamp min max cast<uint8_t> sum argmax lerp mux abs pow r.x in(x,y) f(x,y) in.width() in.dim(0).extent() out.update()
BoundaryConditions::repeat_edge for(int~i=0;i<3;i++) return struct while(true) if(x) [=](Expr~e){return~e;} {x,y} Expr()
RDom(0,10) Tuple(x,y) undef<int>() u8_sat this nullptr &x *f std::map<int,Expr> std::pair<int,Expr> int~a[3] true "text"
compute_at compute_root store_at vectorize split tile fuse reorder unroll parallel rfactor update(0) compute_with
specialize xi xo LoopLevel""".split()
WORDS = [word.replace("~", " ") for word in WORDS]
HIPACC_WRAPPERS = [""] + """- ! ~ abs (uchar) (float) (short) int uint expf sqrtf min max convert_float4 convert_uchar4 make_int4
in mask dom bin output Image<uchar> Accessor<uchar> Mask<float> Domain std::move sizeof *& &""".split()
HIPACC_WORDS = """in acc mask dom iter photo output() output_at(x(),y()) x() y() in() in(1,-1) in(mask) in(dom) mask() mask(dom)
in.pixel_at(x(),0) dom.x() mask.size_x() in.x() uchar char short ushort int uint float double long uchar4 float4 {1,2,3,4}
.x .w Boundary::CLAMP Boundary::REPEAT Boundary::CONSTANT Boundary::UNDEFINED Interpolate::NN Interpolate::LF Interpolate::L3
Reduce::SUM Reduce::PROD Reduce::MIN Reduce::MAX convolve reduce iterate traverse() [&]()->float{return~in();} [=](){}
bin(0) num_bins() reduced_data() binned_data(8) execute() data() width() load_data<uchar>(8,8,1,"a") nullptr return break;
continue; while(true) if(in()>3) for(int~i=0;i<3;i++) Image<float>~q(4,4); Pyramid<uchar>~q(photo,2); int~a[3] float const
virtual public this *this template<class~T> auto static exit(1) Kernel kernel() reduce binning WIDTH HEIGHT""".split()
HIPACC_WORDS = [word.replace("~", " ") for word in HIPACC_WORDS]
IMAGECL_FOLDERS = ["bench/pipelines/imagecl"] * 4 + ["tests/imagecl/mistakes", "tests/imagecl/Inputs"]
IMAGECL_WRAPPERS = [""] + """- ! ~ abs (uchar) (float) (short) int uint exp sqrt native_sqrt min max clamp mad mix select rsqrt
convert_uchar_sat convert_int_rte input idx idy Image<uchar> sizeof *& &""".split()
IMAGECL_WORDS = """input output idx idy input[idx][idy] input[idx+1][idy] output[idx][idy] weights[1] weights[0][0] n uchar char short
ushort int uint float double bool Image<uchar> Image<float> Image<Pixel> Image float4 unsigned void const if(idx>3)
for(int~i=0;i<3;i++) while(n<4) for(int~i=-2;i<=2;++i) return break; continue; += ++ -- {1,2,3} int~a[3] #pragma~imcl~grid(input)
#pragma~imcl~grid_size(8,8) #pragma~imcl~boundary_cond(input:clamped) #pragma~imcl~pixel(input:uchar) true struct goto""".split()
IMAGECL_WORDS = [word.replace("~", " ") for word in IMAGECL_WORDS]
LANGUAGES = {"halide": (FOLDERS, WRAPPERS, WORDS, ".cpp"), "hipacc": (HIPACC_FOLDERS, HIPACC_WRAPPERS, HIPACC_WORDS, ".cpp"),
             "imagecl": (IMAGECL_FOLDERS, IMAGECL_WRAPPERS, IMAGECL_WORDS, ".imcl")}
END = ".cpp"


def programs(folders):
    paths = [p for folder in folders for p in sorted(glob.glob(os.path.join(root, folder, "*" + END)))]
    texts = []
    for path in paths:
        with open(path) as file:
            text = file.read()
        if "UNSUPPORTED: asan" not in text:
            texts.append("".join(line for line in text.splitlines(keepends=True) if not line.lstrip().startswith("//")))
    return texts


def partners(tokens):
    """Of each opening bracket that has one its closing one."""
    found, opened = {}, []
    for i, token in enumerate(tokens):
        if token in CLOSING:
            opened.append(i)
        elif token in CLOSING.values():
            while opened and CLOSING[tokens[opened[-1]]] != token:
                opened.pop()
            if opened:
                found[opened.pop()] = i
    return found


def change_word(rng, tokens, others):
    words = [i for i, t in enumerate(tokens) if t[0].isalpha()]
    if words:
        tokens[rng.choice(words)] = rng.choice([tokens[rng.choice(words)]] * 3 + [rng.choice(WORDS)])


def change_number(rng, tokens, others):
    numbers = [i for i, t in enumerate(tokens) if t[0].isdigit()]
    if numbers:
        tokens[rng.choice(numbers)] = rng.choice(NUMBERS)


def change_operator(rng, tokens, others):
    found = [i for i, t in enumerate(tokens) if t in OPERATORS and t not in ("<", ">")]  # which are of templates
    if found:
        tokens[rng.choice(found)] = rng.choice(OPERATORS)


def take_group(rng, tokens, others):
    """What is between brackets comes from between others, there or in another program."""
    source = tokens if rng.random() < 0.5 else TOKEN.findall(rng.choice(others))
    there, here = sorted(partners(source).items()), sorted(partners(tokens).items())
    there = [g for g in there if source[g[0]] != "{"]
    here = [g for g in here if tokens[g[0]] != "{"]
    if there and here:
        (a, b), (c, d) = rng.choice(here), rng.choice(there)
        tokens[a + 1:b] = source[c + 1:d]


def wrap(rng, tokens, others):
    """f(a) becomes g(f(a)), (f(a)), -f(a) …"""
    groups = [(a, b) for a, b in sorted(partners(tokens).items()) if tokens[a] == "(" and tokens[a - 1][0].isalpha()]
    if groups:
        a, b = rng.choice(groups)
        tokens[a - 1] = rng.choice(WRAPPERS) + "(" + tokens[a - 1]
        tokens[b] += ")"


def disturb(rng, tokens, others):
    """Anything at all."""
    solid = [i for i, t in enumerate(tokens) if t.strip()]
    i, k, kind = rng.choice(solid), rng.choice(solid), rng.randrange(6)
    if kind == 0:
        tokens[i] = ""
    elif kind == 1:
        tokens[i] += " " + tokens[i]
    elif kind == 2:
        tokens[i], tokens[k] = tokens[k], tokens[i]
    elif kind == 3:
        tokens[i] = tokens[k]
    elif kind == 4:
        tokens[i] += " " + rng.choice(OPERATORS + WORDS + NUMBERS + BRACKETS) + " "
    else:
        other = TOKEN.findall(rng.choice(others))
        at = rng.randrange(len(other))
        tokens[i:i + rng.randrange(12)] = other[at:at + rng.randrange(20)]


def is_balanced(line):
    return all(line.count(a) == line.count(b) for a, b in CLOSING.items())


def change_lines(rng, tokens, others):
    lines = "".join(tokens).splitlines(keepends=True)
    whole = [i for i, line in enumerate(lines) if is_balanced(line)]
    if whole:
        i, k, kind = rng.choice(whole), rng.choice(whole), rng.randrange(5)
        if kind == 0:
            del lines[i]
        elif kind == 1:
            lines.insert(k, lines[i])
        elif kind == 2:
            lines[i], lines[k] = lines[k], lines[i]
        elif kind == 3:
            other = [line for line in rng.choice(others).splitlines(keepends=True) if is_balanced(line)]
            lines.insert(i, rng.choice(other or [""]))
        else:
            other = rng.choice(others).splitlines(keepends=True)
            lines[i:] = other[rng.randrange(len(other) + 1):]
    tokens[:] = TOKEN.findall("".join(lines))


CHANGES = [change_number] * 6 + [change_operator] * 4 + [change_word] * 4 + [take_group] * 5 + [wrap] * 4 + [
    change_lines] * 3 + [disturb]


def program(seed, texts):
    rng = random.Random(seed)
    text = rng.choice(texts)
    for _ in range(rng.choice([1, 1, 1, 1, 2, 2, 3, 5])):
        tokens = TOKEN.findall(text)
        if any(t.strip() for t in tokens):
            rng.choice(CHANGES)(rng, tokens, texts)
        text = "".join(tokens)
    return text


def failure_of(tool, path, timeout):
    """What is wrong with the run, or None; and its exit status."""
    try:
        run = subprocess.run([*tool.split(), path], capture_output=True, timeout=timeout,
                             stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"more than {timeout} s", None
    said = run.stderr.decode(errors="replace")
    found = re.search(r".*(Sanitizer|runtime error|internal error|INTERNAL|panic).*", said)
    if run.returncode not in (0, 1) or found:
        return f"exit status {run.returncode}: {found[0] if found else said[-300:]}", run.returncode
    if run.returncode == 1 and "error:" not in said:
        return "exit status 1 without an error", 1
    return None, run.returncode


def main():
    global FOLDERS, WRAPPERS, WORDS, END
    parser = argparse.ArgumentParser()
    parser.add_argument("--language", choices=LANGUAGES, default="halide")
    parser.add_argument("--seeds", default="0..99")
    parser.add_argument("--tool")
    parser.add_argument("--folder", action="append")
    parser.add_argument("--limit", type=float)
    parser.add_argument("--timeout", type=float, default=20)
    parser.add_argument("--keep")
    parser.add_argument("--quiet", action="store_true")
    args = parser.parse_args()
    FOLDERS, WRAPPERS, WORDS, END = LANGUAGES[args.language]
    tool = args.tool or f"pm-translate --from={args.language} --to=pmir -o {os.devnull}"
    first, _, last = args.seeds.partition("..")
    texts, began, counts, failures = programs(args.folder or FOLDERS), time.monotonic(), {0: 0, 1: 0}, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(last or first) + 1):
            if args.limit and time.monotonic() - began > args.limit:
                break
            text = program(seed, texts)
            path = os.path.join(folder, f"{seed}{END}")
            with open(path, "w") as file:
                file.write(text)
            wrong, status = failure_of(tool, path, args.timeout)
            if wrong is None:
                counts[status] += 1
            else:
                failures += 1
                print(f"FAIL: seed {seed}: {wrong}", flush=True)
                if args.keep:
                    os.makedirs(args.keep, exist_ok=True)
                    with open(os.path.join(args.keep, f"{seed}{END}"), "w") as file:
                        file.write(text)
            os.remove(path)
    if not args.quiet or failures:
        print(f"{counts[0]} taken, {counts[1]} refused, {failures} failures")
    return 1 if failures or counts[0] + counts[1] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
