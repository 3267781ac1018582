"""opt_memory.py OPS LIMIT: pm-opt parses, verifies and prints a chain of so many sums, with at most LIMIT bytes an op
at its peak, and what it prints it reads and prints again."""
import pathlib
import resource
import subprocess
import sys
import tempfile


def chain(ops):
    yield "loop.func @f {\n  %x0 = loop.param @a : i32\n  %x1 = loop.param @b : i32\n"
    for i in range(2, ops + 2):
        yield f"  %x{i} = arith.addi %x{i - 2}, %x{i - 1} : i32\n"
    yield "}\n"


def main():
    ops, limit = int(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        first, second, third = (pathlib.Path(folder, name) for name in ("a.pmir", "b.pmir", "c.pmir"))
        with open(first, "w") as file:
            file.writelines(chain(ops))
        subprocess.run(["pm-opt", first, "-o", second], check=True)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / ops
        subprocess.run(["pm-opt", second, "-o", third], check=True)
        same = second.read_bytes() == third.read_bytes()
    print(f"{ops} ops, {peak:.0f} bytes an op at the peak, {'the same' if same else 'another'} text again")
    if peak > limit or not same:
        sys.exit(f"expected at most {limit}, and the same text")


main()
