"""What a run has found, on disk at any time: results.json, table.md, failures.txt. Each appears by a rename, so that whoever
ends the run finds whole files.
"""
import json
import os
import threading
import time


def replace(path, text):
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(f"{path}.new", path)


class Results:
    """Records of parts, each a dictionary; one with `error` is a failure, one with `skipped` was not to be had."""

    def __init__(self, folder, about):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.lock, self.begun = folder, threading.Lock(), time.monotonic()
        self.data = {"about": about, "parts": {}, "seconds": {}, "ended": None}
        self.failures = ""
        replace(f"{folder}/failures.txt", "")
        self.save()

    def tell(self, about):
        with self.lock:
            self.data["about"] |= about
            self.save()

    def add(self, part, record, log=""):
        """The log is what a reader of the failure needs."""
        with self.lock:
            self.data["parts"].setdefault(part, []).append(record)
            if "error" in record:
                self.failures += f"=== {part}: {title(record)}\n{record['error']}\n\n{log}\n"
                replace(f"{self.folder}/failures.txt", self.failures)
                print(f"FAIL: {part}: {title(record)}: {record['error'].splitlines()[0]}", flush=True)
            self.save()

    def end_part(self, part, seconds):
        with self.lock:
            self.data["seconds"][part] = round(seconds, 1)
            self.save()
        print(f"{part}: {seconds:.0f} s", flush=True)

    def end(self, how):
        with self.lock:
            self.data["ended"] = how
            self.data["seconds"]["all"] = round(time.monotonic() - self.begun, 1)
            self.save()

    def save(self):
        replace(f"{self.folder}/results.json", json.dumps(self.data, indent=1) + "\n")
        replace(f"{self.folder}/table.md", table(self.data))

    def failed(self):
        return [r for part in self.data["parts"].values() for r in part if "error" in r]


def title(record):
    return " ".join(str(record[n]) for n in ("name", "library", "size") if n in record)


# --- the table ---


def number(value, digits=3):
    return "" if value is None else f"{value:.{digits}g}" if value < 1000 else f"{value:.0f}"


def rows(head, body):
    """Nothing, without a line."""
    if not body:
        return ""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(line) + " |" for line in body]) + "\n"


def milliseconds(record, key):
    return number(1e3 * record[key]) if key in record else ""


def copies(data):
    return max((r["bytes_per_second"] for r in data["parts"].get("copy", []) if "bytes_per_second" in r), default=None)


def short(text):
    return text.splitlines()[0].replace("|", "/")[:100]


def put_nothing(_, __):
    return ""


def put_copy(records, _):
    return rows(["copy by", "MB", "GB/s"], [
        [r["name"], number(r["bytes"] / 1e6), number(1e-9 * r["bytes_per_second"])] for r in records if "bytes" in r])


def put_values(records, _):
    done = [r for r in records if "error" not in r and "skipped" not in r]
    text = (f"{sum(r['calls'] for r in done)} calls of {len(done)} functions, by strict rules and as they are measured, have the"
            " values of the interpreter.\n") if done else ""
    off = [[r["name"], str(r["calls"]), number(r["greatest"])] for r in done if r["greatest"]]
    return text + ("\n" + rows(["rounded otherwise", "calls", "greatest difference"], off) if off else "")


def used(record):
    """The most that a kernel has of each."""
    all_of = list(record.get("resources", {}).values())
    return [str(max((k[n] for k in all_of), default="")) for n in ("registers", "stack", "local")]


def put_rows(records, data):
    copied, body = copies(data), []
    for r in records:
        if "call_s" not in r:
            continue
        speed = r["bytes"] / r["kernels_s"] if r["kernels_s"] else 0
        body.append([
            f"{r['name']} {r['size']}", milliseconds(r, "call_s"), milliseconds(r, "kernels_s"), str(sum(r["launches"].values())),
            number(r["bytes"] / 1e6), number(1e-9 * speed), number(100 * speed / copied) if copied else "", *used(r),
            milliseconds(r, "first_s"), r.get("values", "")])
    return rows(["", "call ms", "kernels ms", "number", "MB", "GB/s", "copy %", "registers", "stack B", "local B", "first ms",
                 "values"], body)


def put_peers(records, data):
    ours = {(r["name"], r["size"]): r for r in data["parts"].get("rows", []) if "kernels_s" in r}
    body = []
    for r in records:
        if "seconds" in r:
            own = ours.get((r["row"], r["size"]), {})
            ratios = [number(r["seconds"] / own[key]) if key in own else "" for key in ("call_s", "kernels_s")]
            body.append([f"{r['name']} {r['size']}", r["library"], milliseconds(r, "seconds"), milliseconds(own, "call_s"),
                         milliseconds(own, "kernels_s"), *ratios, r["values"]])
    return rows(["", "by", "ms", "our call ms", "our kernels ms", "ratio to call", "ratio to kernels", "values"], body)


def put_tune(records, _):
    return rows(["", "default ms", "best ms", "ratio", "builds", "settings"], [
        [f"{r['name']} {r['size']}", milliseconds(r, "default_s"), milliseconds(r, "best_s"), number(r["default_s"] / r["best_s"]),
         str(r["builds"]), " ".join(r["settings"]).replace("|", "/")] for r in records if "best_s" in r])


def put_processor(records, _):
    records = [r for r in records if "c" in r]
    if not records:
        return ""
    threads = sorted({int(n) for r in records for n in r["c"]})
    head = ["", *(f"{target} {n}" for target in ("c", "llvm") for n in threads), "c speed-up", "llvm speed-up", "values"]
    body = []
    for r in records:
        times = [[r[target].get(str(n)) for n in threads] for target in ("c", "llvm")]
        gains = [known[0] / known[-1] if (known := [t for t in row if t]) else None for row in times]
        body.append([f"{r['name']} {r['size']}", *(number(1e3 * t if t else None) for row in times for t in row),
                     *(number(g) for g in gains), r["values"]])
    return rows(head, body)


# In the order of the table: what stands above a part, and what makes its own table.
PARTS = {
    "build": ("Building", put_nothing),
    "copy": ("Copies on the device", put_copy),
    "values": ("Values", put_values),
    "rows": ("Kernels", put_rows),
    "peers": ("Other libraries on the device", put_peers),
    "tune": ("pm-tune", put_tune),
    "processor": ("Targets c and llvm on this processor, ms by number of threads", put_processor),
}


def table(data):
    about = data["about"]
    text = "# " + about.get("device", "no device") + "\n\n"
    text += "".join(f"- {key}: {value}\n" for key, value in about.items() if key != "device")
    ended = data["ended"] or "not yet, or it was killed"
    text += f"- ended: {ended}\n- seconds: " + ", ".join(f"{k} {v}" for k, v in data["seconds"].items()) + "\n"
    for part, (head, put) in PARTS.items():
        records = data["parts"].get(part, [])
        if not records:
            continue
        text += f"\n## {head}\n\n" + put(records, data)
        failed = [[title(r), short(r["error"])] for r in records if "error" in r]
        skipped = [[title(r), short(r["skipped"])] for r in records if "skipped" in r]
        text += "\n" + rows(["failed", "why"], failed) if failed else ""
        text += "\n" + rows(["not done", "why"], skipped) if skipped else ""
    return text
