from collections.abc import Callable, Mapping
from typing import Any

from pm.pipeline import Pipeline
from pm.scale import explain, run

__all__ = ["explain", "map", "run"]

def map(
    pipeline: Pipeline | Callable[[int], Pipeline],
    *arrays: Any,
    chunks: int | str | tuple[Any, ...] | Mapping[int, Any] | None = None,
    halo: str = "auto",
    allow_rechunk: bool = False,
    steps: int | None = None,
    iterates: str | None = None,
    **named: Any,
) -> Any: ...
