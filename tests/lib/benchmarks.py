"""The benchmark pipelines as the tests call them: every program of bench/pipelines, in each of its configurations.

  benchmarks.py NAME ROWSxCOLS DIR      writes DIR/<input>.npy for a problem of that size
"""
import os
import sys
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

import reference
import reference_apps
import window_reference
from reference import F, pad_ring, pixels, unit

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def same(rows, cols):
    return {"R": rows, "C": cols}


def inner(rows, cols):
    return {"R": rows - 2, "C": cols - 2}


def cube(rows, _):
    return {"N": rows}


def coarsest(rows, _):
    return {"n": rows}


@dataclass(frozen=True)
class Benchmark:
    """A program with its constants. `inputs(rows, cols)` gives the arrays by name for a problem of that size and
    `sizes(rows, cols)` the parameters that pm-run finds from them; `scalars` are the other parameters. `constants` are
    those of the program, or a function that gives them for a size.
    `expected(arrays)` is numpy's output, which the interpreter's equals or is as near as `tolerance`; None without one.
    `apart` has the reasons why --strategy=all leaves some stages in groups of their own. `tiny` is the least problem,
    `small` is less than a tile, `odd` several tiles and a part. What is `slow` takes more than some seconds.
    """

    file: str
    inputs: Callable
    sizes: Callable = same
    scalars: dict = field(default_factory=dict)
    constants: object = None
    expected: Callable = None
    tolerance: float = 0
    apart: frozenset = frozenset()
    tiny: str = "1x1"
    small: str = "5x9"
    odd: str = "33x29"
    tile: str = "7x12"
    slow: bool = False

    @property
    def path(self):
        return os.path.join(ROOT, "bench", "pipelines", self.file)

    def constants_for(self, rows, cols):
        return self.constants(rows, cols) if callable(self.constants) else self.constants or {}


# --- inputs, all from the synthetic picture ---


def flags(channel, rows, cols, block):
    """1 where the hash of the block, with this channel, ends in two zeros: about a quarter."""
    x = np.arange(rows, dtype=np.uint32)[:, None] // np.uint32(block)
    y = np.arange(cols, dtype=np.uint32)[None, :] // np.uint32(block)
    h = (x * np.uint32(73856093)) ^ (y * np.uint32(19349663)) ^ np.uint32(channel * 83492791 & 0xFFFFFFFF)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0x5BD1E995)
    h ^= h >> np.uint32(15)
    return ((h & np.uint32(3)) == 0).astype(F)


def gray_u8(rows, cols):
    return {"img": pixels(1, rows, cols)[0]}


def gray_f32(rows, cols):
    return {"img": unit(pixels(1, rows, cols)[0])}


def deep_u16(rows, cols):
    """Up to 65535: the sums of three do not fit 16 bits."""
    return {"img": pixels(1, rows, cols)[0].astype(np.uint16) * np.uint16(257)}


def beyond_unit(rows, cols):
    """Some values are below 0 and some above 1."""
    return {"img": gray_f32(rows, cols)["img"] * F(1.2) - F(0.1)}


def colour_with_ring(rows, cols):
    return {"img": pad_ring(unit(pixels(3, rows, cols)), 2)}


def blocks(rows, cols):
    """White on black, with corners."""
    return {"img": flags(9, rows, cols, 5).astype(np.uint8) * np.uint8(255)}


def with_mask(rows, cols):
    """A mask whose sums leave 0..255 on both sides."""
    mask = np.array([[(3 * i + 5 * j) % 7 - 3 for j in range(5)] for i in range(5)], np.int32)
    return gray_u8(rows, cols) | {"mask": mask}


def replicated(rows, cols):
    """24 rows and columns before and 32 after, like the outermost of the picture."""
    return {"img": np.pad(gray_f32(rows, cols)["img"], [(24, 32), (24, 32)], "edge")}


def raw(rows, cols):
    matrices = {"matrix_3200": reference_apps.MATRIX_3200, "matrix_7000": reference_apps.MATRIX_7000}
    return {"img": reference_apps.raw_picture(rows, cols)} | matrices


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


def doubles(seed, *shape):
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def grids(dimensions, names, extent):
    """Arrays of `extent(rows)` points a dimension."""
    return lambda rows, _: {name: doubles(i, *[extent(rows)] * dimensions) for i, name in enumerate(names)}


def ramp(rows, _):
    """The box of minifluxdiv's check values."""
    c, z, y, x = np.indices((5, *[rows + 4] * 3)).astype(np.float64)
    return {"box": c + 0.5 * (z + y + x - 6)}


# --- the rows ---

SELF = "it reads itself along all its dimensions"
WHOLE = "the other is not tiled"
FEW = "its updates have many points, for which the group has too few tiles"
COMPUTED = "a dependence between them is not a constant distance"
BETWEEN = "another group comes between them"
OUTSIDE = "it is needed outside the group too, and the group reads it at a distance"


def bilateral(file, inputs, expected, **more):
    return Benchmark(file, inputs, expected=lambda a: expected(**a), odd="37x43", **more)


def multigrid(dim, cycle, pre, coarse, post):
    constants = {"DIM": dim, "CYCLE": cycle, "L": 2, "PRE": pre, "COARSE": coarse, "POST": post}
    inputs = grids(dim, ["V", "F"], lambda n: (n + 1 << 2) + 1)
    odd, tile = ("6x6", "7x12") if dim == 2 else ("3x3", "3x4x5")
    more = {"small": "2x2", "odd": odd, "tile": tile, "slow": True}
    return Benchmark("multigrid.py", inputs, coarsest, constants=constants, **more)


def nas_mg(periodic, apart):
    """Sizes are levels here, and constants of the program."""
    constants = lambda levels, _: {"LT": levels, "PERIODIC": periodic}
    inputs = grids(3, ["U", "V", "R"], lambda levels: (1 << levels) + 2)
    more = {"tiny": "2x2", "small": "2x2", "odd": "3x3", "tile": "3x4x5", "slow": True}
    return Benchmark("nas_mg.py", inputs, lambda *_: {}, constants=constants, apart=apart, **more)


def gauss5(mode, tiny, apart=()):
    constants = {"MODE": mode, "BORDER": 9} if mode == 4 else {"MODE": mode}
    expected = lambda a: window_reference.gauss5(a, constants)
    return Benchmark("gauss5.py", gray_u8, constants=constants, expected=expected, tiny=tiny, apart=frozenset(apart))


def gauss5_f32(mode):
    constants = {"MODE": mode, "FLOATS": 1}
    expected = lambda a: window_reference.gauss5(a, constants)
    return Benchmark("gauss5.py", gray_f32, constants=constants, expected=expected, tiny="2x2")


def window(file, inputs, expected, **more):
    constants = more.get("constants", {})
    return Benchmark(file, inputs, expected=lambda a: expected(a, constants), **more)


BENCHMARKS = {
    "unsharp": Benchmark(
        "unsharp.py", colour_with_ring, scalars={"threshold": 0.001, "weight": 3.0}, expected=lambda a: reference.unsharp(**a)
    ),
    "harris": Benchmark("harris.py", gray_f32, inner, expected=lambda a: reference.harris(**a)),
    "bilateral": bilateral("bilateral.py", gray_f32, reference_apps.bilateral),
    "bilateral_halide": bilateral(
        "bilateral_halide.py", beyond_unit, reference_apps.bilateral_halide, scalars={"r_sigma": 0.1}
    ),
    "bilateral_windows": bilateral("bilateral_windows.py", replicated, reference_apps.bilateral_windows),
    "camera": Benchmark(
        "camera.py",
        raw,
        scalars={"colour_temp": 3700.0, "contrast": 50.0, "gamma": 2.0},
        expected=lambda a: reference_apps.camera(**a),
        apart=frozenset([COMPUTED]),
        tiny="49x65",
        small="53x73",
        odd="81x93",
    ),
    "blending": Benchmark("blending.py", blending, slow=True),
    "interpolate": Benchmark("interpolate.py", interpolate, slow=True),
    "laplacian": Benchmark(
        "laplacian.py",
        laplacian,
        scalars={"alpha": 0.25, "beta": 0.875},
        apart=frozenset([COMPUTED]),
        odd="23x29",
        slow=True,
    ),
    "multigrid-2d-v-444": multigrid(2, 1, 4, 4, 4),
    "multigrid-2d-v-1000": multigrid(2, 1, 10, 0, 0),
    "multigrid-2d-w-444": multigrid(2, 2, 4, 4, 4),
    "multigrid-2d-w-1000": multigrid(2, 2, 10, 0, 0),
    "multigrid-3d-v-444": multigrid(3, 1, 4, 4, 4),
    "multigrid-3d-v-1000": multigrid(3, 1, 10, 0, 0),
    "multigrid-3d-w-444": multigrid(3, 2, 4, 4, 4),
    "multigrid-3d-w-1000": multigrid(3, 2, 10, 0, 0),
    "minifluxdiv": Benchmark(
        "minifluxdiv.py",
        lambda rows, _: {"box": doubles(3, 5, *[rows + 4] * 3)},
        cube,
        expected=lambda a: reference_apps.minifluxdiv(**a),
        small="3x3",
        odd="11x11",
        tile="3x4x5",
    ),
    "nas_mg-periodic": nas_mg(1, frozenset([OUTSIDE])),
    "nas_mg-zero": nas_mg(0, frozenset([OUTSIDE, BETWEEN])),
    "jacobi2d": Benchmark(
        "jacobi2d.py", grids(2, ["V", "F"], lambda n: n + 2), cube, expected=lambda a: reference_apps.jacobi(*a.values())
    ),
    "jacobi3d": Benchmark(
        "jacobi3d.py",
        grids(3, ["V", "F"], lambda n: n + 2),
        cube,
        expected=lambda a: reference_apps.jacobi(*a.values()),
        small="2x2",
        odd="11x11",
        tile="3x4x5",
        slow=True,
    ),
    "blur_u16": Benchmark("blur_u16.py", deep_u16, inner, expected=lambda a: reference.blur_u16(**a)),
    "blur_f32": Benchmark("blur_f32.py", gray_f32, inner, expected=lambda a: reference.blur_f32(**a)),
    "histeq": Benchmark(
        "histeq.py", gray_u8, expected=lambda a: reference_apps.equalised(**a), apart=frozenset([FEW, WHOLE, SELF])
    ),
    "gauss5-undefined": gauss5(0, "1x1"),
    "gauss5-clamp": gauss5(1, "1x1"),
    "gauss5-repeat": gauss5(2, "2x2", [COMPUTED]),
    "gauss5-mirror": gauss5(3, "2x2"),
    "gauss5-constant": gauss5(4, "1x1"),
    "gauss5_f32-clamp": gauss5_f32(1),
    "laplace5": window("laplace5.py", gray_u8, window_reference.laplace5),
    "bilateral_filter": window(
        "bilateral_filter.py", gray_u8, window_reference.bilateral_filter, tolerance=1, apart=frozenset([COMPUTED]), slow=True
    ),
    "bilateral_filter-5x5": window(
        "bilateral_filter.py",
        gray_u8,
        window_reference.bilateral_filter,
        tolerance=1,
        constants={"RADIUS": 2},
        apart=frozenset([COMPUTED]),
    ),
    "harris_int": window("harris_int.py", blocks, window_reference.harris_int),
    "conv_sep": window("conv_sep.py", gray_f32, window_reference.conv_sep),
    "conv": window("conv.py", with_mask, window_reference.conv),
    "harris2x2": window("harris2x2.py", gray_f32, window_reference.harris2x2, scalars={"k": 0.0625}),
    "histogram": Benchmark("histogram.py", gray_u8, expected=lambda a: reference_apps.histogram(**a), apart=frozenset([FEW])),
    "statistics": Benchmark("statistics.py", gray_u8, expected=lambda a: reference_apps.statistics(**a), apart=frozenset([FEW])),
    "corners": Benchmark("corners.py", gray_f32, inner),
}

# The problems of the check values, where their inputs are others.
CHECKED = {"minifluxdiv": ramp}


def main():
    name, size, folder = sys.argv[1:]
    rows, cols = (int(n) for n in size.split("x"))
    inputs = CHECKED.get(name, BENCHMARKS[name].inputs)
    for key, array in inputs(rows, cols).items():
        np.save(os.path.join(folder, key + ".npy"), np.ascontiguousarray(array))


if __name__ == "__main__":
    main()
