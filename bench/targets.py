"""What bench/run --targets prints: every configuration of tests/lib/benchmarks.py as each target, and each compiler of C,
makes it: how long a call takes, and how long from the program's text to code that can be called. See bench/README.md.
"""
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


def measure_row(machine, name, others, rounds=None):
    """A row as a flat record: of gcc and of each variant the least time of a call, and processor seconds to the code."""
    benchmark = BENCHMARKS[name]
    size = benchmark.odd if machine.quick else tables.size_of(name)
    with tempfile.TemporaryDirectory() as folder:
        program = [*program_of(benchmark, size, folder), "--cc=gcc"]
        measured = machine.measure(program, others.values(), folder, rounds)
    record = {"name": name, "size": size, "values": measured["values"]}
    record |= {"differing": {n: v["differing"] for n, v in zip(others, measured["variants"][1:]) if v["differing"]}}
    for which, variant in zip(["gcc", *others], measured["variants"]):
        record |= {f"{which}_s": variant["min_s"], f"{which}_code_s": variant["compile_s"] + variant["cc_s"]}
    return record


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
    ])


def put_rows(machine, names, others):
    columns = ["gcc", *others]
    print(f"Targets, {machine.threads} threads: least time of a call in ms, called in turn; llvm over the best C; processor")
    print("time in ms from the program's text to code that can be called")
    put_cells(["", *columns, "ratio", *columns])
    records = []
    for name in names:
        records.append(measure_row(machine, name, others))
        put_row(records[-1], columns)
    return records


def least_of(a, b):
    """Two measurements of a row as one."""
    return b | {n: min(a[n], b[n]) for n in b if n.endswith("_s")}


def put_again(machine, records, others):
    """The records, with those of slower rows measured once more, for longer."""
    slower = [r for r in records if is_slower(r)]
    if slower:
        print(f"\nSlower by more than {100 * (SLOWER - 1):.0f} %, once more for {SECONDS_AGAIN} s; the least of both")
    again = {}
    for r in slower:
        rounds = max(LEAST_ROUNDS, int(SECONDS_AGAIN / sum(r[f"{n}_s"] for n in ["gcc", *others])))
        again[r["name"]] = least_of(r, measure_row(machine, r["name"], others, rounds))
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
