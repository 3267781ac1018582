from typing import Any, NamedTuple

class Group(NamedTuple):
    group: str
    stages: int
    seconds: float
    predicted: float
    share: float
    bytes: float
    operations: float

class Profile(list[Group]):
    seconds: float
    rest: float
    threads: int
    note: str
    def __init__(self, run: dict[str, Any], note: str = ...) -> None: ...
    def to_dict(self) -> dict[str, list[Any]]: ...

class Point(NamedTuple):
    group: str
    intensity: float
    rate: float
    bound: float

class Roofline(list[Point]):
    machine: str | None
    compute: float
    memory: float
    cache: float
    def __init__(self, run: dict[str, Any], machine: str | None = ...) -> None: ...
    def to_dict(self) -> dict[str, list[Any]]: ...
    def plot(self, axes: Any = ...) -> Any: ...

def measure(pipeline: Any, options: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any], seconds: float) -> dict[str, Any]: ...
def profile(pipeline: Any, options: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any], seconds: float) -> Profile: ...
def roofline(pipeline: Any, options: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any], seconds: float) -> Roofline: ...
