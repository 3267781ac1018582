"""npy_header.py FILE DTYPE EXTENT…: an NPY file of that shape that has no elements."""
import sys

path, dtype, extents = sys.argv[1], sys.argv[2], ", ".join(sys.argv[3:])
header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({extents},), }}"
header += " " * (63 - (10 + len(header)) % 64) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
