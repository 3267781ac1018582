from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from pm.pipeline import Pipeline

__all__ = ["Explanation", "Halo", "PartCost", "Report", "explain", "run"]

_Path = str | PathLike[str]
_Tile = int | tuple[int, ...]

@dataclass(frozen=True)
class Report:
    tiles: int
    computed: int
    tile: tuple[int, ...]
    workers: int
    memory: int
    seconds: float
    parts: int = 1

@dataclass(frozen=True)
class Halo:
    name: str
    before: tuple[int, ...]
    behind: tuple[int, ...]
    bytes_read: int
    bytes_there: int
    chunks_read: int
    bytes_of_chunks: int
    @property
    def times(self) -> float: ...
    @property
    def sides(self) -> str: ...

class PartCost:
    outputs: tuple[str, ...]
    tile: tuple[int, ...]
    tiles: int
    passes: int
    workers: int
    memory: int
    halos: list[Halo]
    seconds: float | None
    points_times: float | None
    @property
    def svg(self) -> str: ...

class Explanation:
    parts: list[PartCost]
    tiles: int
    memory: int
    seconds: float | None
    @property
    def svg(self) -> str: ...
    def _repr_html_(self) -> str: ...

def run(
    pipeline: Pipeline | Callable[[int], Pipeline],
    inputs: Any,
    outputs: _Path | Mapping[str, _Path],
    *,
    tile: _Tile | None = None,
    memory: float | str | None = None,
    workers: int | None = None,
    client: Any = None,
    resume: bool = True,
    overwrite: bool = False,
    progress: bool | Callable[[int, int], object] | None = None,
    steps: int | None = None,
    iterates: str | None = None,
    **scalars: float,
) -> Report: ...
def explain(
    pipeline: Pipeline | Callable[[int], Pipeline],
    inputs: Any,
    outputs: _Path | Mapping[str, _Path] | None = None,
    *,
    tile: _Tile | None = None,
    memory: float | str | None = None,
    workers: int | None = None,
    client: Any = None,
    overwrite: bool = False,
    steps: int | None = None,
    iterates: str | None = None,
    measure: bool = True,
    **scalars: float,
) -> Explanation: ...
