"""What runs on a machine with a GPU: the folder of bench/gpu-day has it as `run`. Python with numpy, a C compiler and the
device's driver are all that it needs there.

  run [--out DIR]        kernels: copies, values, times, other libraries, pm-tune: 8 minutes at most
  run --cpu [--out DIR]  the targets c and llvm on the processors: 6 minutes at most
  run --rehearse …       tiny pictures, on whatever device there is

What it finds is in DIR (results) while it runs: results.json, table.md, failures.txt. It ends with the table. The exit status
is 1 if something failed, and 2 if nothing was begun.
"""
import argparse
import concurrent.futures
import glob
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

if sys.version_info < (3, 11) or not importlib.util.find_spec("numpy"):
    sys.exit(f"run: {sys.executable} should be Python 3.11 or later with numpy")

import calling  # noqa: E402
import peers  # noqa: E402
from arguments import pattern  # noqa: E402
from gpu_rows import ALL  # noqa: E402
from results import Results  # noqa: E402

# Seconds of the whole, of each part, and of a job of it. What a part leaves is the next one's; the last one has what is left of
# all. A rehearsal takes its time, but no job of it: PoCL needs hours for some kernels with many barriers.
WHOLE, WHOLE_CPU = 470, 350
LIMITS = {"build": (60, 60), "copy": (20, 20), "values": (110, 60), "rows": (190, 45), "peers": (60, 30), "tune": (60, 60)}
LIMITS_CPU = {"build": (150, 150), "processor": (WHOLE_CPU, 60)}
SLOWER, REHEARSED = 20, 30

SIZES, SMALL_SIZES = ["4096x4096", "16384x16384"], ["64x96"]
CHECKED_SIZE = "4096x4096"  # rows of this size are compared with the target c's values
COPIED, SMALL_COPIED = 1 << 30, 1 << 22
CALLS, SMALL_CALLS = 20, 2
THREADS = [1, 2, 4, 8, 16]

# Where drivers put NVIDIA's OpenCL and tools, beside what the system finds.
DRIVERS = ["/usr/local/nvidia/**", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/cuda/compat"]
TOOLS = ["/usr/local/nvidia/bin", "/usr/local/cuda/bin", "/usr/sbin"]


# --- other processes ---


class Children:
    """Processes that run, each the first of a group, and whether more may begin. They end with this one, however it ends."""

    running, ended = set(), False
    begin = ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv") else []

    @classmethod
    def end(cls):
        cls.ended = True
        for process in list(cls.running):
            cls.kill(process)

    @staticmethod
    def kill(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run_command(command, limit, environment=None):
    """(exit status, standard output, standard error); after `limit` seconds the processes are killed, and the status is None."""
    if Children.ended:
        return None, "", "the run was stopped"
    process = subprocess.Popen([*Children.begin, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL, text=True, errors="replace", env=environment, process_group=0)
    Children.running.add(process)
    try:
        out, err = process.communicate(timeout=max(limit, 0.1))
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        Children.kill(process)
        out, err = process.communicate()
        return None, out, err
    finally:
        Children.running.discard(process)


def run_job(kind, arguments, limit):
    """The job's record, or one with an error."""
    command = [sys.executable, "-B", os.path.join(HERE, "jobs.py"), kind, json.dumps(arguments)]
    status, out, err = run_command(command, limit)
    if status is None:
        return {"late": f"not done after {limit:.0f} s\n{err[-4000:]}"}
    try:
        return json.loads(out.splitlines()[-1])
    except (IndexError, ValueError):
        why = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
        return {"error": f"{why}\n{err[-8000:]}"}


# --- the run ---


class Run:
    def __init__(self, a, manifest):
        self.a, self.manifest = a, manifest
        self.slow = SLOWER if a.rehearse else 1
        self.end = time.monotonic() + self.slow * (WHOLE_CPU if a.cpu else WHOLE)
        self.spare = 0  # seconds that parts have left
        self.workers = min(os.cpu_count(), 16)
        self.made, self.lock = {}, threading.Lock()
        self.has_device, self.maker = False, None
        self.sizes = SMALL_SIZES if a.rehearse else SIZES
        self.calls = SMALL_CALLS if a.rehearse else CALLS
        self.optimized = "-O0" if a.rehearse else "-O1"  # what calls OpenCL, which compiles the kernels by itself
        self.results = Results(a.out, {})
        self.work = tempfile.mkdtemp(prefix="gpu-day-")
        self.pictures = self.picture_folder()
        self.environment()
        self.results.tell(self.about())

    def picture_folder(self):
        """In memory, where there is enough."""
        shared = "/dev/shm"
        roomy = os.path.isdir(shared) and os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 24 << 30
        return tempfile.mkdtemp(prefix="gpu-day-", dir=shared if roomy else self.work)

    def environment(self):
        """Of all jobs: NVIDIA's OpenCL by a file of our own, unless the caller names devices or rehearses where there is none;
        kernels are kept for this run."""
        os.makedirs(f"{self.work}/kept", mode=0o700)
        os.environ.update(PM_CACHE_DIR=f"{self.work}/kept", CUDA_CACHE_PATH=f"{self.work}/cuda", PYTHONDONTWRITEBYTECODE="1")
        os.environ["PATH"] = ":".join([os.environ.get("PATH", "/usr/bin:/bin"), *TOOLS])
        if not shutil.which("cc"):
            os.makedirs(f"{self.work}/bin")
            os.symlink(shutil.which("gcc") or "/usr/bin/gcc", f"{self.work}/bin/cc")
            os.environ["PATH"] = f"{self.work}/bin:{os.environ['PATH']}"
        found = [p for name in ("libnvidia-opencl.so.1", "libnvidia-opencl.so.*") for d in DRIVERS
                 for p in sorted(glob.glob(f"{d}/{name}", recursive=True))]
        if "OCL_ICD_VENDORS" not in os.environ and (found or not self.a.rehearse):
            with open(f"{self.work}/nvidia.icd", "w", encoding="utf-8") as file:
                file.write((found or ["libnvidia-opencl.so.1"])[0] + "\n")
            os.environ["OCL_ICD_VENDORS"] = f"{self.work}/nvidia.icd"
            if found:
                paths = [os.path.dirname(found[0]), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
                os.environ["LD_LIBRARY_PATH"] = ":".join(paths)

    def about(self):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = re.findall(r"model name\s*: (.*)", file.read())
        processor = f"{names[0] if names else 'an unknown processor'}, {os.cpu_count()} at a time"
        said = {"device": processor if self.a.cpu else "no device", "processor": processor, "date": time.strftime("%Y-%m-%d %H:%M"),
                "commit": self.manifest["commit"], "filter": self.a.filter.pattern or "none",
                "rehearsal": "yes, times mean nothing" if self.a.rehearse else "no"}
        asked = "name,driver_version,memory.total,clocks.sm,clocks.mem,temperature.gpu"
        for key, line, command in (
                ("nvidia-smi", -1, ["nvidia-smi", f"--query-gpu={asked}", "--format=csv"]), ("nvcc", -1, [peers.nvcc(), "--version"]),
                ("cupy", 0, [sys.executable, "-c", "import cupy; print(cupy.__version__)"]), ("cc", 0, ["cc", "--version"])):
            status, out, _ = run_command(command, 20) if command[0] else (1, "", "")
            if status == 0 and out.strip():
                said[key] = out.strip().splitlines()[line]
        return said

    def wanted(self, names):
        return [n for n in names if self.a.filter.search(n)]

    # --- parts ---

    def part(self, name, action):
        """Until its time or that of the whole has ended; what fails in it is a failure of its own."""
        begin = time.monotonic()
        limits = LIMITS_CPU if self.a.cpu else LIMITS
        seconds, limit = limits[name]
        self.part_end = min(begin + self.slow * seconds + self.spare, self.end) if name != list(limits)[-1] else self.end
        self.job_limit = REHEARSED if self.a.rehearse and name != "build" else limit
        try:
            action()
        except Exception as why:  # pylint: disable=broad-exception-caught
            self.add(name, {"name": name, "error": f"{type(why).__name__}: {why}"})
        self.spare = max(0, self.part_end - time.monotonic())
        self.results.end_part(name, time.monotonic() - begin)

    def add(self, part, record, log=""):
        """What a stop has cut off is no result."""
        if not Children.ended:
            self.results.add(part, record, log)

    def left(self):
        """Seconds that a job may take; 0: there is no time for another one."""
        left = self.part_end - time.monotonic()
        return min(left, self.job_limit) if left > 1 else 0

    def job(self, part, record, kind, arguments, log=lambda: ""):
        """Runs a job and adds what comes of it to its record; the new one is added to the part."""
        limit = self.left()
        if limit:
            record = record | run_job(kind, arguments, limit)
            if "late" in record:  # a failure where it had all the time of a job
                cut_off = self.a.rehearse or limit < self.job_limit
                record["skipped" if cut_off else "error"] = record.pop("late")
        else:
            record = record | {"skipped": "the time of this part had ended"}
        self.add(part, record, log() if "error" in record else "")
        return record

    def in_parallel(self, calls, workers):
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for done in [pool.submit(*call) for call in calls]:
                done.result()

    # --- building ---

    def tool(self, name, arguments, limit, before=()):
        paths = [os.path.join(FOLDER, "lib"), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(paths), "CPATH": os.path.join(FOLDER, "include")}
        return run_command([*before, os.path.join(FOLDER, "bin", name), *arguments], limit, environment)

    def take(self, key, made, ended):
        """Notes the object file, or what went wrong."""
        status, _, err = ended
        with self.lock:
            self.made[key] = made if status == 0 else None
        if status != 0:
            self.add("build", {"name": key, "error": f"{'not done in time' if status is None else 'refused'}\n{err[-4000:]}"})

    def compile(self, key, source):
        made = f"{self.work}/{key}.so"
        command = ["cc", "-std=gnu11", self.optimized, "-shared", "-fPIC", "-I", os.path.join(FOLDER, "include"),
                   os.path.join(FOLDER, source), "-o", made, "-lm", "-ldl", "-lpthread"]
        self.take(key, made, run_command(command, self.left()))

    def compile_program(self, key, f, options):
        """By the target c, for this processor."""
        made = f"{self.work}/{key}.so"
        command = [os.path.join(FOLDER, f["program"]), "--target=c", "--name=pipeline", *f["options"], *options, "-o", made]
        self.take(key, made, self.tool("pmc", command, self.left()))

    def compile_cuda(self, name):
        made = f"{self.work}/{name}.cu.so"
        self.take(f"cuda-{name}", made, run_command(peers.cuda_command(name, made), self.left()))

    def build(self):
        m = self.manifest
        self.libraries = self.find_libraries()
        work = [(self.compile, f"strict-{n}", m["functions"][n]["source"]) for n in self.wanted(m["functions"])]
        work += [(self.compile, f"measured-{n}", m["measured"][n]["source"]) for n in self.wanted(m["measured"])]
        work += [(self.compile_program, f"host-{n}", m["measured"][n], []) for n in self.wanted(m["measured"])]
        work += [(self.compile_cuda, n) for n in peers.BY_HAND if not self.libraries["cuda"]]
        self.in_parallel(work, self.workers)

    # --- kernels ---

    def copy(self):
        program = f"{self.work}/copy"
        define = f'-DPROGRAM="{FOLDER}/c/scale.c"'
        command = ["cc", "-std=gnu11", "-O2", define, "-DCL_TARGET_OPENCL_VERSION=120", "-I", f"{FOLDER}/include",
                   f"{FOLDER}/bench/device/copy.c", "-o", program, f"{FOLDER}/lib/libOpenCL.so.1", f"-Wl,-rpath,{FOLDER}/lib", "-lm", "-ldl", "-lpthread"]
        status, out, err = run_command(command, self.left())
        if status == 0:
            status, out, err = run_command([program, str(SMALL_COPIED if self.a.rehearse else COPIED)], self.left())
        if status != 0:
            found = [os.path.basename(p) for d in DRIVERS for p in sorted(glob.glob(f"{d}/libnvidia-*.so*", recursive=True))]
            error = f"exit status {status}: {err[-4000:]}\nlibraries of NVIDIA: {' '.join(found)}"
            self.add("copy", {"name": "copy", "error": error})
            return
        said = json.loads(out)
        self.has_device = True
        self.results.tell({"device": said["device"], "opencl driver": said["driver"]})
        for name, key in (("a kernel of float4", "kernel_s"), ("clEnqueueCopyBuffer", "call_s")):
            record = {"name": name, "bytes": said["bytes"], "seconds": said[key], "bytes_per_second": 2 * said["bytes"] / said[key]}
            self.add("copy", record)

    def log_of(self, f):
        """What belongs to a failure: the program and its kernels."""
        kernels, options = calling.kernel_text(os.path.join(FOLDER, f["source"]))
        with open(os.path.join(FOLDER, f["program"]), encoding="utf-8") as file:
            program = file.read()
        return (f"--- {f['program']} {' '.join(f['options'])}\n{program}\n"
                f"--- {f['source']}: kernels, built with {options}\n{kernels}")

    def check(self, name, strict):
        function = self.manifest["functions"].get(name, {"cases": []})
        f = self.manifest["functions" if strict else "measured"][name]
        made = self.made.get(f"{'strict' if strict else 'measured'}-{name}")
        if not made:
            return
        arguments = {"object": made, "arguments": f["arguments"], "source": os.path.join(FOLDER, f["source"]), "strict": strict,
                     "cases": function["cases"]}
        record = {"name": name if strict else f"{name} (measured)"}
        record = self.job("values", record, "values" if strict else "kernels", arguments, lambda: self.log_of(f))
        if "resources" in record:
            self.made[f"resources-{name}"] = record["resources"]

    def by_length(self, functions):
        """Short texts first: what is not done in time are few functions."""
        return sorted(self.wanted(functions), key=lambda n: os.path.getsize(os.path.join(FOLDER, functions[n]["source"])))

    def values(self):
        work = [(self.check, n, False) for n in self.by_length(self.manifest["measured"])]
        work += [(self.check, n, True) for n in self.by_length(self.manifest["functions"])]
        self.in_parallel(work, max(1, self.workers - self.workers // 4))

    def inputs(self, name, size):
        """The folder of a row's inputs. Rows with the same inputs share it."""
        return os.path.join(self.pictures, f"{ALL[name].inputs.__name__}-{size}")

    def begin_inputs(self):
        """While values are compared."""
        rows = self.wanted(self.manifest["measured"])
        self.maker = concurrent.futures.ThreadPoolExecutor(max(1, self.workers // 4))
        self.inputs_made = {}
        for size in self.sizes:
            for name in rows:
                folder = self.inputs(name, size)
                if folder not in self.inputs_made:
                    arguments = {"name": name, "size": size, "folder": folder}
                    self.inputs_made[folder] = self.maker.submit(run_job, "inputs", arguments, 120 * self.slow)

    def wait_for_inputs(self, name, size):
        """The folder, and what a record has to say if there is none."""
        folder = self.inputs(name, size)
        try:
            made = self.inputs_made[folder].result(timeout=max(1, self.part_end - time.monotonic()))
        except concurrent.futures.TimeoutError:
            return folder, {"skipped": "its inputs are not made yet"}
        why = made.get("error") or made.get("late")
        return folder, {"error": f"no inputs: {why}"} if why else {}

    def kept_result(self, name, size):
        return f"{self.pictures}/{name}-{size}.npy" if name in peers.ROWS.values() and size == self.checked_size() else ""

    def checked_size(self):
        return self.sizes[0] if self.a.rehearse else CHECKED_SIZE

    def row(self, name, size):
        f, record = self.manifest["measured"][name], {"name": name, "size": size}
        made, host = self.made.get(f"measured-{name}"), self.made.get(f"host-{name}")
        if not made:
            return
        folder, fault = self.wait_for_inputs(name, size)
        if fault:
            self.add("rows", record | fault)
            return
        arguments = {"name": name, "size": size, "object": made, "arguments": f["arguments"], "inputs": folder, "calls": self.calls,
                     "host": host if size == self.checked_size() else None, "keep": self.kept_result(name, size)}
        record["resources"] = self.made.get(f"resources-{name}", {})
        self.job("rows", record, "row", arguments, lambda: self.log_of(f))

    def rows(self):
        for size in self.sizes:
            for name in self.wanted(self.manifest["measured"]):
                self.row(name, size)

    # --- other libraries ---

    def find_libraries(self):
        """Those that are here, and why the others are not."""
        found = {}
        if self.a.rehearse:
            found["scipy"] = "" if importlib.util.find_spec("scipy") else "no scipy"
        gpu = bool(shutil.which("nvidia-smi")) and run_command(["nvidia-smi"], 20)[0] == 0
        found["cupy"] = "no GPU of NVIDIA" if not gpu else "" if importlib.util.find_spec("cupy") else "no cupy"
        found["cuda"] = "no GPU of NVIDIA" if not gpu else "" if peers.nvcc() else "no nvcc"
        return found

    def peer(self, library, name, size):
        record = {"name": name, "library": library, "size": size, "row": peers.ROWS[name]}
        made = self.made.get(f"cuda-{name}")
        if library == "cuda" and not made:
            return
        folder, fault = self.wait_for_inputs(peers.ROWS[name], size)
        if fault:
            self.add("peers", record | fault)
            return
        arguments = {"name": name, "library": library, "calls": self.calls, "object": made, "inputs": folder,
                     "ours": self.kept_result(peers.ROWS[name], size)}
        self.job("peers", record, "peer", arguments)

    def others(self):
        names = [n for n, row in peers.ROWS.items() if self.made.get(f"measured-{row}")]
        for library, why in self.libraries.items():
            if why:
                self.add("peers", {"name": "all", "library": library, "skipped": why})
        for size in self.sizes:
            for name in names:
                for library in (n for n, why in self.libraries.items() if not why):
                    self.peer(library, name, size)

    # --- pm-tune ---

    def tune_one(self, name, size, seconds):
        f, record = self.manifest["measured"][name], {"name": name, "size": size}
        made = f"{self.work}/{name}.tuned.json"
        scalars = [f"--param={n}={v}" for n, v in ALL[name].scalars.items()]
        options = [o for o in f["options"] if not o.startswith("--estimate")]
        files = [f"--in={os.path.basename(p)[:-4]}={p}" for p in glob.glob(f"{self.inputs(name, size)}/*.npy")]
        command = [os.path.join(FOLDER, f["program"]), "--target=opencl", "--cflags=-O1", *options, *scalars, *files,
                   f"--time={0.7 * seconds:.0f}", f"--limit={0.5 * seconds:.0f}", "-o", made,
                   *(["--builds=1"] if self.a.rehearse else [])]
        status, _, err = self.tool("pm-tune", command, seconds, ["timeout", "--kill-after=1", f"{seconds - 2:.0f}"])
        if not os.path.exists(made):
            return record | {"error": f"pm-tune: exit status {status}\n{err[-4000:]}"}
        with open(made, encoding="utf-8") as file:
            entry = json.load(file)["entries"][0]
        return record | {"default_s": entry["default_seconds"], "best_s": entry["seconds"], "settings": entry["settings"],
                         "builds": sum(trial["state"] == "measured" for trial in entry["trials"])}

    def tune(self):
        names = [n for n in self.wanted(self.manifest["tuned"]) if self.made.get(f"measured-{n}")]
        for i, name in enumerate(names):
            seconds = (self.part_end - time.monotonic()) / (len(names) - i) - 5
            record = {"name": name, "size": self.sizes[0]}
            if seconds < 5 or not os.path.isdir(self.inputs(name, self.sizes[0])):
                self.add("tune", record | {"skipped": "the time had ended"})
                continue
            self.add("tune", self.tune_one(name, self.sizes[0], seconds))

    # --- processors ---

    def build_processor(self):
        shutil.copy(f"{HERE}/processor.json", self.work)
        machine = f"{self.work}/processor.json"
        self.in_parallel([(self.compile_program, f"host-{n}", self.manifest["processor"][n], ["--machine", machine])
                          for n in self.wanted(self.manifest["processor"])], self.workers)

    def fits(self, name, size):
        """The program for pictures of this size is that of small ones."""
        constants = [ALL[name].constants_for(*(int(n) for n in s.split("x"))) for s in (size, ALL[name].odd)]
        return constants[0] == constants[1]

    def processor(self):
        threads = [n for n in THREADS if n <= os.cpu_count()]
        for name in self.wanted(self.manifest["processor"]):
            f, made = self.manifest["processor"][name], self.made.get(f"host-{name}")
            if not made:
                continue
            size = ALL[name].odd if self.a.rehearse and self.fits(name, f["size"]) else f["size"]
            arguments = {"name": name, "size": size, "object": made, "llvm": os.path.join(FOLDER, f["llvm"]), "threads": threads,
                         "arguments": f["arguments"], "seconds": 0.01 if self.a.rehearse else 0.4}
            self.job("processor", {"name": name, "size": size}, "processor", arguments)

    # --- all ---

    def go(self):
        if self.a.cpu:
            self.part("build", self.build_processor)
            self.part("processor", self.processor)
            return
        self.part("build", self.build)
        self.part("copy", self.copy)
        self.begin_inputs()
        for name, action in (("values", self.values), ("rows", self.rows), ("peers", self.others), ("tune", self.tune)):
            if self.has_device or name == "peers":
                self.part(name, action)
            else:
                self.add(name, {"name": "all", "skipped": "no device"})

    def clean(self):
        """When no job is left that writes."""
        Children.end()
        if self.maker:
            self.maker.shutdown(cancel_futures=True)
        for folder in (self.pictures, self.work):
            shutil.rmtree(folder, ignore_errors=True)


def stop(number, _):
    Children.end()
    raise SystemExit(128 + number)


def parsed():
    parser = argparse.ArgumentParser(prog="run", description="Kernels proven right and measured on this machine's device.")
    parser.add_argument("--out", default="results", help="where the results go (results)")
    parser.add_argument("--cpu", action="store_true", help="the targets c and llvm on the processors")
    parser.add_argument("--rehearse", action="store_true", help="tiny pictures and few calls, which no part ends early")
    parser.add_argument("--filter", type=pattern, default=re.compile(""), help="only rows and programs whose name matches")
    return parser.parse_args()


def checked(a):
    """The manifest, if there is something to do, and no results that would be lost."""
    with open(os.path.join(FOLDER, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    kinds = ["processor"] if a.cpu else ["functions", "measured"]
    if not any(a.filter.search(name) for kind in kinds for name in manifest[kind]):
        sys.exit(f"run: nothing matches '{a.filter.pattern}'")
    if os.path.exists(os.path.join(a.out, "results.json")):
        sys.exit(f"run: '{a.out}' has results already; give another --out")
    try:
        os.makedirs(a.out, exist_ok=True)
        with tempfile.TemporaryFile(dir=a.out):
            return manifest
    except OSError as why:
        sys.exit(f"run: cannot write to '{a.out}': {why.strerror}")


def main():
    a = parsed()
    manifest = checked(a)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    run, how, status = Run(a, manifest), "stopped", 1
    try:
        run.go()
        how, status = "all parts were run", 1 if run.results.failed() else 0
    except SystemExit as ended:
        how, status = f"stopped by signal {ended.code - 128}", ended.code
    finally:
        run.clean()
        run.results.end(how)
    with open(f"{a.out}/table.md", encoding="utf-8") as file:
        print(file.read())
    return status


if __name__ == "__main__":
    sys.exit(main())
