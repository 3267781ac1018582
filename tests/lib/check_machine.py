"""The file of pm-machine has every field, in the range that any computer of these years is in, however busy it is. With
--range so have files of machines with names, whose lines and pages may differ.

  check_machine.py [--range] FILE.json…
"""
import json
import sys

KB, MB = 1 << 10, 1 << 20
RANGES = {
    "cores": (1, 4096),
    "vector_bytes": (8, 256),
    "l1_bytes": (8 * KB, MB),
    "l2_bytes": (64 * KB, 64 * MB),
    "l3_bytes": (0, 4096 * MB),
    "vector_mops": (1, 10**6),
    "l2_mbytes": (10, 10**7),
    "l3_mbytes": (10, 10**7),
    "dram_mbytes": (10, 10**7),
    "shared_mbytes": (10, 10**8),
    "fresh_mbytes": (1, 10**10),
    "divide_ops": (1, 1000),
    "call_ops": (1, 10000),
    "strided_ops": (1, 100),
    "gather_ops": (1, 1000),
    "line_bytes": (64, 64),
    "page_bytes": (4096, 4096),
    "tlb_pages": (16, 10**5),
    "page_ns": (0, 10**4),
    "loop_ns": (0, 10**4),
    "tile_ns": (0, 10**6),
    "parallel_ns": (1, 10**9),
    "items": (1, 1),
    "item_bytes": (0, 0),
    "group_bytes": (0, 0),
    "vector_registers": (8, 64),
    "size": (1024, 1024),
}

NAMED = {"line_bytes": (64, 256), "page_bytes": (4096, 65536)}


def check(path, ranges):
    with open(path, encoding="utf-8") as file:
        machine = json.load(file)
    assert list(machine) == list(RANGES), list(machine)
    for name, (least, most) in ranges.items():
        assert least <= machine[name] <= most, f"{path}: {name} is {machine[name]}, not in {least}..{most}"


named = "--range" in sys.argv
for given in sys.argv[1:]:
    if given != "--range":
        check(given, {**RANGES, **NAMED} if named else RANGES)
