from collections.abc import Mapping
from typing import Any

from pm.pipeline import Pipeline
from pm.scale import explain, run

__all__ = ["explain", "map", "run"]

def map(
    pipeline: Pipeline,
    *arrays: Any,
    chunks: int | str | tuple[Any, ...] | Mapping[int, Any] | None = None,
    halo: str = "auto",
    allow_rechunk: bool = False,
    **named: Any,
) -> Any: ...
