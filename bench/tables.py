"""What bench/run prints: every configuration of tests/lib/benchmarks.py in several schedules, what single decisions of the
compiler gain, and the speed of its infrastructure. See bench/README.md.
"""
import argparse
import functools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))

from arguments import pattern  # noqa: E402
from benchmarks import BENCHMARKS  # noqa: E402

# Rows and columns as benchmarks.py takes them: those of the papers where they are small enough.
SIZES = {
    "unsharp": "2832x4256",
    "harris": "1536x2560",
    "bilateral": "1536x2560",
    "bilateral_halide": "1536x2560",
    "bilateral_windows": "1536x2560",
    "camera": "1968x2592",
    "blending": "2048x3840",
    "interpolate": "1536x2560",
    "laplacian": "1536x2560",
    "multigrid-2d": "511x511",
    "multigrid-3d": "31x31",
    "minifluxdiv": "96x96",
    "nas_mg": "7x7",
    "jacobi2d": "2048x2048",
    "jacobi3d": "128x128",
    "blur_u16": "4800x6400",
    "blur_f32": "4800x6400",
    "histeq": "1536x2560",
    "histogram": "1536x2560",
    "statistics": "1536x2560",
    "gauss5": "4096x4096",
    "gauss5_f32": "4096x4096",
    "laplace5": "2160x3840",
    "bilateral_filter": "256x256",
    "bilateral_filter-5x5": "1024x1024",
    "harris_int": "2160x3840",
    "conv_sep": "4096x4096",
    "conv": "4096x4096",
    "harris2x2": "2560x2560",
    "corners": "1536x2560",
}

# What PolyMage's authors publish, or their code gains, over the naive schedule.
PUBLISHED = {"harris": 31, "unsharp": 9, "camera": 3.5, "blending": 3.6, "interpolate": 2.2, "laplacian": 1.9}

# Schedules beside the default one, as pm-run's --against takes them.
VARIANTS = {
    "naive": "--naive --cflags='-O3 -march=native -fopenmp -DPM_SMALL_PAGES'",
    "whole": "--strategy=none --tile=none --inline=0",
    "greedy": "--strategy=greedy",
    "cone": "--set=tile{shape=cone}",
    "1-level": "--inner=none",
    "clang": "--cc=clang",
}

# Where the C compiler takes long and nothing is published, only these.
FEW = ["naive", "whole", "greedy"]

# The default may take so much longer than greedy. Rows beyond that are measured again, for so many seconds each.
SLOWER, SECONDS_AGAIN, LEAST_ROUNDS = 1.05, 4, 15

# Decisions that are left out: row, pipeline, schedules.
DECISIONS = {
    "harris": {
        "not inlined": "--inline=0",
        "one group": "--strategy=all",
        "no groups": "--strategy=none",
        "no tiles": "--tile=none",
    },
    "unsharp": {"one group": "--strategy=all", "no tiles": "--tile=none", "no prefetch": "--set=mark-prefetch{lines=0}"},
    "blur_f32": {"no prefetch": "--set=mark-prefetch{lines=0}"},
    "gauss5-clamp": {"no prefetch": "--set=mark-prefetch{lines=0}"},
    "histogram": {"no partial results": "--naive"},
    "statistics": {"no partial results": "--naive"},
}

# Ways to find the groups, for the comparison of these. The costs of jb are no times.
STRATEGIES = {
    "greedy": ["--strategy=greedy", "--set=group{appraise=true}"],
    "dp/jb": ["--strategy=dp", "--set=group{cost=jb}"],
    "dp/roofline": ["--strategy=dp", "--set=group{cost=roofline}"],
}

# Values that may differ between schedules, as a share of all: products are contracted where a stage is inlined and not
# where it is stored, and these round to integers afterwards.
MAY_DIFFER = {"laplacian": 3e-3}


def size_of(name):
    """The size of a row, or of its family: multigrid-2d-v-444 is of multigrid-2d."""
    while name not in SIZES and "-" in name:
        name = name.rpartition("-")[0]
    return SIZES[name]


def variants_of(name):
    few = BENCHMARKS[name].slow and name not in PUBLISHED
    names = [n for n in (FEW if few else VARIANTS) if n != "clang" or shutil.which("clang")]
    return {n: VARIANTS[n] for n in names}


def run(command, made=None):
    """An exit status is an error, unless the command makes a file and has."""
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0 and not (made and os.path.exists(made)):
        sys.exit(f"exit status {result.returncode}: {' '.join(command)}\n{result.stdout}{result.stderr}")
    return result


def seconds_of_pass(name, timing):
    """Of a report of --timing."""
    return sum(float(n) for n in re.findall(rf"^ *([0-9.]+) \( *[0-9.]+%\) +{name}$", timing, re.MULTILINE))


class Machine:
    """Threads, and the speed of memory with them."""

    def __init__(self, threads, quick):
        self.threads, self.quick = threads, quick

    def options(self):
        """Of pm-run: where the times are of no interest, the C compiler does not optimize."""
        return [f"--threads={self.threads}", "--timing", *(["--cflags=-O0 -fopenmp"] if self.quick else [])]

    @functools.cached_property
    def bytes_per_second(self):
        side = 64 if self.quick else 8192
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/img.npy", np.ones((side, side), np.float32))
            program = os.path.join(ROOT, "bench", "scale.py")
            measured = self.measure([program, f"--in=img={folder}/img.npy", "--naive"], [], folder)
        return measured["compulsory_bytes"] / measured["variants"][0]["min_s"]

    def measure(self, arguments, variants, folder, rounds=None):
        """What pm-run measures of a program, called in turn with its variants: that often, or for a second each. Where values
        of a variant that is a file differ, that is in what was measured, too.
        """
        path = f"{folder}/bench.json"
        rounds = ["--bench=3"] if self.quick else [f"--bench={rounds}"] if rounds else ["--bench"]
        against = [f"--against={v}" for v in variants]
        options = ["--target=c", *self.options(), f"--bench-json={path}", *rounds, *against]
        report = run(["pm-run", *arguments, *options], made=path)
        with open(path, encoding="utf-8") as file:
            measured = json.load(file)
        measured["group_s"] = seconds_of_pass("group", report.stderr)
        return measured


def program_of(benchmark, size, folder):
    """Arguments of pm-run for a row, whose inputs go to the folder."""
    rows, cols = (int(n) for n in size.split("x"))
    arguments = [benchmark.path]
    arguments += [f"--const={n}={v}" for n, v in benchmark.constants_for(rows, cols).items()]
    scalars = {**benchmark.sizes(rows, cols), **benchmark.scalars}
    arguments += [f"--param={n}={v}" for n, v in scalars.items()]
    for name, array in benchmark.inputs(rows, cols).items():
        np.save(f"{folder}/{name}.npy", np.ascontiguousarray(array))
        arguments.append(f"--in={name}={folder}/{name}.npy")
    return arguments


def measure_row(machine, name, variants, rounds=None):
    """A row in the default schedule and in `variants` (by name), as a flat record."""
    benchmark = BENCHMARKS[name]
    size = benchmark.odd if machine.quick else size_of(name)
    with tempfile.TemporaryDirectory() as folder:
        measured = machine.measure(program_of(benchmark, size, folder), variants.values(), folder, rounds)
    own, *others = measured["variants"]
    least = measured["compulsory_bytes"] / machine.bytes_per_second
    record = {"name": name, "size": size, "ours_s": own["min_s"], "median_s": own["median_s"]}
    record |= {f"{n}_s": v["min_s"] for n, v in zip(variants, others)}
    record |= {f"{n}_median_s": v["median_s"] for n, v in zip(variants, others)}
    record |= {"differing": {n: v["differing"] for n, v in zip(variants, others) if v["differing"]}}
    record |= {"roofline": least / own["min_s"], "group_s": measured["group_s"]}
    record |= {n: own[n] for n in ("compile_s", "cc_s", "scratch_bytes")}
    return record | {"values": measured["values"], "whole_bytes": measured["whole_bytes"]}


def failures_of(record):
    allowed = MAY_DIFFER.get(record["name"], 0) * record["values"]
    return [
        f"{record['name']}: {count} of {record['values']} values differ from those of {variant}"
        for variant, count in record["differing"].items()
        if count > allowed
    ]


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


# --- printing ---


def milliseconds(seconds):
    if seconds is None:
        return "-"
    return f"{1e3 * seconds:.3g}" if seconds < 1 else f"{1e3 * seconds:.0f}"


def megabytes(count):
    return f"{count / 1e6:.3g}"


def cells(record):
    published = PUBLISHED.get(record["name"], "-")
    return [
        f"{record['name']} {record['size']}",
        *[milliseconds(record.get(f"{n}_s")) for n in ("ours", *VARIANTS)],
        f"{record['naive_s'] / record['ours_s']:.2f}",
        str(published),
        f"{100 * record['roofline']:.0f}",
        *[milliseconds(record[f"{n}_s"]) for n in ("group", "compile", "cc")],
        megabytes(record["scratch_bytes"]),
        megabytes(record["whole_bytes"]),
    ]


HEAD = ["", "ours", *VARIANTS, "ratio", "publ.", "roof %", "group", "to C", "cc", "scratch", "whole"]


def put_cells(row, first=34):
    print(f"{row[0]:<{first}}" + "".join(f"{cell:>9}" for cell in row[1:]), flush=True)


def put_pipelines(machine, names):
    print(f"Pipelines, {machine.threads} threads; memory reads and writes {machine.bytes_per_second / 1e9:.1f} GB/s.")
    print("Least time of a call in ms, by schedule; naive over ours, and what is published of that; the share of the time")
    print("that reading the inputs and writing the outputs takes; processor time in ms of the search for groups, of all from")
    print("text to C, and of the C compiler; MB of scratch memory, and of all stages in whole arrays.")
    put_cells(HEAD)
    records = []
    for name in names:
        records.append(measure_row(machine, name, variants_of(name)))
        put_cells(cells(records[-1]))
    return records


def put_slower(machine, records):
    """The rows that are much slower than greedy once more, in turn with greedy alone: in the table, what disturbs the machine
    for a second is enough.
    """
    slower = [r for r in records if r["ours_s"] > SLOWER * r["greedy_s"]]
    print(f"\nSlower than greedy by more than {100 * (SLOWER - 1):.0f} %: {len(slower)} of {len(records)}")
    if slower:
        print("Only these two in turn, for longer: least time of a call in ms, median, and of both what the default takes more")
        put_cells(["", "ours", "greedy", "more %", "ours", "greedy", "more %"])
    again = []
    for name, seconds in ((r["name"], r["ours_s"]) for r in slower):
        rounds = max(LEAST_ROUNDS, int(SECONDS_AGAIN / seconds))
        record = measure_row(machine, name, {"greedy": VARIANTS["greedy"]}, rounds)
        pairs = (record["ours_s"], record["greedy_s"]), (record["median_s"], record["greedy_median_s"])
        put_cells([f"{name} {record['size']}"] + [
            cell for ours, greedy in pairs
            for cell in (milliseconds(ours), milliseconds(greedy), f"{100 * (ours / greedy - 1):.0f}")])
        again.append(record)
    return again


def put_decisions(machine, names):
    print("\nThe same with one decision left out, least time of a call in ms, and over that of the default")
    records = []
    for name in names:
        record = measure_row(machine, name, DECISIONS[name])
        records.append(record)
        put_cells([f"{name} {record['size']}", milliseconds(record["ours_s"])])
        for variant in DECISIONS[name]:
            seconds = record[f"{variant}_s"]
            put_cells([f"  {variant}", milliseconds(seconds), f"{seconds / record['ours_s']:.2f}"])
    return records


# --- ways to find groups ---


def said(pattern, remarks):
    found = re.findall(pattern, remarks)
    return float(found[-1]) if found else None


def in_words(options):
    """As --against takes them."""
    return " ".join(options)


def measure_strategies(machine, name):
    """Of each way to find groups: groups, states, search and predicted time in seconds, and the time of a call, where they
    are called in turn. Remarks are of the program itself only, so each is that once.
    """
    benchmark = BENCHMARKS[name]
    size = benchmark.odd if machine.quick else size_of(name)
    records = []
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/bench.json"
        program = program_of(benchmark, size, folder)
        others = [f"--against={in_words(o)}" for o in STRATEGIES.values()]
        for strategy, options in STRATEGIES.items():
            last = len(records) + 1 == len(STRATEGIES)
            calls = ["--bench=3", *others] if machine.quick else ["--bench=9", *others] if last else ["--bench=1"]
            more = [*machine.options(), "--remarks=all", f"--bench-json={path}", *calls]
            report = run(["pm-run", *program, *options, *more]).stderr
            predicted = None if "cost=jb" in in_words(options) else said(r"groups? cost ([0-9.e+]+)", report)
            record = {"name": name, "size": size, "strategy": strategy}
            record |= {"groups": said(r"stages? in (\d+) groups? cost", report), "states": said(r"(\d+) states in", report)}
            record |= {"predicted_s": predicted and predicted * 1e-9, "group_s": seconds_of_pass("group", report)}
            records.append(record)
        with open(path, encoding="utf-8") as file:
            for record, variant in zip(records, json.load(file)["variants"][1:]):
                record["ours_s"] = variant["min_s"]
    return records


def put_markdown(row):
    print("| " + " | ".join(row) + " |", flush=True)


# What there is to say of each way to find groups; greedy has no states, and the costs of jb are no times.
COLUMNS = {
    "greedy": ["groups", "search", "predicted", "ms"],
    "dp/jb": ["groups", "states", "search", "ms"],
    "dp/roofline": ["groups", "states", "search", "predicted", "ms"],
}


def cells_of_strategy(record):
    cells = {n: "-" if record[n] is None else f"{record[n]:.0f}" for n in ("groups", "states")}
    cells |= {n: milliseconds(record[k]) for n, k in (("search", "group_s"), ("predicted", "predicted_s"), ("ms", "ours_s"))}
    return [cells[n] for n in COLUMNS[record["strategy"]]]


def put_strategies(machine, names):
    head = ["pipeline", *[f"{s}: {c}" if c == "groups" else c for s in STRATEGIES for c in COLUMNS[s]]]
    print("\nWays to find the groups: groups, states that were looked at, processor time of the search in ms, predicted and")
    print("least time of a call in ms; the three are called in turn\n")
    put_markdown(head)
    put_markdown(["---"] * len(head))
    records = []
    for name in names:
        row = measure_strategies(machine, name)
        records += row
        put_markdown([f"{name} {row[0]['size']}", *[cell for r in row for cell in cells_of_strategy(r)]])
    return records


# --- the compiler's infrastructure ---


def best(command, times):
    """The shortest of that many runs, in seconds."""
    least = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        least = min(least, time.perf_counter() - begin)
    return least


def put_compiler(quick):
    print("\nThe compiler, least time of a whole run in ms", flush=True)
    ops, times = ("1000", 2) if quick else ("200000", 40)
    with tempfile.TemporaryDirectory() as folder:
        open(f"{folder}/empty.pmir", "w", encoding="utf-8").close()
        with open(f"{folder}/empty.mlir", "w", encoding="utf-8") as file:
            file.write("module {}\n")
        run(["ir-throughput", ops, "--emit", f"{folder}/ops.pmir"])
        run(["ir-throughput", ops, "--emit-mlir", f"{folder}/ops.mlir"])
        rows = {
            "/bin/true, for what starting a program takes": ["/bin/true"],
            "pm-opt on an empty file": ["pm-opt", f"{folder}/empty.pmir"],
            f"pm-opt, {ops} ops: parse, verify, print": ["pm-opt", f"{folder}/ops.pmir"],
        }
        if shutil.which("mlir-opt-19"):
            rows["mlir-opt-19 on an empty module"] = ["mlir-opt-19", f"{folder}/empty.mlir"]
            rows["mlir-opt-19, the same ops"] = ["mlir-opt-19", f"{folder}/ops.mlir"]
        results = {what: best(command, times) for what, command in rows.items()}
    for what, seconds in results.items():
        print(f"{what:<46}{1e3 * seconds:>9.2f}")
    print(run(["ir-throughput", ops]).stdout, end="")
    return results


# --- the whole ---


def parser_of_rows():
    """The options of all of bench/run's tables."""
    parser = argparse.ArgumentParser(prog="bench/run")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--filter", type=pattern, default=re.compile(""))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json")
    return parser


def arguments():
    parser = parser_of_rows()
    parser.add_argument("--groups", action="store_true")
    return parser.parse_args()


def finish(results, path):
    """Writes the numbers where a path is given. The exit status: 1 after a line for each row that failed."""
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)
    failures = [f for r in results.get("pipelines", []) + results.get("decisions", []) for f in failures_of(r)]
    for failure in failures:
        print(f"bench/run: {failure}", file=sys.stderr)
    return 1 if failures else 0


def main():
    a = arguments()
    machine = Machine(a.threads, a.quick)
    chosen = lambda names: [n for n in names if a.filter.search(n)]
    results = {"threads": a.threads, "bytes_per_second": machine.bytes_per_second}
    if a.groups:
        results["groups"] = put_strategies(machine, chosen(BENCHMARKS))
    elif chosen(BENCHMARKS):
        results["pipelines"] = put_pipelines(machine, chosen(BENCHMARKS))
        results["slower"] = put_slower(machine, results["pipelines"])
    if not a.groups and chosen(f"decisions {n}" for n in DECISIONS):
        results["decisions"] = put_decisions(machine, [n for n in DECISIONS if a.filter.search(f"decisions {n}")])
    if not a.groups and chosen(["compiler"]):
        results["compiler_s"] = put_compiler(a.quick)
    return finish(results, a.json)


if __name__ == "__main__":
    sys.exit(main())
