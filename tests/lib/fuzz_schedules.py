"""Breaks schedules at random: what verify-schedule accepts, lower-poly lowers to loops that compute the same.

  fuzz_schedules.py [FILE.pmir…] [--seeds 0..9] [--mutants 20] [--jobs 1] [--tools DIR] [--keep DIR] [--verbose]
The schedules are those of the files, expanded, and of the random pipelines (random_pipeline.py) of the seeds under random
options. A mutant is one of them with one to three changes of its tree: nodes that are taken away, doubled, exchanged or put
elsewhere; numbers, signs and relations in sets, maps and functions; marks; memory. Of each mutant that can be read
  - both passes end with status 0 or 1,
  - lower-poly accepts it, if verify-schedule does, and its loops give the bits of the reference interpreter, step by step.
So verify-schedule refuses whatever lower-poly does. What it refuses besides is counted by its message, with the number of
mutants whose loops still ran to the right values with the sizes at hand.
"""
import argparse
import collections
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import fuzz_pipelines

MARKS = ['"jam" rows 2', '"parallel"', '"vector"', '"vector" width 4', '"unroll" times 2', '"isolate"', '"prefetch" lines 1', '"nontemporal" array @NAME']
NUMBERS = [2**20, 2**31, 2**40, 2**61, 2**62, 2**63 - 1, 2**63]
LENGTHS = [1, 2, 3, 4, 5, 12, 37, 63, 1000]
VERIFY = "--pass-pipeline=stage.pipeline(verify-schedule)"
TIMEOUT = 300  # seconds


# --- trees, as pm-opt prints them: an op a line ---


class Node:
    """An op of a tree, with the lines of its allocations and the ops inside it."""

    def __init__(self, head):
        self.head, self.allocs, self.children = head, [], []

    def kind(self):
        return self.head.split()[0]

    def lines(self):
        if self.kind() == "poly.alloc":
            return [self.head]
        inside = [line for child in self.children for line in child.lines()]
        return [self.head + " {", *self.allocs, *inside, "}"]

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def copy(self):
        node = Node(self.head)
        node.allocs, node.children = list(self.allocs), [child.copy() for child in self.children]
        return node


def read_tree(lines):
    """The tree, and the number of lines that it takes."""
    stack = []
    for number, line in enumerate(line.strip() for line in lines):
        if line == "}":
            node = stack.pop()
            if not stack:
                return node, number + 1
        elif line.startswith("poly.alloc"):
            stack[-1].allocs.append(line)
        else:
            node = Node(line.removesuffix(" {"))
            if stack:
                stack[-1].children.append(node)
            stack.append(node)
    raise ValueError("a tree without an end")


class Schedule:
    """The text of a scheduled pipeline, as what is before its tree, the tree, and what is behind it."""

    def __init__(self, text):
        lines = text.splitlines()
        begin = next(i for i, line in enumerate(lines) if line.strip().startswith("poly.schedule"))
        self.tree, n = read_tree(lines[begin:])
        self.before, self.behind = lines[:begin], lines[begin + n :]

    def copy(self):
        other = Schedule.__new__(Schedule)
        other.before, other.behind, other.tree = self.before, self.behind, self.tree.copy()
        return other

    def text(self):
        return "\n".join(self.before + self.tree.lines() + self.behind) + "\n"


# --- changes ---


class Mutation:
    """One change of a schedule; `apply` gives its name, None when it found nothing to change."""

    def __init__(self, rng, schedule):
        self.rng, self.schedule = rng, schedule

    def apply(self):
        makers = [self.text] * 6 + [self.alloc] * 3 + [self.band] * 3 + [self.filters] * 2
        makers += [self.mark, self.unmark, self.wrap, self.drop, self.order]
        make = self.rng.choice(makers)
        return make.__name__ if make() else None

    def nodes(self, *kinds):
        return [node for node in self.schedule.tree.walk() if node.kind() in kinds]

    def pick(self, nodes):
        return self.rng.choice(nodes) if nodes else None

    def one_of(self, text, pattern, change):
        """The text with one match, found by lot, changed."""
        found = list(re.finditer(pattern, text))
        if not found:
            return text
        at = self.rng.choice(found)
        return text[: at.start()] + change(at) + text[at.end() :]

    def number(self, value):
        if self.rng.random() < 0.05:
            return self.rng.choice(NUMBERS)
        return self.rng.choice([value - 1, value + 1, value + 1, 2 * value, value + 8, 0, 1])

    def quoted(self, text):
        """What is in quotes, changed in one place: a number, a relation, a sign, a condition more or less."""
        changes = [
            lambda t: self.one_of(t, r"(?<![\w.])\d+", lambda m: str(self.number(int(m[0])))),
            lambda t: self.one_of(t, r"(?<![\w.])\d+", lambda m: str(self.number(int(m[0])))),
            lambda t: self.one_of(t, r"(?<= )(<=|>=|<|>|=)(?= )", lambda m: self.rng.choice(["<", "<=", ">", ">=", "="])),
            lambda t: self.one_of(t, r"(?<= )([+-])(?= )", lambda m: "-" if m[0] == "+" else "+"),
            lambda t: self.one_of(t, r"(?<=[;{])[^;{}]*;", lambda m: ""),
            lambda t: self.one_of(t, r" and [^;]*?(?= and | or |;| \})", lambda m: ""),
            lambda t: self.one_of(t, r"(?<=: )", lambda m: f"({self.condition(t)}) and "),
            lambda t: self.one_of(t, r"(?<=[a-zA-Z]\])(?= \}|;)", lambda m: f" : {self.condition(t)}"),
        ]
        return self.rng.choice(changes)(text)

    def condition(self, text):
        names = re.findall(r"\[([^\]]*)\] :", text) + re.findall(r"\[([^\]]*)\]", text)
        names = [n for n in re.findall(r"[a-z]\w*", names[-1] if names else "") if n != "floor"]
        name = self.rng.choice(names or ["R"])
        return self.rng.choice([f"{name} > 3", f"{name} mod 2 = 0", f"{name} < 5", f"{name} >= 0", f"{name} mod 3 = 1 or {name} > 7"])

    def text(self):
        kinds = ("poly.domain", "poly.filter", "poly.band", "poly.extension", "poly.expansion")
        node = self.pick(self.nodes(*kinds))
        before = node.head
        node.head = re.sub(r'"([^"]*)"', lambda m: f'"{self.quoted(m[1])}"', node.head, count=1)
        return node.head != before

    # --- memory ---

    def alloc(self):
        node = self.pick([node for node in self.schedule.tree.walk() if node.allocs])
        if not node:
            return False
        at = self.rng.randrange(len(node.allocs))
        before = line = node.allocs[at]
        what = self.rng.choice(["size", "size", "at", "space", "fold", "pool", "drop", "move", "turn", "whole"])
        if what == "size":
            line = re.sub(r"size \[.*?\]", lambda m: self.one_of(m[0], r"\d+", lambda n: str(min(4096, max(1, self.number(int(n[0])))))), line)
        elif what == "at":
            line = re.sub(r'"\{?[^"]*->[^"]*"', lambda m: self.quoted(m[0]), line)
        elif what == "space":
            line = re.sub(r'in "\w+"', f'in "{self.rng.choice(["output", "heap", "stack", "thread"])}"', line)
        elif what == "fold" and "size [" in line:
            size = re.search(r"size \[(.*?)\]", line)[1].split(", ")
            fold = [s if self.rng.random() < 0.5 else "0" for s in size]
            line = re.sub(r" fold \[.*?\]", "", line).replace("]", f"] fold [{', '.join(fold)}]", line.count("]"))
            line = re.sub(r"(size \[.*?\])(.*)$", rf"\1 fold [{', '.join(fold)}]", re.sub(r" fold \[.*?\]", "", before))
        elif what == "pool":
            line = re.sub(r" pool \d+", "", line) if " pool " in line else line + " pool 0"
        elif what == "turn" and " at " not in line:
            line = re.sub(r" turn \d+", "", line) if " turn " in line else line + " turn 0"
        elif what == "whole":
            line = re.sub(r" at .*", "", line)
        if what == "drop":
            del node.allocs[at]
            return True
        if what == "move":
            del node.allocs[at]
            to = self.pick(self.nodes("poly.domain", "poly.filter", "poly.band", "poly.mark"))
            to.allocs.insert(self.rng.randint(0, len(to.allocs)), line)
            return to is not node
        node.allocs[at] = line
        return line != before

    # --- bands ---

    def members(self, band):
        """The text of each member, and what is around the list of them."""
        found = re.match(r'(.*<"[^"{]*\[)(\{.*\})(\].*)$', band.head)
        return (found[1], re.split(r"(?<=\}), (?=\{)", found[2]), found[3]) if found else (None, [], None)

    def band(self):
        band = self.pick(self.nodes("poly.band"))
        if not band:
            return False
        begin, members, end = self.members(band)
        if not members:
            return False
        at = self.rng.randrange(len(members))
        what = self.rng.choice(["negate", "shift", "cut", "reverse", "drop", "split", "swap", "double", "restrict", "sum"])
        function = r"-> \[\((.*?)\)\](?=;| \}| :)"
        if what == "negate":
            members[at] = self.one_of(members[at], function, lambda m: f"-> [(-({m[1]}))]")
        elif what == "shift":
            number = self.number(self.rng.choice([1, 2, 3]))
            members[at] = self.one_of(members[at], function, lambda m: f"-> [({m[1]} + {number})]")
        elif what == "double":
            members[at] = self.one_of(members[at], function, lambda m: f"-> [(2*({m[1]}))]")
        elif what == "cut":
            members[at] = re.sub(function, lambda m: f"-> [(floor(({m[1]})/3))]", members[at])
        elif what == "restrict":
            members[at] = self.one_of(members[at], r"\)\](?=;| \})", lambda m: f")] : {self.condition(members[at])}")
        elif what == "sum" and len(members) > 1:
            other = re.findall(function, members[at - 1])
            members[at] = re.sub(function, lambda m: f"-> [({m[1]} + {other[0]})]", members[at], count=1) if other else members[at]
        elif what == "reverse":
            members.reverse()
        elif what == "swap":
            self.rng.shuffle(members)
        elif what == "drop" and len(members) > 1:
            del members[at]
        elif what == "split" and len(members) > 1:
            inner = Node(begin + ", ".join(members[1:]) + re.sub(r" (permutable|coincident \[.*?\]|tile \[.*?\])", "", end))
            inner.children, band.children = band.children, [inner]
            members = members[:1]
        else:
            return False
        end = end if len(members) == len(self.members(band)[1]) else re.sub(r" (coincident|tile) \[.*?\]", "", end)
        before, band.head = band.head, begin + ", ".join(members) + end
        return band.head != before

    # --- nodes ---

    def filters(self):
        """Exchanges, doubles, takes away or joins the children of a sequence."""
        node = self.pick(self.nodes("poly.sequence", "poly.set"))
        if not node or not node.children:
            return False
        what = self.rng.choice(["swap", "swap", "shuffle", "drop", "double", "set"])
        at = self.rng.randrange(len(node.children))
        if what == "swap" and len(node.children) > 1:
            other = at - 1
            node.children[at], node.children[other] = node.children[other], node.children[at]
        elif what == "shuffle":
            self.rng.shuffle(node.children)
        elif what == "drop" and len(node.children) > 1:
            del node.children[at]
        elif what == "double":
            node.children.insert(self.rng.randint(0, len(node.children)), node.children[at].copy())
        elif what == "set":
            node.head = "poly.set" if node.kind() == "poly.sequence" else "poly.sequence"
        else:
            return False
        return True

    def wrap_child(self, head):
        node = self.pick([n for n in self.schedule.tree.walk() if len(n.children) == 1 and n.kind() not in ("poly.schedule", "poly.sequence", "poly.set")])
        if not node:
            return False
        inner = Node(head)
        inner.children, node.children = node.children, [inner]
        return True

    def mark(self):
        bands = [n for n in self.schedule.tree.walk() if n.children and n.children[0].kind() == "poly.band" and n.kind() not in ("poly.sequence", "poly.set")]
        node = self.pick(bands)
        if not node:
            return False
        name = re.search(r"\{ (\w+)\[", node.children[0].head)
        inner = Node(f"poly.mark {self.rng.choice(MARKS)}".replace("NAME", name[1] if name else "none"))
        inner.children, node.children = node.children, [inner]
        return True

    def unmark(self):
        return self.splice("poly.mark")

    def drop(self):
        return self.splice("poly.band", "poly.extension", "poly.expansion", "poly.filter")

    def splice(self, *kinds):
        """Takes a node away that has one child, which stays."""
        found = [(n, i) for n in self.schedule.tree.walk() for i, c in enumerate(n.children) if c.kind() in kinds and len(c.children) <= 1]
        if not found:
            return False
        node, at = self.rng.choice(found)
        node.allocs += node.children[at].allocs
        node.children[at : at + 1] = node.children[at].children
        return True

    def wrap(self):
        """A band, of a node elsewhere, is put around another node."""
        other = self.pick(self.nodes("poly.band"))
        return self.wrap_child(other.head) if other else False

    def order(self):
        """A node and the only one inside it change places."""
        nodes = [n for n in self.schedule.tree.walk() for _ in [0] if len(n.children) == 1 and n.kind() in ("poly.band", "poly.mark")]
        node = self.pick([n for n in nodes if n.children[0].kind() in ("poly.band", "poly.mark")])
        if not node:
            return False
        inner = node.children[0]
        node.head, inner.head = inner.head, node.head
        return True


def mutate(rng, schedule):
    """Another schedule, and the names of what was changed."""
    other, names = schedule.copy(), []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        name = None
        for _ in range(20):
            name = name or Mutation(rng, other).apply()
        names.append(str(name))
    return other, names


# --- what the tools say ---


class Failure(Exception):
    pass


class TooLong(Failure):
    pass


class Tools:
    def __init__(self, folder):
        self.folder = folder

    def run(self, *command):
        command = [os.path.join(self.folder, command[0]) if self.folder else command[0], *command[1:]]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            raise TooLong(f"more than {TIMEOUT} s: {' '.join(command)}")
        if done.returncode not in (0, 1):
            raise Failure(f"exit status {done.returncode}: {' '.join(command)}\n{done.stderr}")
        return done

    def accepts(self, *command):
        return self.run(*command).returncode == 0


class Base:
    """A schedule, and the arguments of calls with which its loops run."""

    def __init__(self, tools, path, calls):
        self.tools, self.path = tools, path
        with open(path, encoding="utf-8") as file:
            self.schedule = Schedule(file.read())
        self.calls = [call for call in calls if tools.accepts("pm-interp", path, *call)]

    def gives_values(self, path, loops, call):
        """Whether the loops do; those over large numbers of iterations without points are not run to their end."""
        try:
            return self.tools.accepts("pm-interp", path, f"--compare={loops}", *call)
        except TooLong:
            return True

    def check(self, text, path):
        """(kind, message) of what the tools say of a mutant."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        loops = path + ".loops.pmir"
        if not self.tools.accepts("pm-opt", path, "-o", os.devnull):
            return "unread", ""
        proven = self.tools.run("pm-opt", path, VERIFY, "-o", os.devnull)
        lowered = self.tools.run("pm-opt", path, "--pass-pipeline=lower-poly", "-o", loops)
        accepted = proven.returncode == 0
        if accepted and lowered.returncode:
            raise Failure(f"verify-schedule accepts what lower-poly does not: {lowered.stderr}")
        wrong = [call for call in self.calls if lowered.returncode or not self.gives_values(path, loops, call)]
        if accepted and wrong:
            raise Failure(f"verify-schedule accepts wrong loops: pm-interp {path} --compare={loops} {' '.join(wrong[0])}")
        if accepted:
            return "accepted", ""
        return ("refused by both" if lowered.returncode else "wrong" if wrong else "never wrong"), fuzz_pipelines.first_error(proven.stderr)


def sizes_of(text):
    """Options for calls with some sizes, of a file."""
    names = re.findall(r"stage\.param @(\w+)", text)
    return [[f"--param={name}={length}" for name in names] for length in LENGTHS] if names else [[]]


def base_of_file(tools, path, folder):
    expanded = os.path.join(folder, os.path.basename(path))
    done = tools.run("pm-opt", path, "--pass-pipeline=stage.pipeline(expand-statements)", "-o", expanded)
    if done.returncode:
        return None
    with open(expanded, encoding="utf-8") as file:
        text = file.read()
    return Base(tools, expanded, sizes_of(text)) if "poly.schedule" in text else None


def base_of_seed(tools, seed, folder):
    options = argparse.Namespace(sizes=3, tools=tools.folder)
    case = fuzz_pipelines.Case(seed, options, folder)
    passes = case.random_passes().partition(",verify-schedule")[0].partition(",lower-poly")[0].rstrip(")") + ")"
    if "expand-statements" not in passes:
        passes = passes[:-1] + ",expand-statements)"
    path = os.path.join(folder, "schedule.pmir")
    done = tools.run("pm-opt", case.original, f"--pass-pipeline={passes}", "-o", path)
    return None if done.returncode else Base(tools, path, [case.call_options(call) for call in case.calls])


def check_base(arguments):
    """(kind, message) of all mutants of a file or seed."""
    what, options = arguments
    tools, found = Tools(options.tools), []
    folder = tempfile.mkdtemp(prefix=f"{os.path.basename(str(what))}-", dir=options.keep or None)
    kept = False
    try:
        base = base_of_file(tools, what, folder) if isinstance(what, str) else base_of_seed(tools, what, folder)
        for number in range(options.mutants if base and base.calls else 0):
            rng = random.Random(f"{os.path.basename(str(what))} {number}")
            mutant, names = mutate(rng, base.schedule)
            path = os.path.join(folder, f"{number}.pmir")
            try:
                found.append(base.check(mutant.text(), path))
            except Failure as failure:
                kept = True
                found.append(("failure", f"{path} ({', '.join(names)}): {failure}"))
        if not (base and base.calls):
            found.append(("no schedule", str(what)))
    except Failure as failure:
        found.append(("failure", str(failure)))
    if not (options.keep and (kept or options.verbose)):
        shutil.rmtree(folder)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*")
    parser.add_argument("--seeds", default="")
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tools", default="")
    parser.add_argument("--keep", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    kinds, messages = collections.Counter(), collections.Counter()
    bases = options.files + (fuzz_pipelines.seeds_of(options.seeds) if options.seeds else [])
    with multiprocessing.Pool(options.jobs) as pool:
        for found in pool.imap_unordered(check_base, [(base, options) for base in bases]):
            for kind, message in found:
                kinds[kind] += 1
                if kind == "failure":
                    print(message[:600], flush=True)
                elif message:
                    messages[kind, message] += 1
    if options.verbose:
        for (kind, message), count in messages.most_common():
            print(f"{count} {kind}: {message}")
    read = sum(kinds[k] for k in ("accepted", "refused by both", "wrong", "never wrong"))
    print("\n".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    print(f"{read} mutants, {kinds['failure']} failures")
    sys.exit(1 if kinds["failure"] else 0)


if __name__ == "__main__":
    main()
