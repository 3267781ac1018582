"""The inputs of the benchmark pipelines, from the synthetic picture, as files.

  benchmark_inputs.py PROGRAM ROWSxCOLS DIR      writes DIR/<input>.npy for a picture of that size
"""
import os
import sys

import numpy as np

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


def gray_f32(rows, cols):
    return {"img": unit(pixels(1, rows, cols)[0])}


def conv(rows, cols):
    """A mask whose sums leave 0..255 on both sides."""
    mask = np.array([[(3 * i + 5 * j) % 7 - 3 for j in range(5)] for i in range(5)], np.int32)
    return gray_u8(rows, cols) | {"mask": mask}


INPUTS = {
    "blending": blending,
    "interpolate": interpolate,
    "laplacian": laplacian,
    "gauss5": gray_u8,
    "laplace5": gray_u8,
    "bilateral_filter": gray_u8,
    "harris_int": gray_u8,
    "conv_sep": gray_f32,
    "conv": conv,
    "harris2x2": gray_f32,
}


def write_inputs(program, rows, cols, folder):
    """The paths by the inputs' names."""
    paths = {}
    for name, array in INPUTS[program](rows, cols).items():
        paths[name] = os.path.join(folder, name + ".npy")
        np.save(paths[name], np.ascontiguousarray(array))
    return paths


if __name__ == "__main__":
    write_inputs(sys.argv[1], *(int(n) for n in sys.argv[2].split("x")), sys.argv[3])
