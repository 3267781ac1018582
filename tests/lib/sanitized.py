"""Which tests the configuration asan leaves out: those that reach little in our code that others do not.

  sanitized.py BUILD        chooses anew and writes tests/lib/not_sanitized.txt; BUILD is a new folder for a build of its own

Such a build records which edges between basic blocks each process takes (clang, -fsanitize-coverage), and all tests run once
with it. Then tests are taken, those with most new edges a second first, until they have MOST of the edges, beside those of ALWAYS
that take at most SLOW seconds. Tests that compare the C of two builds (matrix/NAME-same-c) are on no list.
A test that is on no list runs: a new one, and one that has another name.
"""
import contextlib
import json
import os
import re
import subprocess
import sys

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIST = "tests/lib/not_sanitized.txt"
LIT = "/usr/lib/llvm-19/build/utils/lit/lit.py"
ALWAYS = re.compile(r"errors/|language/mistakes/|halide/mistakes/|hipacc/mistakes/|imagecl/mistakes/|docs/add-")  # the last build tools of their own
SLOW = 2.5  # a mistake that is found by a limit of time or memory takes seconds; errors/ and docs/ are taken whatever they take
MOST = 0.995
SYMBOL = re.compile(r"^ *\d+: ([0-9a-f]+) +\S+ (FUNC|FILE) +(\S+) +\S+ +\S+ (\S+)$", re.MULTILINE)


def left_out():
    with open(os.path.join(ROOT, LIST), encoding="utf-8") as file:
        return set(file.read().split())


# --- what a test takes, while it runs ---


@contextlib.contextmanager
def recorded(test):
    """With -Dcoverage=DIR the edges of a test's processes come into DIR/TEST.npz, an array for each program."""
    if not test.config.coverage:
        yield
        return
    record = record_of(test.config.coverage, "/".join(test.path_in_suite))
    folder = record + ".d"
    os.makedirs(folder, exist_ok=True)
    before = test.config.environment["ASAN_OPTIONS"]
    test.config.environment["ASAN_OPTIONS"] = f"{before}:coverage=1:coverage_dir={folder}:log_path={folder}/log"
    yield
    test.config.environment["ASAN_OPTIONS"] = before
    join_records(folder, record)


def record_of(records, name):
    return os.path.join(records, name.replace("/", "_") + ".npz")


def join_records(folder, record):
    """Of processes (PROGRAM.PID.sancov: eight bytes, then addresses), which are thousands of files, beside what was said."""
    programs = {}
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.endswith(".sancov"):
            programs.setdefault(name.rsplit(".", 2)[0], []).append(np.fromfile(path, dtype=np.uint64)[1:])
        os.remove(path)
    os.rmdir(folder)
    np.savez_compressed(record, **{name: np.unique(np.concatenate(all_of)) for name, all_of in programs.items()})


# --- the same edge in each program: the offset in its function ---


def functions(program):
    """Addresses of functions, ascending, and their names with that of their file where they are static."""
    table = subprocess.run(["readelf", "-sW", program], check=True, capture_output=True, text=True).stdout
    found, source = {}, ""
    for address, kind, binding, name in SYMBOL.findall(table):
        if kind == "FILE":
            source = name
        else:
            found[int(address, 16)] = f"{source}:{name}" if binding == "LOCAL" else name
    return sorted(found.items())


class Functions:
    """Those of the tools and the target llvm have numbers; what unit programs have beside these is not ours."""

    def __init__(self, build):
        tools = [name.removesuffix(".c") for name in os.listdir(os.path.join(ROOT, "tools")) if name.endswith(".c")]
        self.build, self.numbers, self.of_program = build, {}, {}
        for tool in [*tools, "pm-llvm.so"]:
            for _, name in functions(os.path.join(build, tool)):
                self.numbers.setdefault(name, len(self.numbers))

    def table(self, program):
        """Arrays: where its functions start, and their numbers, or -1."""
        if program not in self.of_program:
            found = functions(os.path.join(self.build, program))
            starts = np.array([start for start, _ in found], dtype=np.uint64)
            self.of_program[program] = starts, np.array([self.numbers.get(name, -1) for _, name in found])
        return self.of_program[program]

    def edges(self, program, addresses):
        starts, numbers = self.table(program)
        at = np.searchsorted(starts, addresses, side="right") - 1
        edges = (numbers[at] << 32) + (addresses - starts[at]).astype(np.int64)
        return edges[numbers[at] >= 0]


def edges_of_tests(build, records, names):
    """{test: array of the numbers of its edges}, and how many edges there are."""
    ours, found = Functions(build), {}
    for name in names:
        with np.load(record_of(records, name)) as programs:
            known = [program for program in programs.files if os.path.exists(os.path.join(build, program))]
            parts = [ours.edges(program, programs[program]) for program in known]
        if parts:
            found[name] = np.unique(np.concatenate(parts))
    every = np.unique(np.concatenate(list(found.values())))
    return {name: np.searchsorted(every, edges) for name, edges in found.items()}, len(every)


# --- the choice ---


def choose(edges, n_edges, seconds, begun):
    """Names of tests that have MOST of the edges together, those of `begun` among them."""
    taken, chosen, rest = np.zeros(n_edges, dtype=bool), list(begun), sorted(set(edges) - set(begun))
    for name in begun:
        taken[edges[name]] = True
    while taken.mean() < MOST:
        new = {name: np.count_nonzero(~taken[edges[name]]) / seconds[name] for name in rest}
        best = max(rest, key=new.get)
        taken[edges[best]] = True
        chosen.append(best)
        rest = [name for name in rest if new[name] > 0 and name != best]
    return without_superfluous(chosen, edges, n_edges, seconds, begun)


def without_superfluous(chosen, edges, n_edges, seconds, begun):
    """Slowest first: a test that was taken early may have been overtaken by later ones."""
    times, kept = np.zeros(n_edges, dtype=int), set(chosen)
    for name in chosen:
        times[edges[name]] += 1
    for name in sorted(kept - set(begun), key=lambda name: -seconds[name]):
        if np.all(times[edges[name]] > 1):
            times[edges[name]] -= 1
            kept.remove(name)
    return kept


def is_always(name, seconds):
    return bool(ALWAYS.match(name)) and (seconds <= SLOW or not name.split("/")[-2] == "mistakes")


def build_and_run(build):
    options = ["-DCMAKE_C_COMPILER=clang", "-DCMAKE_BUILD_TYPE=Debug", "-DPM_SANITIZE=ON",
               "-DCMAKE_C_FLAGS=-fsanitize-coverage=trace-pc-guard"]
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, *options], check=True)
    subprocess.run(["ninja", "-C", build], check=True)
    records, results = os.path.join(build, "records"), os.path.join(build, "results.json")
    lit = [sys.executable, LIT, "-q", "-j2", "--output", results, "-Dconfig=asan", f"-Dbuild={build}", f"-Dcoverage={records}"]
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:intercept_tls_get_addr=0")
    subprocess.run([*lit, os.path.join(ROOT, "tests")], env=environment, check=False)
    return records, results


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    records, results = build_and_run(build)
    with open(results, encoding="utf-8") as file:
        passed = [test for test in json.load(file)["tests"] if test["code"] == "PASS" and "cpu" in test.get("metrics", {})]
    seconds = {test["name"].split(" :: ")[1]: 0.01 + test["metrics"]["cpu"] for test in passed}
    edges, n_edges = edges_of_tests(build, records, seconds)
    chosen = choose(edges, n_edges, seconds, [name for name in edges if is_always(name, seconds[name])])
    left = sorted(set(edges) - chosen)
    with open(os.path.join(ROOT, LIST), "w", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in left)
    print(f"{n_edges} edges; {len(chosen)} tests, {sum(seconds[name] for name in chosen):.0f} s; "
          f"left out: {len(left)}, {sum(seconds[name] for name in left):.0f} s")


if __name__ == "__main__":
    main()
