"""The inputs of the benchmark pipelines, from the synthetic picture, as files.

  benchmark_inputs.py PROGRAM ROWSxCOLS DIR      writes DIR/<input>.npy for a picture of that size
"""
import os
import sys
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

import window_reference
from reference import F, pad_ring, pixels, unit


def flags(channel, rows, cols, block):
    """1 where the hash of the block, with this channel, ends in two zeros: about a quarter."""
    x = np.arange(rows, dtype=np.uint32)[:, None] // np.uint32(block)
    y = np.arange(cols, dtype=np.uint32)[None, :] // np.uint32(block)
    h = (x * np.uint32(73856093)) ^ (y * np.uint32(19349663)) ^ np.uint32(channel * 83492791 & 0xFFFFFFFF)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0x5BD1E995)
    h ^= h >> np.uint32(15)
    return ((h & np.uint32(3)) == 0).astype(F)


def blending(rows, cols):
    """Two pictures in the middle of 31 rows and columns before and 29 after; the mask changes at 40 rows of 100."""
    picture = np.pad(unit(pixels(6, rows, cols)), [(0, 0), (31, 29), (31, 29)], "edge")
    mask = np.zeros((rows + 60, cols + 60), F)
    mask[(rows * 820) // 2048 :] = 1
    return {"img1": picture[:3], "img2": picture[3:], "mask": mask}


def interpolate(rows, cols):
    alpha = flags(9, rows, cols, 8)[None]
    return {"img": pad_ring(np.concatenate([unit(pixels(3, rows, cols)), alpha]), 1)}


def laplacian(rows, cols):
    return {"img_colour": pad_ring(pixels(3, rows, cols).astype(np.uint16) * np.uint16(256), 2)}


def gray_u8(rows, cols):
    return {"img": pixels(1, rows, cols)[0]}


def blocks(rows, cols):
    """White on black, with corners."""
    return {"img": flags(9, rows, cols, 5).astype(np.uint8) * np.uint8(255)}


def gray_f32(rows, cols):
    return {"img": unit(pixels(1, rows, cols)[0])}


def conv(rows, cols):
    """A mask whose sums leave 0..255 on both sides."""
    mask = np.array([[(3 * i + 5 * j) % 7 - 3 for j in range(5)] for i in range(5)], np.int32)
    return gray_u8(rows, cols) | {"mask": mask}


@dataclass(frozen=True)
class Benchmark:
    """`inputs(rows, cols)` gives the arrays by name, in the order of the program; `scalars` follow R and C there.
    `expected(arrays, constants)` is numpy's output, to which the interpreter's is equal or as near as `tolerance`."""

    inputs: Callable
    output: str
    scalars: dict = field(default_factory=dict)
    expected: Callable = None
    tolerance: int = 0


BENCHMARKS = {
    "blending": Benchmark(blending, "blend"),
    "interpolate": Benchmark(interpolate, "interpolate"),
    "laplacian": Benchmark(laplacian, "laplacian", {"alpha": 0.25, "beta": 0.875}),
    "gauss5": Benchmark(gray_u8, "gauss", expected=window_reference.gauss5),
    "laplace5": Benchmark(gray_u8, "laplace", expected=window_reference.laplace5),
    "bilateral_filter": Benchmark(gray_u8, "filtered", expected=window_reference.bilateral_filter, tolerance=1),
    "harris_int": Benchmark(blocks, "corners", expected=window_reference.harris_int),
    "conv_sep": Benchmark(gray_f32, "conv", expected=window_reference.conv_sep),
    "conv": Benchmark(conv, "conv", expected=window_reference.conv),
    "harris2x2": Benchmark(gray_f32, "harris", {"k": 0.0625}, window_reference.harris2x2),
}


def main():
    program, size, folder = sys.argv[1:]
    rows, cols = (int(n) for n in size.split("x"))
    for name, array in BENCHMARKS[program].inputs(rows, cols).items():
        np.save(os.path.join(folder, name + ".npy"), np.ascontiguousarray(array))


if __name__ == "__main__":
    main()
