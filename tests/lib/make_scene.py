"""Draws the test pictures: `make_scene.py GRAY.png RGB.png`, or `--check` to compare with existing files.

320x240, 8 bit: checkerboards, rotated rectangles, discs, gradients and a little noise, so that a corner detector
finds corners that the eye can confirm. Integers only: the same on every machine.
"""
import struct
import sys
import zlib

import numpy as np

HEIGHT, WIDTH = 240, 320


def noise(rows, cols):
    """The hash of the benchmark pipelines, 0..31."""
    with np.errstate(over="ignore"):
        h = rows.astype(np.uint32) * np.uint32(73856093) ^ cols.astype(np.uint32) * np.uint32(19349663)
        h ^= h >> np.uint32(13)
        h *= np.uint32(0x5BD1E995)
        h ^= h >> np.uint32(15)
    return (h & np.uint32(31)).astype(np.int64)


def rotated_rectangle(rows, cols, centre, half, slope):
    """Inside a rectangle of half sizes (pixels) whose long side goes along (1, slope) in rational steps."""
    run, rise = slope
    along = (cols - centre[1]) * run + (rows - centre[0]) * rise
    across = (rows - centre[0]) * run - (cols - centre[1]) * rise
    length2 = run * run + rise * rise
    return (along**2 < half[0] ** 2 * length2) & (across**2 < half[1] ** 2 * length2)


def draw():
    rows, cols = np.mgrid[0:HEIGHT, 0:WIDTH]
    gray = 40 + cols // 4 + rows // 8
    board = (rows >= 20) & (rows < 100) & (cols >= 20) & (cols < 100)
    gray = np.where(board, np.where(((rows - 20) // 16 + (cols - 20) // 16) % 2 == 0, 230, 30), gray)
    gray = np.where(rotated_rectangle(rows, cols, (60, 170), (44, 24), (4, 1)), 220, gray)
    gray = np.where(rotated_rectangle(rows, cols, (60, 170), (20, 9), (3, -2)), 60, gray)
    gray = np.where(rotated_rectangle(rows, cols, (170, 80), (50, 32), (5, -3)), 15, gray)
    gray = np.where(rotated_rectangle(rows, cols, (170, 80), (12, 12), (1, 1)), 245, gray)
    gray = np.where((rows - 170) ** 2 + (cols - 190) ** 2 < 38**2, 200 - (rows - 132), gray)
    gray = np.where((rows >= 30) & (rows < 210) & (cols >= 250) & (cols < 300) & ((rows // 10 + cols // 25) % 2 == 0), 210, gray)
    gray = np.clip(gray + noise(rows, cols) // 11 - 1, 0, 255).astype(np.uint8)
    tint = np.stack([gray, np.roll(gray, 7, axis=1), 255 - gray // 2 - np.uint8(20)], axis=2)
    tint[(rows - 170) ** 2 + (cols - 190) ** 2 < 38**2] //= np.array([1, 2, 3], dtype=np.uint8)
    return gray, tint.astype(np.uint8)


def png(picture):
    """The bytes of a PNG file of a (rows, cols[, 3]) u8 array."""
    height, width = picture.shape[:2]
    colour = 0 if picture.ndim == 2 else 2
    lines = picture.reshape(height, -1)
    raw = np.concatenate([np.zeros((height, 1), np.uint8), lines], axis=1).tobytes()

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b"")


def same_pixels(path, expected):
    """Of a file written by png(): its one IDAT chunk unpacks to the same lines."""
    with open(path, "rb") as file:
        data = file.read()
    start = data.index(b"IDAT")
    (length,) = struct.unpack(">I", data[start - 4 : start])
    stored = zlib.decompress(data[start + 4 : start + 4 + length])
    fresh = png(expected)
    start = fresh.index(b"IDAT")
    (length,) = struct.unpack(">I", fresh[start - 4 : start])
    return stored == zlib.decompress(fresh[start + 4 : start + 4 + length])


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    pictures = draw()
    if "--check" in sys.argv:
        sys.exit(0 if all(same_pixels(p, a) for p, a in zip(arguments, pictures)) else 1)
    for path, picture in zip(arguments, pictures):
        with open(path, "wb") as file:
            file.write(png(picture))


main()
