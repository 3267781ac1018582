"""What bench/run --targets prints: every configuration of tests/lib/benchmarks.py as each target, and each compiler of C,
makes it: how long a call takes, and how long from the program's text to code that can be called. See bench/README.md.
"""
import os
import re
import shutil
import sys
import tempfile

import tables
from tables import BENCHMARKS, LEAST_ROUNDS, SECONDS_AGAIN, milliseconds, program_of, put_cells

# Beside the program itself, which is C by gcc, as pm-run's --against takes them: what they need, and the options.
VARIANTS = {"clang": ("clang", "--cc=clang"), "llvm": (None, "--target=llvm")}

# A target may take so much longer than the best C. Rows beyond that are measured again.
SLOWER = 1.05


def targets():
    listed = tables.run(["pm-translate", "--list-targets"]).stdout
    return re.findall(r"^(\w+)", listed, re.MULTILINE)


def variants():
    known = targets()
    return {
        name: options
        for name, (program, options) in VARIANTS.items()
        if (shutil.which(program) if program else name in known)
    }


def seconds_to_code(program, option, folder, keeping):
    """By the clock, from the start of reading to where the first call begins; keeping: or what a run before has kept."""
    os.environ["PM_CACHE_DIR"] = f"{folder}/kept"
    cache = [] if keeping else ["--no-cache"]
    told = tables.run(["pm-run", *program, option, "--timing", *cache]).stderr
    return float(re.findall(r"^ *([0-9.]+)  by the clock$", told, re.MULTILINE)[-1])


def times_to_code(program, options, folder, quick):
    """With each option, and with that of llvm from what is kept: the least of some runs, where they are short."""
    times = {}
    for name, option in options.items():
        seconds = [seconds_to_code(program, option, folder, keeping=False)]
        for _ in range(0 if quick or seconds[0] > 1 else 4):
            seconds.append(seconds_to_code(program, option, folder, keeping=False))
        times[f"{name}_code_s"] = min(seconds)
    if "llvm" in options:
        times["warm_s"] = min([seconds_to_code(program, options["llvm"], folder, keeping=True) for _ in range(5)][1:])
    return times


def measure_row(machine, name, others):
    """A row as a flat record: of gcc and of each variant the least time of a call, and seconds to the code."""
    with tempfile.TemporaryDirectory() as folder:
        record = measure_calls(machine, name, others, folder)
        program = record.pop("program")
        return record | times_to_code(program, {"gcc": "--cc=gcc", **others}, folder, machine.quick)


def measure_calls(machine, name, others, folder, rounds=None):
    benchmark = BENCHMARKS[name]
    size = benchmark.odd if machine.quick else tables.size_of(name)
    program = program_of(benchmark, size, folder)
    measured = machine.measure([*program, "--cc=gcc"], others.values(), folder, rounds)
    outs = [f"--out={n}={folder}/{n}.npy" for n in measured["outputs"]]
    record = {"name": name, "size": size, "values": measured["values"], "program": [*program, *outs]}
    record |= {"differing": {n: v["differing"] for n, v in zip(others, measured["variants"][1:]) if v["differing"]}}
    return record | {f"{n}_s": v["min_s"] for n, v in zip(["gcc", *others], measured["variants"])}


def best_c(record):
    return min(record[f"{n}_s"] for n in ("gcc", "clang") if f"{n}_s" in record)


def is_slower(record):
    return "llvm_s" in record and record["llvm_s"] > SLOWER * best_c(record)


def put_row(record, names):
    ratio = f"{record['llvm_s'] / best_c(record):.3f}" if "llvm_s" in record else "-"
    put_cells([
        f"{record['name']} {record['size']}",
        *[milliseconds(record[f"{n}_s"]) for n in names],
        ratio,
        *[milliseconds(record[f"{n}_code_s"]) for n in names],
        milliseconds(record["warm_s"]) if "warm_s" in record else "-",
    ])


def put_rows(machine, names, others):
    columns = ["gcc", *others]
    print(f"Targets, {machine.threads} threads: least time of a call in ms, called in turn; llvm over the best C; ms on")
    print("the clock from the program's text to code that can be called, and from what llvm has kept")
    put_cells(["", *columns, "ratio", *columns, "kept"])
    records = []
    for name in names:
        records.append(measure_row(machine, name, others))
        put_row(records[-1], columns)
    return records


def put_again(machine, records, others):
    """The records, with those of slower rows measured once more, for longer."""
    slower = [r for r in records if is_slower(r)]
    if slower:
        print(f"\nSlower by more than {100 * (SLOWER - 1):.0f} %, once more for {SECONDS_AGAIN} s; the least of both")
    again = {}
    for r in slower:
        rounds = max(LEAST_ROUNDS, int(SECONDS_AGAIN / sum(r[f"{n}_s"] for n in ["gcc", *others])))
        with tempfile.TemporaryDirectory() as folder:
            calls = measure_calls(machine, r["name"], others, folder, rounds)
        again[r["name"]] = r | {n: min(r[n], calls[n]) for n in calls if n.endswith("_s")}
        put_row(again[r["name"]], ["gcc", *others])
    return [again.get(r["name"], r) for r in records]


def put_sum(records):
    compared = [r for r in records if "llvm_s" in r]
    mean = tables.geometric_mean([r["llvm_s"] / best_c(r) for r in compared]) if compared else None
    print(f"\n{len(records)} rows, {sum(map(is_slower, records))} slower by more than {100 * (SLOWER - 1):.0f} % than the "
          f"best C; the geometric mean of the ratios is {f'{mean:.3f}' if mean else '-'}", flush=True)
    return mean


def main():
    a = tables.parser_of_rows().parse_args()
    machine, others = tables.Machine(a.threads, a.quick), variants()
    records = put_rows(machine, [n for n in BENCHMARKS if a.filter.search(n)], others)
    if not a.quick:
        records = put_again(machine, records, others)
    results = {"threads": a.threads, "pipelines": records, "geometric_mean": put_sum(records)}
    return tables.finish(results, a.json)


if __name__ == "__main__":
    sys.exit(main())
