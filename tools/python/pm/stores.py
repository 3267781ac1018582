"""Where large pictures are: arrays of Zarr, tiled TIFF, files of NumPy, and arrays in memory. All are read and written
by boxes (pm.tiles). Opened ones are for one process; what names them can be pickled."""
import contextlib
import dataclasses
import hashlib
import math
import mmap
import os
import struct

import numpy as np

from pm import errors, tiles

AT_A_TIME = 10  # chunks that Zarr reads or writes at a time, each with what it is compressed to
MAPPED = 16_000_000  # bytes of a file that are mapped at a time
CHUNK = 512  # of a Zarr array or a TIFF that is made, along the axes of a picture
CHUNK_OF_VOLUMES = 128  # along three and more
LEAST_CHUNK, MOST_CHUNK = 2**14, 2**26  # elements, of one that is as the input's


def name_of(store):
    """A path, below the folder of the process if it can be, or an array, as messages have it."""
    if not isinstance(store, str):
        return f"an array of {store.dtype} {store.shape}" if hasattr(store, "dtype") else repr(store)
    near = store if "://" in store else os.path.relpath(store)
    return repr(store if near.startswith("..") else near)


@dataclasses.dataclass(frozen=True)
class Mapped:
    """A whole numpy.memmap, which each worker maps by itself."""

    path: str
    dtype: np.dtype
    offset: int
    shape: tuple
    order: str


def _suffix(path):
    return os.path.splitext(path.rstrip("/"))[1].lower()


def needs_module(name, what):
    """The module, which is an optional one."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise errors.Error(f"{what} needs the package {name}: pip install {name}") from None


class File:
    """That is written in place. Unlike a mapped file it gives an error when the disk is full."""

    def __init__(self, path):
        self._number = os.open(path, os.O_WRONLY)

    def write(self, data, offset):
        while data:
            n = os.pwrite(self._number, data, offset)
            data, offset = data[n:], offset + n

    def __del__(self):
        if hasattr(self, "_number"):
            os.close(self._number)


class _Npy:
    """A file of NumPy. Bytes of tiles are apart, so processes may write at a time."""

    chunk = grain = None
    is_empty = False  # that is known

    def __init__(self, path, writes=False):
        self.path = path
        array = self._mapped()
        self.shape, self.dtype, self.unit = array.shape, array.dtype, (1,) * array.ndim
        self._file = File(path) if writes else None

    def _mapped(self):
        """For one access, after which its pages are no memory of the process."""
        try:
            array = np.load(self.path, mmap_mode="r")
        except (ValueError, EOFError, AttributeError) as error:
            raise errors.ArgumentError(f"'{self.path}' is no array of NumPy: {error}") from None
        if not isinstance(array, np.ndarray):
            raise errors.ArgumentError(f"'{self.path}' is no array of NumPy: it has several")
        return array

    def read(self, box):
        """Some megabytes at a time, since pages that are mapped count as memory, too."""
        values = np.empty(tiles.extents(box), self.dtype)
        if not values.size or not values.ndim:
            return np.array(self._mapped()[tiles.slices(box)])
        within = tiles.slices(box)
        step = max(MAPPED * len(values) // values.nbytes, 1)
        for at in range(0, len(values), step):
            rows = slice(within[0].start + at, min(within[0].start + at + step, within[0].stop))
            values[at : at + step] = self._mapped()[(rows, *within[1:])]
        return values

    def write(self, box, values):
        array = self._mapped()
        if not array.flags.c_contiguous:  # the columns of a file in Fortran's order are rows
            array, box, values = array.T, box[::-1], values.T
        rows = max((axis for axis, n in enumerate(array.shape) if values.shape[axis] < n), default=0)
        data = memoryview(np.ascontiguousarray(values).reshape(-1)).cast("B")
        length = math.prod(values.shape[rows:]) * self.dtype.itemsize
        for number, place in enumerate(np.ndindex(values.shape[:rows])):
            first = [low + i for low, i in zip(tiles.low(box), place)] + list(tiles.low(box)[rows:])
            offset = array.offset + sum(i * n for i, n in zip(first, array.strides))
            self._file.write(data[number * length : (number + 1) * length], offset)

    def identity(self):
        return _identity_of_file(self.path)

    @staticmethod
    def unit_for(path, shape, dtype, chunk, tile):
        return (1,) * len(shape)

    @staticmethod
    def make(path, shape, dtype, unit):
        np.lib.format.open_memmap(path, "w+", dtype, shape).flush()


class _Raw(_Npy):
    """Mapped, of any file."""

    def __init__(self, mapped):
        self._of = mapped
        super().__init__(mapped.path)

    def _mapped(self):
        return np.memmap(self.path, self._of.dtype, "r", self._of.offset, self._of.shape, self._of.order)

    def identity(self):
        return super().identity() + repr(self._of)


@contextlib.contextmanager
def _errors_of_addresses(path):
    """Those of any client of the network are errors of input, which may be repeated."""
    try:
        yield
    except (FileNotFoundError, ValueError):
        raise
    except Exception as error:
        if "://" not in path:
            raise
        raise OSError(f"cannot read '{path}': {type(error).__name__}: {error}") from error


class _Zarr:
    """An array of Zarr. What is written at a time is a shard, or a chunk where there are none."""

    def __init__(self, path, writes=False):
        zarr = needs_module("zarr", f"'{path}'")
        self.path = path
        try:
            with _errors_of_addresses(path):
                self._array = zarr.open_array(path, mode="r+" if writes else "r")
        except (FileNotFoundError, ValueError) as error:
            raise errors.ArgumentError(f"'{path}' is no array of Zarr: {error}") from None
        self.shape, self.dtype = self._array.shape, self._array.dtype
        self.unit = self.chunk = tuple(getattr(self._array, "shards", None) or self._array.chunks)
        self.grain = tuple(self._array.chunks)

    @property
    def is_empty(self):
        """No chunk has been written."""
        return not self._array.nchunks_initialized

    def read(self, box):
        with _errors_of_addresses(self.path):
            return np.asarray(self._array[tiles.slices(box)])

    def write(self, box, values):
        self._array[tiles.slices(box)] = values

    def identity(self):
        """Of all files of a folder: an array that is written to again is another one. Addresses are taken for what they name."""
        return identity(self.path) if os.path.isdir(self.path) else repr((self.path, self.shape, self.dtype.str))

    @staticmethod
    def unit_for(path, shape, dtype, chunk, tile):
        return tuple(u if t >= n or t % max(u, 1) == 0 else t for t, u, n in zip(tile or chunk, chunk, shape))

    @staticmethod
    def make(path, shape, dtype, unit):
        zarr = needs_module("zarr", f"'{path}'")
        zarr.create_array(path, shape=shape, dtype=dtype, chunks=unit, overwrite=False)


class _Tiff:
    """A tiled TIFF. One that is made is not compressed, so the place of each tile is known ahead, and any process writes
    any tile."""

    def __init__(self, path, writes=False):
        tifffile = needs_module("tifffile", f"'{path}'")
        self.path = path
        self.is_empty = False  # that is known
        try:
            self._tiff = tifffile.TiffFile(path)
        except (OSError, tifffile.TiffFileError, struct.error) as error:
            raise errors.ArgumentError(f"'{path}' is no TIFF: {error}") from None
        level = self._tiff.series[0].levels[0]
        self.shape, self.dtype = tuple(level.shape), np.dtype(level.dtype)
        if writes:
            self._begin_writing()
        else:
            self._array = needs_module("zarr", f"reading '{path}' by boxes").open_array(level.aszarr(level=0), mode="r")
            self.chunk = self.grain = self._array.chunks

    def __del__(self):
        if hasattr(self, "_tiff"):
            self._tiff.close()

    def _begin_writing(self):
        page = self._tiff.pages[0]
        if not self._is_plain(page):
            raise errors.ArgumentError(f"'{self.path}' is not one image of tiles that are not compressed: leave out the file, and it is "
                                       "made so, or write Zarr")
        self._offsets, self._order = page.dataoffsets, self._tiff.byteorder
        self.unit = self.chunk = (page.tilelength, page.tilewidth, *self.shape[2:])
        self._across = -(-self.shape[1] // page.tilewidth)
        self._file = File(self.path)

    def _is_plain(self, page):
        """One image, whose tiles are where it says, as the elements are in memory."""
        tile = page.tilelength * page.tilewidth * math.prod(self.shape[2:]) * self.dtype.itemsize if page.is_tiled else 0
        return (page.is_tiled and page.compression == 1 and page.planarconfig == 1 and page.fillorder == 1 and len(self._tiff.pages) == 1
                and page.tiledepth == 1 and tuple(page.shape) == self.shape and page.bitspersample == 8 * self.dtype.itemsize
                and set(page.databytecounts) == {tile} and len(set(page.dataoffsets)) == len(page.dataoffsets) and min(page.dataoffsets) > 0)

    def read(self, box):
        return np.asarray(self._array[tiles.slices(box)])

    def write(self, box, values):
        """The last tiles have the unit's size, too."""
        height, width = self.unit[:2]
        (top, _), (left, _) = box[:2]
        for y in range(0, values.shape[0], height):
            for x in range(0, values.shape[1], width):
                part = values[y : y + height, x : x + width]
                whole = np.zeros((height, width, *values.shape[2:]), self.dtype.newbyteorder(self._order))
                whole[: part.shape[0], : part.shape[1]] = part
                offset = self._offsets[(top + y) // height * self._across + (left + x) // width]
                self._file.write(memoryview(whole.reshape(-1)).cast("B"), offset)

    def identity(self):
        return _identity_of_file(self.path)

    @staticmethod
    def unit_for(path, shape, dtype, chunk, tile):
        """Sides are multiples of 16; they need not fit the picture."""
        if dtype.kind not in "uifc":
            raise errors.ArgumentError(f"'{path}' cannot have elements of {dtype}, which a TIFF packs: write Zarr")
        if len(shape) not in (2, 3) or (len(shape) == 3 and shape[2] not in (3, 4)) or 0 in shape:
            raise errors.ArgumentError(f"'{path}' cannot have the shape {shape}: a TIFF is made of rows and columns, and 3 or 4 channels "
                                       "behind them. Write Zarr")
        sides = [CHUNK if t >= n else max((side for side in range(16, CHUNK + 1, 16) if t % side == 0), default=16)
                 for t, n in zip(tile or shape, shape[:2])]
        return *sides, *shape[2:]

    @staticmethod
    def make(path, shape, dtype, unit):
        tifffile = needs_module("tifffile", f"'{path}'")
        tifffile.imwrite(path, shape=shape, dtype=dtype, tile=unit[:2], bigtiff=True, metadata=None,
                         photometric="minisblack" if len(shape) == 2 else "rgb")


def _identity_of_folder(path):
    found, folders = hashlib.sha256(), [path]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                if entry.is_dir():
                    folders.append(entry.path)
                    continue
                status = entry.stat()
                found.update(repr((entry.path, status.st_size, status.st_mtime_ns)).encode())
    return found.hexdigest()


def identity(path):
    """Which changes when it is written to."""
    return _identity_of_folder(path) if os.path.isdir(path) else _identity_of_file(path)


def made_as(path):
    """Which file or folder it is: another one in its place is not the same. Writing elements does not change that."""
    for name in (os.path.join(path, "zarr.json"), os.path.join(path, ".zarray")):
        if os.path.exists(name):
            return _identity_of_file(name) + repr(os.stat(name).st_ino)
    status = os.stat(path)
    return repr((status.st_dev, status.st_ino))


def same(a, b):
    """Of paths, also by links."""
    return os.path.realpath(a) == os.path.realpath(b) or os.path.exists(a) and os.path.exists(b) and os.path.samefile(a, b)


def _identity_of_file(path):
    status = os.stat(path)
    return repr((os.path.abspath(path), status.st_size, status.st_mtime_ns))


_KINDS = {".npy": _Npy, ".tif": _Tiff, ".tiff": _Tiff, ".zarr": _Zarr}
SUFFIXES = tuple(_KINDS)


def kind_of(path):
    """By the end of the name, or of a folder's above it, as a.zarr/0."""
    for part in (path, *(path[: i] for i, c in enumerate(path) if c == "/")):
        kind = _KINDS.get(_suffix(part))
        if kind:
            return kind
    raise errors.ArgumentError(f"'{path}' should end in {', '.join(_KINDS)}, or be inside of a folder that does")


def open_to_read(store):
    if isinstance(store, Mapped):
        return _Raw(store)
    if "://" not in store and not os.path.exists(store):
        raise errors.ArgumentError(f"there is no '{store}'")
    return kind_of(store)(store)


def check_replaceable(path):
    """A file or an array, but not a folder that has other things, as a group of Zarr."""
    if os.path.isdir(path) and os.listdir(path):
        open_to_read(path)


def open_to_write(path):
    return kind_of(path)(path, writes=True)


@dataclasses.dataclass(frozen=True, eq=False)
class Array:
    """What is known of an array: what names it, None of one that is nowhere yet; its shape and type; what is written at a
    time; what is decoded at a time, or None; and what is read as a whole, or None."""

    store: object
    shape: tuple
    dtype: np.dtype
    unit: tuple | None = None
    chunk: tuple | None = None
    grain: tuple | None = None

    def __str__(self):
        return name_of(self.store)

    def beside(self, extents):
        """Bytes that an access to so much takes beside the elements."""
        if not self.chunk:
            return 0
        met = math.prod(min(-(-n // max(c, 1)) + 1, -(-of // max(c, 1))) for n, c, of in zip(extents, self.chunk, self.shape))
        return 2 * min(met, AT_A_TIME) * bytes_of(self.chunk, self.dtype)

    @property
    def is_in_memory(self):
        return isinstance(self.store, np.ndarray)

    @property
    def path(self):
        """Of a file or folder, or None."""
        if isinstance(self.store, Mapped):
            return self.store.path
        if not isinstance(self.store, str):
            return None
        return self.store.removeprefix("file://") if "://" not in self.store or self.store.startswith("file://") else None

    def identity(self):
        """Which changes when its elements do."""
        if self.is_in_memory:
            return hashlib.sha256(np.ascontiguousarray(self.store).data).hexdigest() + repr((self.shape, self.dtype.str))
        return open_to_read(self.store).identity()


def array_of(given):
    """Of a path, an address, an array, or an Array itself."""
    if isinstance(given, Array):
        return given
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        store = open_to_read(path)
        return Array(os.path.abspath(path) if "://" not in path else path, tuple(store.shape), store.dtype, None, store.chunk, store.grain)
    if hasattr(given, "__dask_graph__"):
        raise errors.ArgumentError("a run reads stores, by their paths, or arrays of NumPy: pm.dask.map takes arrays of Dask")
    if type(given).__module__.startswith("zarr."):
        raise errors.ArgumentError(f"give an array of Zarr by its path, as {str(getattr(given, 'store_path', 'in.zarr')).removeprefix('file://')!r}")
    if isinstance(given, np.memmap) and isinstance(given.base, mmap.mmap) and given.filename and given.mode != "c":
        given = Mapped(os.path.abspath(given.filename), given.dtype, given.offset, given.shape, "C" if given.flags.c_contiguous else "F")
    given = given if isinstance(given, Mapped) else np.asarray(given)
    return Array(given, tuple(given.shape), given.dtype)


def planned(path, shape, dtype, chunk, tile):
    """The array of an output: the one that is there, if it is as it should be, or one that is made for such tiles."""
    if path is None:
        return Array(None, shape, np.dtype(dtype), (1,) * len(shape))
    store = existing(path, shape, dtype)
    unit = store.unit if store else kind_of(path).unit_for(path, tuple(shape), np.dtype(dtype), chunk, tile)
    return Array(path, shape, np.dtype(dtype), unit, None if kind_of(path) is _Npy else unit)


def existing(path, shape, dtype):
    """The opened array that is there, or None if it is another one."""
    if not os.path.exists(path):
        return None
    try:
        store = open_to_write(path)
    except errors.Error:
        return None
    return store if (tuple(store.shape), store.dtype) == (tuple(shape), dtype) else None


def make(array, new):
    """Makes what is planned, of zeros, in another place."""
    remove(new)
    os.makedirs(os.path.dirname(new), exist_ok=True)
    try:
        kind_of(array.path).make(new, tuple(array.shape), array.dtype, tuple(array.unit))
    except BaseException:
        remove(new)
        raise


def put(new, path):
    """What has been made in its place, of which it replaces what is there."""
    remove(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.rename(new, path.rstrip("/"))


def save(path, values):
    """A file of NumPy, in one step."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    np.save(f"{path}.new.npy", values)
    os.rename(f"{path}.new.npy", path)


def remove(path):
    import shutil

    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def bytes_of(shape, dtype):
    return math.prod(shape) * np.dtype(dtype).itemsize
