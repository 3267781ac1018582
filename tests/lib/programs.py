"""The benchmark pipelines as the tests call them: inputs for a size, and what numpy says the outputs are."""
import os
from dataclasses import dataclass
from typing import Callable

import numpy as np

import reference

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclass(frozen=True)
class Program:
    """`inputs(rows, cols)` gives the arrays by name for a picture of that size; `expected(arrays)` the outputs by name.
    `sizes(rows, cols)` are the integer parameters of the call and `scalars` the others, both in the order of the
    program's parameters."""

    file: str
    inputs: Callable
    expected: Callable
    sizes: Callable
    scalars: tuple = ()

    @property
    def function(self):
        """The name of the compiled function: that of the output."""
        return next(iter(self.expected(self.inputs(8, 8))))

    @property
    def path(self):
        return os.path.join(ROOT, "bench", "pipelines", self.file)


def gray(rows, cols):
    return reference.unit(reference.pixels(1, rows, cols)[0])


def deep_u16(rows, cols):
    """Up to 65535: the sums of three do not fit 16 bits."""
    return reference.pixels(1, rows, cols)[0].astype(np.uint16) * np.uint16(257)


def colour_with_ring(rows, cols):
    return reference.pad_ring(reference.unit(reference.pixels(3, rows, cols)), 2)


PROGRAMS = {
    "harris": Program(
        "harris.py",
        lambda r, c: {"img": gray(r, c)},
        lambda a: {"harris": reference.harris(a["img"])},
        lambda r, c: {"R": r - 2, "C": c - 2},
    ),
    "unsharp": Program(
        "unsharp.py",
        lambda r, c: {"img": colour_with_ring(r, c)},
        lambda a: {"mask": reference.unsharp(a["img"])},
        lambda r, c: {"R": r, "C": c},
        (("threshold", 0.001), ("weight", 3.0)),
    ),
    "blur_u16": Program(
        "blur_u16.py",
        lambda r, c: {"img": deep_u16(r, c)},
        lambda a: {"by": reference.blur_u16(a["img"])},
        lambda r, c: {"R": r - 2, "C": c - 2},
    ),
    "blur_f32": Program(
        "blur_f32.py",
        lambda r, c: {"img": gray(r, c)},
        lambda a: {"by": reference.blur_f32(a["img"])},
        lambda r, c: {"R": r - 2, "C": c - 2},
    ),
}
