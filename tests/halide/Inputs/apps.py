"""The programs of bench/pipelines/halide in real Halide 21, in each of their schedules, against what is known of them.

  apps.py PYTHON [APP…]
PYTHON is one that has the package `halide<22`. Seven are compared with our programs of bench/peers (pm-run has to be in
PATH), all others with numpy. With schedule 0 all is inlined but what is updated, so pyramids get few levels there.
"""
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(os.path.dirname(here)))
sys.path[:0] = [here, os.path.join(root, "tests", "lib"), os.path.join(root, "bench")]

import numpy as np

import expect
import halide_values as values
import peers
import reference
import reference_apps

F = np.float32
KINDS = {np.dtype(code): kind for kind, code in values.TYPES.items()}
ROWS, COLS = 200, 304
CAMERA = peers.CAMERA


def colours(rows, cols):
    return peers.colours(rows, cols)["img"]


def raw(rows, cols):
    inputs = peers.raw(rows, cols)
    return {"in": inputs["img"], "m3200": inputs["m3200"], "m7000": inputs["m7000"]}


class App:
    """inputs, outputs: of arrays, x last; peer: the output of bench/peers/NAME.py and how it is cut; check: by numpy."""

    def __init__(self, inputs, outputs, params=None, few=None, peer=None, check=None, near=1e-5, may_differ=0.0):
        self.inputs, self.outputs, self.params, self.few = inputs, outputs, params or {}, few or {}
        self.peer, self.check, self.near, self.may_differ = peer, check, near, may_differ


# --- by numpy ---


def equalised(inputs):
    r, g, b = (plane.astype(F) for plane in inputs["in"])
    y = F(0.299) * r + F(0.587) * g + F(0.114) * b
    cr, cb = (r - y) * F(0.713) + 128, (b - y) * F(0.564) + 128
    bins = np.clip(y, 0, 255).astype(int)
    cdf = np.cumsum(np.bincount(bins.ravel(), minlength=256)).astype(F)
    eq = np.clip(cdf[bins] * (F(255) / F(y.size)), 0, 255)
    planes = [eq + (cr - 128) * F(1.4), eq - F(0.343) * (cb - 128) - F(0.711) * (cr - 128), eq + F(1.765) * (cb - 128)]
    return {"out": np.clip(planes, 0, 255).astype(np.uint8)}


def recursive(inputs, alpha=F(0.1)):
    f = inputs["in"]
    for _ in range(2):
        g = f.copy()
        for y in range(1, g.shape[1]):
            g[:, y] = (1 - alpha) * g[:, y - 1] + alpha * f[:, y]
        for y in range(g.shape[1] - 2, -1, -1):
            g[:, y] = (1 - alpha) * g[:, y + 1] + alpha * g[:, y]
        f = g.transpose(0, 2, 1).copy()
    return {"blurred": f}


def boxes(levels):
    def check(inputs):
        rows, cols = inputs["in"].shape
        scale = 1 << levels
        level = np.pad(inputs["in"], ((0, -rows % scale), (0, -cols % scale)), "edge")
        total = level.astype(F)
        for l in range(1, levels + 1):
            four = sum(level[i::2, j::2].astype(np.uint16) for i in (0, 1) for j in (0, 1))
            level = ((four + 2) // 4).astype(np.uint8)
            total = total + level.repeat(1 << l, 0).repeat(1 << l, 1).astype(F)
        return {"coarse": level, "mean": total[:rows, :cols] / F(levels + 1)}
    return check


PICTURE = colours(ROWS, COLS)
DEEP = reference.pixels(3, ROWS, COLS).astype(np.uint16) * np.uint16(257)
ALPHA = peers.with_alpha(ROWS, COLS)["img"]
GRAY = reference.unit(reference.pixels(1, ROWS, COLS)[0])

APPS = {
    "blur": App({"in": DEEP[0]}, {"blurred": (ROWS - 2, COLS - 2)},
                peer=("by", lambda a: a)),
    # The peer's response begins at (3, 3), ours at (2, 2).
    "harris": App({"in": PICTURE}, {"response": (ROWS - 4, COLS - 4)}, near=2e-4,
                  peer=("corners", lambda a: a[3:-3, 3:-3] if a.shape == (ROWS, COLS) else a)),
    "unsharp": App({"in": PICTURE}, {"sharpened": (3, ROWS, COLS)}, near=2e-4, peer=("unsharp", lambda a: a)),
    "bilateral_grid": App({"in": GRAY}, {"filtered": (ROWS, COLS)}, {"r_sigma": 0.1}, peer=("filtered", lambda a: a)),
    "camera_pipe": App(raw(ROWS, COLS), {"processed": (3, (ROWS - 24) // 32 * 32, (COLS - 32) // 32 * 32)}, CAMERA,
                       peer=("processed", lambda a: a)),
    "local_laplacian": App({"in": DEEP}, {"out": (3, ROWS, COLS)}, {"intensities": 8, "alpha": 1 / 7, "beta": 1.0},
                           few={"sizes": 2}, peer=("laplacian", lambda a: a), may_differ=5e-3),
    "interpolate": App({"in": ALPHA}, {"out": (3, ROWS, COLS)}, few={"levels": 3},
                       peer=("interpolate", lambda a: a)),
    "histeq": App({"in": reference.pixels(3, ROWS, COLS)}, {"out": (3, ROWS, COLS)}, check=equalised, may_differ=2e-2),
    "iir_blur": App({"in": PICTURE}, {"blurred": (3, ROWS, COLS)}, {"alpha": 0.1}, check=recursive),
    "box_pyramid": App({"in": reference.pixels(1, ROWS, COLS)[0]},
                       {"coarse": (-(-ROWS // 16), -(-COLS // 16)), "mean": (ROWS, COLS)}, check=boxes(4)),
}


# --- running ---


def array_words(name, array):
    extents = array.shape[::-1]
    words = [KINDS[array.dtype], len(extents), *extents, *array.ravel().tolist()]
    return f"in {name} " + " ".join(map(str, words))


def call(halide, name, app, generator_params):
    path = os.path.join(root, "bench", "pipelines", "halide", f"{name}.cpp")
    with open(path, encoding="utf-8") as file:
        made, said = halide.build(file.read(), path)
    if not made:
        sys.exit(said)
    lines = [array_words(n, a) for n, a in app.inputs.items()]
    lines += [f"param {n} {v}" for n, v in app.params.items()]
    lines += [f"generator {n} {v}" for n, v in generator_params.items()]
    lines += [f"extents {n} {len(e)} {' '.join(map(str, e[::-1]))}" for n, e in app.outputs.items()]
    run = subprocess.run([made], input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    if run.returncode:
        return run.stderr or f"exit status {run.returncode}"
    got = {}
    for line in run.stdout.splitlines():
        n, kind, rank, *rest = line.split()
        extents, words = [int(e) for e in rest[:int(rank)]], rest[int(rank):]
        got[n] = np.array([float(w) for w in words]).astype(values.TYPES[kind]).reshape(extents[::-1])
    return got


def by_peer(name, app):
    """What our program of bench/peers computes."""
    output, cut = app.peer
    benchmark = peers.APPS[name]
    inputs = {"img" if n == "in" else n: a for n, a in app.inputs.items()}
    program = os.path.join(root, "bench", "pipelines", benchmark.path)
    with tempfile.TemporaryDirectory() as folder:
        words = ["pm-run", program, "--fp=strict"]
        for n, a in inputs.items():
            np.save(f"{folder}/{n}.npy", a)
            words += ["--in", f"{n}={folder}/{n}.npy"]
        for n, v in app.params.items():
            words += ["--param", f"{n}={v}"] if n != "intensities" else []
        words += ["--out", f"{output}={folder}/out.npy"]
        run = subprocess.run(words, capture_output=True, text=True, check=False)
        if run.returncode:
            return run.stderr
        return {next(iter(app.outputs)): cut(np.load(f"{folder}/out.npy"))}


def difference(app, got, want):
    """The share of values that differ, and the greatest difference."""
    if got.shape != want.shape:
        return f"shapes {got.shape} and {want.shape}"
    wide = np.nan_to_num(np.abs(got.astype(float) - want.astype(float)))
    wide[np.isnan(got) != np.isnan(want)] = np.inf
    want = np.nan_to_num(want)
    scale = app.near * np.abs(want).max() if got.dtype.kind == "f" else 0
    share = (wide > scale).mean()
    text = f"{100 * share:.3g} % differ, at most by {wide.max():.3g} (greatest value {np.abs(want).max():.3g})"
    return text if share <= app.may_differ else "TOO MUCH: " + text


def schedules(halide, name, app):
    """Prints what differs between schedules; the outputs of schedule 1, or None."""
    runs = {"1": {"schedule": 1}, "2": {"schedule": 2}}
    if app.few:
        runs["1 of few"] = runs["1"] | app.few
    runs["0 of few" if app.few else "0"] = {"schedule": 0} | app.few
    done = {}
    for which, generator_params in runs.items():
        got = call(halide, name, app, generator_params)
        if isinstance(got, str):
            print(f"{name}: schedule {which}: {got}", flush=True)
            continue
        done[which] = got
        base = "1 of few" if "few" in which else "1"
        for n, a in got.items():
            if which != base and base in done:
                print(f"{name}: {n}, schedules {base} and {which}: {difference(app, a, done[base][n])}", flush=True)
    return done.get("1")


def main():
    python, *names = sys.argv[1:]
    halide = expect.Halide(python)
    for name in names or APPS:
        app = APPS[name]
        got = schedules(halide, name, app)
        want = app.check(app.inputs) if app.check else by_peer(name, app)
        if got is None or isinstance(want, str):
            print(f"{name}: {want if isinstance(want, str) else 'not run'}", flush=True)
            continue
        for n, a in want.items():
            ours = got[n][1:-1, 1:-1] if name == "harris" else got[n]
            other = "numpy" if app.check else "bench/peers"
            print(f"{name}: {n}, Halide and {other}: {difference(app, ours, a)}", flush=True)


if __name__ == "__main__":
    main()
