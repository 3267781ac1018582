"""check_footprints.py PROGRAM PASSES…: the numbers of remarks agree with one another.

PASSES are texts of passes that end with storage. Of each: what `tile` says that a tile computes of a stage is what `storage` makes room
for, along all dimensions, and no more where PASSES give the sizes of tiles, so that no border of the picture cuts them; what `group` says of the stages of a group adds up to what it says
of the group."""
import json
import os
import re
import subprocess
import sys

MACHINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines", "xeon.json")


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stderr
    return done


def remarks_of(program, passes):
    text = run("pm-translate", program, "--to=pmir").stdout
    said = run("pm-opt", "-", f"--pass-pipeline=stage.pipeline({passes})", "--size=9000", f"--machine={MACHINE}", "--remarks=json", "-o", "/dev/null", input=text).stderr
    return [json.loads(line) for line in said.splitlines()]


def stages_of(remark):
    return re.findall(r"@(\w+)", remark["message"])


def sizes_in_tiles(remarks):
    """By stage: its points along the dimensions that it has."""
    sizes = {}
    for remark in remarks:
        args = remark["args"]
        if remark["pass"] != "tile" or "dims" not in args:
            continue
        own = [d for d in range(args["dims"]) if f"points {d}" in args]
        text = "x".join(str(args[f"points {d}"]) for d in own)
        assert text in remark["message"], remark
        assert all(args[f"to {d}"] - args[f"from {d}"] + 1 >= args[f"points {d}"] for d in own), remark
        sizes[stages_of(remark)[0]] = [args[f"points {d}"] for d in own]
    return sizes


def rooms(remarks):
    """By stage: the sizes of its memory without padding; of a ring those of the box that it is a part of."""
    found = {}
    for remark in remarks:
        words = re.search(r"lives in a (?:ring of (\d+)( of (\d+))? (\w+): |scratchpad of )([\dx]+)", remark["message"])
        if remark["pass"] != "storage" or not words:
            continue
        box = [int(size) for size in words[5].split("x")]
        if words[1]:
            ring = len(box) - 2 if words[4] == "rows" else box.index(int(words[1]))
            box[ring] = int(words[3]) if words[3] else None
            assert remark["args"]["slices"] == int(words[1]) >= remark["args"]["alive"] >= 1, remark
        if remark["args"]["padding"]:
            box[-1] -= remark["args"]["padding"] * box[-1] // remark["args"]["bytes"]
        found[stages_of(remark)[0]] = box
    return found


def check_footprints(remarks, exact):
    sizes, boxes = sizes_in_tiles(remarks), rooms(remarks)
    assert boxes.keys() <= sizes.keys(), boxes.keys() - sizes.keys()
    for stage, box in boxes.items():
        assert len(box) == len(sizes[stage]), (stage, box, sizes[stage])
        for room, points in zip(box, sizes[stage]):
            assert room is None or (room == points if exact else room >= points), (stage, box, sizes[stage])
    return len(boxes)


def close(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b))


def check_sums(remarks):
    """Groups with the stages behind each, in the order of the remarks."""
    groups = []
    for remark in (r for r in remarks if r["pass"] == "group" and "time" in r["args"]):
        if "stages" in remark["args"]:
            groups.append((remark["args"], []))
        elif "whole" in remark["args"]:
            groups[-1][1].append(remark["args"])
    for group, stages in groups:
        assert len(stages) == group["stages"], group
        for name in ("compute", "bytes", "least"):
            assert close(sum(stage[name] for stage in stages), group[name]), (name, group, stages)
        for name in ("time", "traffic", "start", "pages"):
            assert sum(stage[name] for stage in stages) <= group[name] * (1 + 1e-6), (name, group, stages)
        assert all(stage["recomputation"] >= 1 and stage["tasks"] == group["tasks"] for stage in stages), group
        assert all(close(stage["share"], 100 * stage["time"] / group["time"]) for stage in stages), group
    return len(groups)


def main():
    program, *texts = sys.argv[1:]
    for text in texts:
        remarks = remarks_of(program, text)
        print(f"{check_footprints(remarks, 'sizes=' in text)} boxes, {check_sums(remarks)} groups priced")


main()
