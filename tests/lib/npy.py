"""NPY files of small arrays, without numpy: to import that takes longer than what most tests do with it.

A kind is numpy's: "u1", "i4", "f8", "?" …; elements are numbers in a list, row by row.
"""
import ast
import ctypes
import math
import struct

CODES = {"u1": "B", "i1": "b", "u2": "H", "i2": "h", "u4": "I", "i4": "i", "u8": "Q", "i8": "q", "f2": "e", "f4": "f", "f8": "d",
         "?": "?", "b1": "?"}


def converted(kind, value):
    """As C converts: integers wrap, numbers are rounded."""
    if kind == "?":
        return value != 0
    if kind[0] == "f":
        return ctypes.c_float(value).value if kind == "f4" else float(value)
    bits = 8 * int(kind[1])
    value = int(value) % 2**bits
    return value - 2**bits if kind[0] == "i" and value >= 2 ** (bits - 1) else value


def save(path, kind, shape, values):
    if len(values) != math.prod(shape):
        raise ValueError(f"{path}: {len(values)} values of {shape}")
    descr = "|b1" if kind == "?" else ("|" if kind[1] == "1" else "<") + kind
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        file.write(struct.pack(f"<{len(values)}{CODES[kind]}", *(converted(kind, value) for value in values)))


def load(path):
    """(kind, shape, values)"""
    with open(path, "rb") as file:
        data = file.read()
    end = 10 + int.from_bytes(data[8:10], "little")
    header = ast.literal_eval(data[10:end].decode())
    kind = header["descr"].lstrip("|<")
    if data[:8] != b"\x93NUMPY\x01\x00" or header["fortran_order"] or kind not in CODES:
        raise ValueError(f"{path}: {header}")
    values = struct.unpack(f"<{math.prod(header['shape'])}{CODES[kind]}", data[end:])
    return "?" if kind == "b1" else kind, tuple(header["shape"]), list(values)
