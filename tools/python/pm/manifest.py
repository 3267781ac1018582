"""What is kept of a run beside its first output: its plan, and which tiles are there (docs/scale.md)."""
import contextlib
import fcntl
import json
import os

from pm import errors, stores


class Manifest:
    """A folder with a plan and a byte for each tile, that whoever has written the tile sets afterwards."""

    def __init__(self, folder):
        self.folder = folder
        self._plan, self._tiles = os.path.join(folder, "plan.json"), os.path.join(folder, "tiles")

    @contextlib.contextmanager
    def locked(self):
        """For one run at a time. The system gives it back when the process ends."""
        os.makedirs(self.folder, exist_ok=True)
        number = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError:
            raise errors.ArgumentError(f"another run is writing {stores.name_of(self.folder.removesuffix('.pm'))}") from None
        finally:
            os.close(number)
            with contextlib.suppress(OSError):
                os.rmdir(self.folder)  # of a run that was refused

    def plan(self):
        """Of the run that began it, or None."""
        try:
            with open(self._plan) as file:
                return json.load(file)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None

    def keep(self, plan):
        """In one step."""
        with open(self._plan + ".new", "w") as file:
            json.dump(plan, file, indent=1)
        os.rename(self._plan + ".new", self._plan)

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
