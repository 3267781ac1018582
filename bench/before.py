"""What bench/run --before prints: every configuration of tests/lib/benchmarks.py by two builds of the compiler, that of
another commit and this one. See bench/README.md.
"""
import os
import resource
import subprocess
import sys
import tempfile

import tables
from tables import BENCHMARKS, LEAST_ROUNDS, SECONDS_AGAIN, milliseconds, program_of, put_cells

# A row may take so much longer than before. Those beyond are measured again.
SLOWER = 1.03

# Who writes the C of the other build compiles it also, only to get there.
TO_C_ONLY = ["--bench=1", "--cflags=-O0 -fopenmp"]


class Unsupported(Exception):
    """The other build does not compile a program; its message."""


def tool_of(build, tool):
    """The path of a tool of the other build."""
    path = os.path.join(os.path.abspath(build), tool)
    if not os.access(path, os.X_OK):
        sys.exit(f"bench/run: --before is '{build}', in which there is no {tool}")
    return path


def processor_seconds(command):
    def children():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    begin = children()
    tables.run(command)
    return children() - begin


def options_of(program):
    """What pmc takes of pm-run's arguments."""
    return [a for a in program if not a.startswith(("--in=", "--param="))]


def seconds_to_c(pmcs, program, folder, rounds):
    """Of each pmc, called in turn: the least processor time of a whole run."""
    command = [*options_of(program), "-o", f"{folder}/pmc.c"]
    return [min(times) for times in zip(*[[processor_seconds([pmc, *command]) for pmc in pmcs] for _ in range(rounds)])]


def emit_before(machine, pm_run, program, path):
    """The C of the other build, which knows sizes and threads as this one does."""
    command = [pm_run, *program, f"--threads={machine.threads}", f"--dump-source={path}", *TO_C_ONLY]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise Unsupported(result.stderr.strip().partition("\n")[0])


def measure_row(machine, build, name, rounds=None):
    """A row as a flat record. Where both builds emit the same C, one of them is called."""
    benchmark = BENCHMARKS[name]
    size = benchmark.odd if machine.quick else tables.size_of(name)
    with tempfile.TemporaryDirectory() as folder:
        program = program_of(benchmark, size, folder)
        emit_before(machine, tool_of(build, "pm-run"), program, f"{folder}/before.c")
        measured = machine.measure(program, [f"{folder}/before.c"], folder, rounds)
        to_c = seconds_to_c([tool_of(build, "pmc"), "pmc"], program, folder, 1 if machine.quick else 3)
    after, before = measured["variants"]
    record = {"name": name, "size": size, "same": before["same"], "values": measured["values"]}
    record |= {"differing": {"before": before["differing"]} if before["differing"] else {}}
    for which, variant, seconds in (("before", before, to_c[0]), ("after", after, to_c[1])):
        record |= {f"{which}_s": variant["min_s"], f"{which}_median_s": variant["median_s"], f"{which}_to_c_s": seconds}
    return record | {"ratio": before["min_s"] / after["min_s"]}


def is_slower(record):
    return record["after_s"] > SLOWER * record["before_s"]


def put_row(record):
    put_cells([
        f"{record['name']} {record['size']}",
        *[milliseconds(record[f"{n}_s"]) for n in ("before", "after")],
        "same C" if record["same"] else f"{record['ratio']:.3f}",
        *[milliseconds(record[f"{n}_to_c_s"]) for n in ("before", "after")],
    ])


def put_rows(machine, build, names):
    """The records, and the rows that the other build does not compile."""
    print(f"Before and after, {machine.threads} threads: least time of a call in ms, called in turn; before over after;")
    print("least processor time in ms of pmc, from text to C")
    put_cells(["", "before", "after", "ratio", "to C", "to C"])
    records, unsupported = [], []
    for name in names:
        try:
            records.append(measure_row(machine, build, name))
            put_row(records[-1])
        except Unsupported as why:
            unsupported.append(name)
            put_cells([name, "-"])
            print(f"  {why}")
    return records, unsupported


def least_of(a, b):
    """Two measurements of a row as one."""
    least = {n: min(a[n], b[n]) for n in b if n.endswith("_s")}
    return b | least | {"ratio": least["before_s"] / least["after_s"]}


def put_again(machine, build, records):
    """The records, with those of slower rows measured once more, for longer: in the table, what disturbs the machine for a
    second is enough.
    """
    slower = [r for r in records if is_slower(r)]
    if slower:
        print(f"\nSlower by more than {100 * (SLOWER - 1):.0f} %, once more for {SECONDS_AGAIN} s; the least of both")
    again = {}
    for r in slower:
        rounds = max(LEAST_ROUNDS, int(SECONDS_AGAIN / (r["before_s"] + r["after_s"])))
        again[r["name"]] = least_of(r, measure_row(machine, build, r["name"], rounds))
        put_row(again[r["name"]])
    return [again.get(r["name"], r) for r in records]


def put_sum(records, unsupported):
    same = sum(r["same"] for r in records)
    mean = tables.geometric_mean([r["ratio"] for r in records]) if records else 1
    without = f", {len(unsupported)} more did not compile before" if unsupported else ""
    print(f"\n{len(records)} rows, {same} of the same C{without}; {sum(map(is_slower, records))} slower by more than "
          f"{100 * (SLOWER - 1):.0f} %; the geometric mean of the ratios is {mean:.3f}", flush=True)
    return mean


def arguments():
    parser = tables.parser_of_rows()
    parser.add_argument("--before", required=True)
    return parser.parse_args()


def main():
    a = arguments()
    for tool in ("pm-run", "pmc"):
        tool_of(a.before, tool)
    machine = tables.Machine(a.threads, a.quick)
    records, unsupported = put_rows(machine, a.before, [n for n in BENCHMARKS if a.filter.search(n)])
    records = put_again(machine, a.before, records)
    results = {"threads": a.threads, "pipelines": records, "unsupported": unsupported}
    results["geometric_mean"] = put_sum(records, unsupported)
    return tables.finish(results, a.json)


if __name__ == "__main__":
    sys.exit(main())
