"""Pictures that other programs write, and what ours writes.

  pictures.py make DIR      files by tifffile, Pillow, tiffcp and by hand, and DIR/NAME.npy with the values of each
  pictures.py files DIR     the arguments of `image-files copy`: each file to DIR/NAME.got.npy
  pictures.py compare DIR   the values that were read
  pictures.py arrays DIR    .npy files to write as TIFF and JPEG, and the arguments of `image-files copy` for them
  pictures.py written DIR   what tifffile and Pillow read of them
"""
import os
import struct
import subprocess
import sys
import zlib

import numpy as np
import tifffile
from PIL import Image, ImageOps

what, folder = sys.argv[1:]
ROWS, COLUMNS = 37, 53


def values(dtype, *shape):
    rng = np.random.default_rng(sum(shape) + np.dtype(dtype).itemsize)
    if np.dtype(dtype).kind == "f":
        return rng.normal(size=shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, size=shape, dtype=dtype, endpoint=True)


def smooth(channels=3):
    y, x = np.mgrid[0:ROWS, 0:COLUMNS]
    planes = [(128 + 100 * np.sin(y / 9 + c) * np.cos(x / 7 - c)).astype(np.uint8) for c in range(channels)]
    return np.stack(planes, axis=-1) if channels > 1 else planes[0]


def path(name):
    return os.path.join(folder, name)


def upright(array, orientation):
    """What the tag Orientation makes of an array, by its definition: where its first row and column are."""
    if orientation >= 5:  # the first row is a column of the picture
        array = array.swapaxes(0, 1)
    flips = {2: (1,), 3: (0, 1), 4: (0,), 6: (1,), 7: (0, 1), 8: (0,)}
    return np.flip(array, flips.get(orientation, ()))


def expect(name, array):
    np.save(path(name + ".npy"), array)


def tiff(name, array, expected=None, **options):
    tifffile.imwrite(path(name), array, metadata=None, **options)
    expect(name, array if expected is None else expected)


def recoded(name, source, *options):
    subprocess.run(["tiffcp", *options, path(source), path(name)], check=True)
    expect(name, np.load(path(source + ".npy")))


def by_hand(name, array, bits, expected, order="<", photometric=1, fill=1, colormap=None):
    """A TIFF of one strip of unsigned samples of `bits`, packed."""
    packed = np.unpackbits(array.astype(">u2").view(np.uint8).reshape(*array.shape, 2), axis=-1)[..., 16 - bits:]
    rows = np.packbits(packed.reshape(array.shape[0], -1), axis=1)
    if fill == 2:
        rows = np.packbits(np.unpackbits(rows, axis=1), axis=1, bitorder="little")
    data = rows.tobytes()
    tags = [(256, 4, [array.shape[1]]), (257, 4, [array.shape[0]]), (258, 3, [bits]), (259, 3, [1]),
            (262, 3, [photometric]), (266, 3, [fill]), (273, 4, [8]), (277, 3, [1]), (278, 4, [array.shape[0]]),
            (279, 4, [len(data)])]
    if colormap is not None:
        tags.append((320, 3, list(colormap)))
    extra, entries = b"", b""
    at = 8 + len(data) + 2 + 12 * len(tags) + 4
    for tag, kind, numbers in tags:
        packed = struct.pack(order + {3: "H", 4: "I"}[kind] * len(numbers), *numbers)
        place = packed.ljust(4, b"\0")
        if len(packed) > 4:
            place = struct.pack(order + "I", at + len(extra))
            extra += packed
        entries += struct.pack(order + "HHI", tag, kind, len(numbers)) + place
    header = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 8 + len(data))
    with open(path(name), "wb") as file:
        file.write(header + data + struct.pack(order + "H", len(tags)) + entries + b"\0\0\0\0" + extra)
    expect(name, expected)


def stretched(array, bits):
    most = 255 if bits <= 8 else 65535
    return ((array.astype(np.uint64) * most + (2**bits - 1) // 2) // (2**bits - 1)).astype(np.uint8 if bits <= 8 else np.uint16)


def make_tiffs():
    for dtype in ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"]:
        for order in "<>":
            tiff(f"gray-{dtype}-{'big' if order == '>' else 'little'}.tif", values(dtype, ROWS, COLUMNS), byteorder=order)
    for dtype in ["u1", "u2", "f4"]:
        rgb = values(dtype, ROWS, COLUMNS, 3)
        planes = np.ascontiguousarray(rgb.transpose(2, 0, 1))
        tiff(f"rgb-{dtype}.tif", rgb, photometric="rgb", rowsperstrip=10)
        tiff(f"rgb-{dtype}-tiles.tif", rgb, photometric="rgb", tile=(16, 32), bigtiff=True)
        tiff(f"rgb-{dtype}-planes.tif", planes, rgb, photometric="rgb", planarconfig="separate", rowsperstrip=7)
        tiff(f"rgb-{dtype}-plane-tiles.tif", planes, rgb, photometric="rgb", planarconfig="separate", tile=(32, 16),
             byteorder=">")
    tiff("rgba.tif", values("u1", ROWS, COLUMNS, 4), photometric="rgb", extrasamples=["unassalpha"])
    tiff("gray-alpha.tif", values("u2", ROWS, COLUMNS, 2), photometric="minisblack", planarconfig="contig")
    seven = values("i2", ROWS, COLUMNS, 7)
    tiff("seven.tif", seven, photometric="minisblack", planarconfig="contig")
    tiff("seven-planes.tif", np.ascontiguousarray(seven.transpose(2, 0, 1)), seven, photometric="minisblack",
         planarconfig="separate", tile=(16, 16), bigtiff=True)
    for dtype in ["u1", "u2"]:
        gray = values(dtype, ROWS, COLUMNS)
        tiff(f"white-{dtype}.tif", gray, np.invert(gray), photometric="miniswhite")
    stack = values("u2", 5, ROWS, COLUMNS)
    with tifffile.TiffWriter(path("pages.tif")) as writer:
        for page in stack:
            writer.write(page, metadata=None, photometric="minisblack")
            writer.write(page[::2, ::2], metadata=None, photometric="minisblack", subfiletype=1)
    expect("pages.tif", stack.transpose(1, 2, 0))
    for k in range(1, 9):
        rgb = values("u1", ROWS, COLUMNS, 3)
        tiff(f"turned-{k}.tif", rgb, upright(rgb, k), photometric="rgb", extratags=[(274, 3, 1, k, True)])


def make_packed():
    for bits in [1, 2, 3, 4, 6, 7, 10, 12, 14, 15]:
        array = values("u2", ROWS, COLUMNS) >> (16 - bits)
        by_hand(f"bits-{bits}.tif", array, bits, stretched(array, bits), order="<>"[bits % 2])
    array = values("u2", ROWS, COLUMNS) >> 12
    by_hand("bits-4-fill.tif", array, 4, stretched(array, 4), fill=2)
    by_hand("bits-4-white.tif", array, 4, 255 - stretched(array, 4), photometric=0)
    colours = values("u1", 3, 16)
    for name, map16 in [("times-257", colours.astype(int) * 257), ("times-256", colours.astype(int) * 256), ("old", colours)]:
        by_hand(f"palette-{name}.tif", array, 4, colours[:, array].transpose(1, 2, 0), photometric=3,
                colormap=map16.ravel().tolist())


def make_recoded():
    for coding in ["packbits", "lzw", "lzw:2", "zip", "zip:2", "lzma", "zstd"]:
        recoded(f"coded-{coding.replace(':', '-')}.tif", "rgb-u2.tif", "-c", coding, "-r", "10")
    recoded("coded-float.tif", "rgb-f4.tif", "-c", "zip:3", "-t", "-w", "16", "-l", "16")
    recoded("coded-planes.tif", "rgb-u1.tif", "-c", "lzw", "-p", "separate", "-t", "-w", "32", "-l", "48", "-B")
    recoded("coded-big.tif", "gray-f8-little.tif", "-c", "zip", "-8", "-B")
    two = Image.fromarray((smooth(1) > 128).astype(np.uint8) * 255).convert("1")
    for coding in ["raw", "group3", "group4", "packbits"]:
        two.save(path(f"bilevel-{coding}.tif"), compression=coding)
        expect(f"bilevel-{coding}.tif", np.asarray(two).astype(np.uint8) * 255)
    tiff("smooth.tif", smooth(), photometric="rgb")
    for name, options in {"coded-jpeg.tif": ["-c", "jpeg:95"], "coded-jpeg-tiles.tif": ["-c", "jpeg:r:90", "-t", "-w", "16", "-l", "16"]}.items():
        recoded(name, "smooth.tif", *options)
        expect(name, np.asarray(Image.open(path(name)).convert("RGB")))


def make_jpegs():
    for name, channels, options in [("gray", 1, {}), ("full", 3, {"subsampling": 0}), ("half", 3, {"subsampling": 1}),
                                    ("quarter", 3, {"subsampling": 2}), ("progressive", 3, {"progressive": True}),
                                    ("gray-progressive", 1, {"progressive": True, "optimize": True}),
                                    ("rough", 3, {"quality": 3})]:
        Image.fromarray(smooth(channels)).save(path(name + ".jpg"), **{"quality": 90, **options})
        expect(name + ".jpg", np.asarray(Image.open(path(name + ".jpg"))))
    for k in range(1, 9):
        exif = Image.Exif()
        exif[271], exif[274] = "maker", k
        Image.fromarray(smooth()).save(path(f"turned-{k}.jpg"), exif=exif)
        stored = Image.open(path(f"turned-{k}.jpg"))
        assert np.array_equal(ImageOps.exif_transpose(stored), upright(np.asarray(stored), k))
        expect(f"turned-{k}.jpg", upright(np.asarray(stored), k))
    Image.fromarray(smooth()).save(path("plain.ppm"))
    for name, options in [("restart", ["-restart", "2B"]), ("arithmetic", ["-arithmetic"])]:
        with open(path(name + ".jpg"), "wb") as file:
            subprocess.run(["cjpeg", *options, path("plain.ppm")], stdout=file, check=True)
        shown = subprocess.run(["djpeg", "-pnm", path(name + ".jpg")], stdout=subprocess.PIPE, check=True).stdout
        expect(name + ".jpg", np.frombuffer(shown[-ROWS * COLUMNS * 3:], np.uint8).reshape(ROWS, COLUMNS, 3))


EXR_TYPES = {"u4": 0, "f2": 1, "f4": 2}


def exr_attribute(name, kind, data):
    return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<I", len(data)) + data


def exr_zip(data):
    """Bytes at even places, then those at odd ones, as differences, deflated."""
    parts = np.concatenate([np.frombuffer(data, np.uint8)[k::2] for k in (0, 1)]).astype(int)
    differences = np.concatenate([parts[:1], (np.diff(parts) + 128) % 256]).astype(np.uint8)
    packed = zlib.compress(differences.tobytes())
    return packed if len(packed) < len(data) else data


def exr_by_hand(name, channels, expected, zipped=False, origin=(0, 0), sampling=1):
    """An OpenEXR of one part in scan lines, as its format's description has it; channels: {name: array}."""
    (rows, columns), (y0, x0), lines = next(iter(channels.values())).shape, origin, 16 if zipped else 1
    names = sorted(channels)
    listed = b"".join(n.encode() + b"\0" + struct.pack("<IIII", EXR_TYPES[channels[n].dtype.str[1:]], 0, sampling, sampling)
                      for n in names)
    box = struct.pack("<iiii", x0, y0, x0 + columns - 1, y0 + rows - 1)
    header = struct.pack("<II", 20000630, 2)
    header += exr_attribute("channels", "chlist", listed + b"\0") + exr_attribute("dataWindow", "box2i", box)
    header += exr_attribute("compression", "compression", bytes([3 if zipped else 0])) + exr_attribute("displayWindow", "box2i", box)
    header += exr_attribute("lineOrder", "lineOrder", b"\0") + exr_attribute("pixelAspectRatio", "float", struct.pack("<f", 1))
    header += exr_attribute("screenWindowCenter", "v2f", bytes(8)) + exr_attribute("screenWindowWidth", "float", struct.pack("<f", 1)) + b"\0"
    chunks = []
    for y in range(0, rows, lines):
        data = b"".join(channels[n][row].tobytes() for row in range(y, min(y + lines, rows)) for n in names)
        data = exr_zip(data) if zipped else data
        chunks.append(struct.pack("<iI", y0 + y, len(data)) + data)
    at, offsets = len(header) + 8 * len(chunks), b""
    for chunk in chunks:
        offsets += struct.pack("<Q", at)
        at += len(chunk)
    with open(path(name), "wb") as file:
        file.write(header + offsets + b"".join(chunks))
    if expected is not None:
        expect(name, expected)


def read_exr(file):
    """{name: array} of what ours writes."""
    with open(file, "rb") as f:
        data = f.read()
    at, attributes = 8, {}
    while data[at]:
        name, kind = data[at:].split(b"\0", 2)[:2]
        at += len(name) + len(kind) + 2
        n = struct.unpack_from("<I", data, at)[0]
        attributes[name.decode()] = data[at + 4:at + 4 + n]
        at += 4 + n
    x0, y0, x1, y1 = struct.unpack("<iiii", attributes["dataWindow"])
    rows, columns, listed, types = y1 - y0 + 1, x1 - x0 + 1, attributes["channels"], {}
    while listed[0]:
        name = listed.split(b"\0")[0]
        kind = struct.unpack_from("<I", listed, len(name) + 1)[0]
        types[name.decode()] = next(t for t, k in EXR_TYPES.items() if k == kind)
        listed = listed[len(name) + 17:]
    arrays = {n: np.zeros((rows, columns), t) for n, t in types.items()}
    assert attributes["compression"] == b"\3"
    for chunk in range((rows + 15) // 16):
        place = struct.unpack_from("<Q", data, at + 1 + 8 * chunk)[0]
        y, n = struct.unpack_from("<iI", data, place)
        packed = data[place + 8:place + 8 + n]
        of = min(16, rows - y) * columns * sum(np.dtype(t).itemsize for t in types.values())
        if n < of:
            parts = np.frombuffer(zlib.decompress(packed), np.uint8).astype(int)
            parts = ((np.cumsum(parts) - 128 * np.arange(len(parts))) % 256).astype(np.uint8)
            whole = np.empty(of, np.uint8)
            whole[0::2], whole[1::2] = parts[:(of + 1) // 2], parts[(of + 1) // 2:]
            packed = whole.tobytes()
        for row in range(y, min(y + 16, rows)):
            for name in sorted(types):
                arrays[name][row] = np.frombuffer(packed, types[name], columns)
                packed = packed[arrays[name][row].nbytes:]
    return arrays


def make_exrs():
    rgba = values("f2", ROWS, COLUMNS, 4)
    for name, zipped in [("raw", False), ("zip", True)]:
        exr_by_hand(f"rgba-{name}.exr", {n: rgba[..., i] for i, n in enumerate("RGBA")}, rgba, zipped, (-3, 1000))
        exr_by_hand(f"gray-{name}.exr", {"Y": rgba[..., 0].astype("f4")}, rgba[..., 0].astype("f4"), zipped)
    numbers = values("u4", ROWS, COLUMNS, 2)
    exr_by_hand("numbers.exr", {"id": numbers[..., 0], "object": numbers[..., 1]}, numbers)
    exr_by_hand("mixed.exr", {"Y": rgba[..., 0], "depth": values("f4", ROWS, COLUMNS)},
                np.stack([rgba[..., 0].astype("f4"), values("f4", ROWS, COLUMNS)], -1))
    for coding in ["none", "rle", "zip", "piz", "pxr24"]:
        subprocess.run(["exrmaketiled", "-m" if coding == "piz" else "-o", "-t", "16", "24", "-z", coding, path("rgba-raw.exr"),
                        path(f"tiles-{coding}.exr")], check=True)
        expect(f"tiles-{coding}.exr", rgba)
    exr_by_hand("refused-mixed.exr", {"Y": rgba[..., 0], "id": numbers[..., 0]}, None)
    exr_by_hand("refused-sampling.exr", {"Y": rgba[:36, :52, 0]}, None, sampling=2)
    subprocess.run(["exrmaketiled", "-o", "-z", "dwaa", path("rgba-raw.exr"), path("refused-dwa.exr")], check=True)


def patch(name, source, before, after):
    with open(path(source), "rb") as file:
        data = file.read()
    assert data.count(before) >= 1
    with open(path(name), "wb") as file:
        file.write(data.replace(before, after))


def make_refused():
    """Files that are no picture for us; `refused-…` has no values."""
    Image.fromarray(smooth(4), mode="CMYK").save(path("refused-inks.tif"))
    Image.fromarray(smooth(4), mode="CMYK").save(path("refused-inks.jpg"))
    Image.fromarray(smooth()).convert("YCbCr").save(path("refused-ycbcr.tif"))
    Image.fromarray(smooth()).convert("LAB").save(path("refused-lab.tif"))
    tifffile.imwrite(path("refused-complex.tif"), np.zeros((4, 4), np.complex64))
    tifffile.imwrite(path("refused-white.tif"), np.zeros((4, 4), np.float32), photometric="miniswhite")
    with tifffile.TiffWriter(path("refused-sizes.tif")) as writer:
        writer.write(np.zeros((4, 4), np.uint8), photometric="minisblack", metadata=None)
        writer.write(np.zeros((4, 5), np.uint8), photometric="minisblack", metadata=None)
    tifffile.imwrite(path("refused-colours.tif"), np.zeros((2, 4, 4, 3), np.uint8), photometric="rgb", metadata=None)
    tifffile.imwrite(path("refused-small.tif"), np.zeros((4, 4), np.uint8), subfiletype=1, metadata=None)
    tifffile.imwrite(path("refused-depth.tif"), np.zeros((32, 32, 32), np.uint8), volumetric=True, tile=(16, 16, 16),
                     photometric="minisblack", metadata=None)
    patch("refused-large.jpg", "full.jpg", struct.pack(">BHH", 8, ROWS, COLUMNS), struct.pack(">BHH", 8, 65500, 65500))
    patch("refused-large.exr", "gray-zip.exr", struct.pack("<ii", COLUMNS - 1, ROWS - 1), struct.pack("<ii", 10**7, 10**6))
    tifffile.imwrite(path("refused-large.tif"), np.zeros((1 << 15, 1 << 14), np.uint8), compression="zlib",
                     photometric="minisblack", metadata=None)


ARRAYS = [(d, shape) for d in ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"]
          for shape in [(ROWS, COLUMNS), (ROWS, COLUMNS, 3)]]
ARRAYS += [("u1", (ROWS, COLUMNS, n)) for n in (1, 2, 4, 5)] + [("u2", (700, 1000))]
EXR_ARRAYS = [(d, (ROWS, COLUMNS, n)) for d in EXR_TYPES for n in (1, 2, 3, 4, 5)]


def name_of(dtype, shape):
    return f"{dtype}-{'x'.join(map(str, shape))}"


def files():
    return sorted(f for f in os.listdir(folder) if f.endswith((".tif", ".jpg", ".exr")) and not f.startswith("refused-"))


if what == "make":
    make_tiffs(), make_packed(), make_recoded(), make_jpegs(), make_exrs(), make_refused()
elif what == "files":
    print(*(f"{path(f)} {path(f)}.got.npy" for f in files()))
elif what == "compare":
    for f in files():
        got, want = np.load(path(f + ".got.npy")), np.load(path(f + ".npy"))
        if got.dtype != want.dtype or got.shape != want.shape or not np.array_equal(got, want):
            sys.exit(f"{f}: {got.dtype} {got.shape}, not {want.dtype} {want.shape}, or other values")
    print(len(files()), "files are as they should be")
elif what == "arrays":
    for dtype, shape in ARRAYS:
        np.save(path(name_of(dtype, shape) + ".npy"), values(dtype, *shape))
        print(path(name_of(dtype, shape) + ".npy"), path(name_of(dtype, shape) + ".tif"))
    for dtype, shape in EXR_ARRAYS:
        np.save(path(name_of(dtype, shape) + ".npy"), values(dtype, *shape))
        print(path(name_of(dtype, shape) + ".npy"), path(name_of(dtype, shape) + ".exr"))
    for channels in (1, 3):
        np.save(path(f"smooth-{channels}.npy"), smooth(channels))
        print(path(f"smooth-{channels}.npy"), path(f"smooth-{channels}.jpg"))
elif what == "written":
    for dtype, shape in ARRAYS:
        file = path(name_of(dtype, shape) + ".tif")
        with tifffile.TiffFile(file) as tif:
            page, got = tif.pages[0], tif.asarray()
            if not np.array_equal(got, np.squeeze(values(dtype, *shape))) or got.dtype != np.dtype(dtype):
                sys.exit(f"{file} is not what was written")
            channels = shape[2] if len(shape) > 2 else 1
            if page.photometric != (2 if channels in (3, 4) else 1) or len(page.extrasamples) != {2: 1, 4: 1, 5: 4}.get(channels, 0):
                sys.exit(f"{file}: {page.photometric} {page.extrasamples}")
        if dtype == "u1" and channels in (1, 3, 4):
            assert np.array_equal(np.asarray(Image.open(file)), np.squeeze(values(dtype, *shape)))
    for dtype, shape in EXR_ARRAYS:
        got, n = read_exr(path(name_of(dtype, shape) + ".exr")), shape[2] if len(shape) > 2 else 1
        names = {1: "Y", 2: "YA", 3: "RGB", 4: "RGBA"}.get(n, [f"c{c:03}" for c in range(n)])
        want = values(dtype, *shape).reshape(*shape[:2], n)
        if sorted(got) != sorted(names) or not all(np.array_equal(got[c], want[..., i]) for i, c in enumerate(names)):
            sys.exit(f"{dtype} {shape} is not what was written as OpenEXR")
    for channels in (1, 3):
        off = np.asarray(Image.open(path(f"smooth-{channels}.jpg"))).astype(int) - smooth(channels)
        if abs(off).max() > 12 or abs(off).mean() > 1.5:
            sys.exit(f"a JPEG of {channels} channels is off by {abs(off).max()}, {abs(off).mean()} in the mean")
    print(len(ARRAYS) + len(EXR_ARRAYS), "arrays are as they were")
