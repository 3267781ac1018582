"""What is kept of a run beside its first output: its plan, and which tiles are there (docs/scale.md)."""
import contextlib
import fcntl
import json
import os

from pm import errors, stores


def folder_of(path):
    """Beside an output."""
    return path.rstrip("/") + ".pm"


class Manifest:
    """A folder with a plan and a byte for each tile, that whoever has written the tile sets afterwards. Outputs but the first
    one of a run have a plan alone, which names that run."""

    def __init__(self, folder):
        self.folder = folder
        self._plan, self._tiles = os.path.join(folder, "plan.json"), os.path.join(folder, "tiles")

    @contextlib.contextmanager
    def locked(self):
        """For one run at a time. The system gives it back when the process ends."""
        number = self._lock()
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.rmdir(self.folder)  # of a run that was refused
            os.close(number)

    def _lock(self):
        while True:
            os.makedirs(self.folder, exist_ok=True)
            number = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if self._is_that(number):
                    return number
            except BlockingIOError:
                os.close(number)
                raise errors.ArgumentError(f"another run is writing {stores.name_of(self.folder.removesuffix('.pm'))}") from None
            os.close(number)  # whoever had it has removed it

    def _is_that(self, number):
        try:
            return os.path.samestat(os.fstat(number), os.stat(self.folder))
        except FileNotFoundError:
            return False

    def plan(self):
        """Of the run that began it, or None."""
        try:
            with open(self._plan) as file:
                return json.load(file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except ValueError:
            raise errors.ArgumentError(f"{stores.name_of(self._plan)} is damaged: remove the folder, and the run begins anew") from None

    def check_own(self):
        """Nothing else is in the folder."""
        with contextlib.suppress(FileNotFoundError):
            if self.plan() is None and set(os.listdir(self.folder)) - {"plan.json.new"}:
                raise errors.ArgumentError(f"{stores.name_of(self.folder)} is there, and is of no run: a run keeps there what it has done")

    def keep(self, plan):
        """In one step."""
        with open(self._plan + ".new", "w") as file:
            json.dump(plan, file, indent=1)
        os.rename(self._plan + ".new", self._plan)

    def make_way(self):
        """From now on a run may replace what is there, also when it is stopped."""
        self.keep({"making": True})
        self.clear("plan.json")

    def begin(self, plan, n):
        with open(self._tiles, "wb") as file:
            file.write(bytes(n))
        self.keep(plan)

    def clear(self, *kept):
        """All but these names."""
        for name in os.listdir(self.folder):
            if name not in kept:
                stores.remove(os.path.join(self.folder, name))

    def finish(self, plan):
        self.keep(plan)
        self.clear("plan.json", "tiles")

    def missing(self, n):
        """Numbers of tiles; all n where the file is not whole."""
        try:
            with open(self._tiles, "rb") as file:
                marks = file.read()
        except FileNotFoundError:
            marks = b""
        if len(marks) == n:
            return [number for number, mark in enumerate(marks) if not mark]
        with open(self._tiles, "wb") as file:
            file.write(bytes(n))
        return list(range(n))

    def marks(self):
        """To set them."""
        return stores.File(self._tiles)
