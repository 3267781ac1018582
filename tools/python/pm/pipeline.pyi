import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypedDict, Unpack

from pm import _pm
from pm.constructs import Function
from pm.constructs import Reduction, Accumulator, TStencil
from pm.errors import Diagnostic
from pm.measured import Profile, Roofline
from pm.notebook import Drawing, Page

_Number = int | float
_Numbers = Mapping[str, _Number | str | Sequence[_Number]]
_Ranges = Mapping[str, str | tuple[_Number, _Number]]
_Path = str | os.PathLike[str]
_Stage = Function | Reduction | Accumulator | TStencil

class _CompileOptions(TypedDict, total=False):
    target: str | None
    fp: Literal["strict", "contract", "fast"] | None
    threads: int | None
    schedule: str | None
    estimates: Mapping[str, int] | None
    settings: Sequence[str] | None
    cache: bool
    machine: str | None
    vector: str | None
    passes: str | None
    parallel: Literal["pool", "openmp"] | None
    compiler: str | None
    cflags: str | None
    cpu: str | None
    features: str | None

class _Options(_CompileOptions, total=False):
    const: _Numbers | None
    range: _Ranges | None
    language: str | None
    function: str | None
    function_name: str | None
    generator: str | None
    live_out: str | Sequence[str] | None
    include: Sequence[_Path] | None
    include_dirs: Sequence[_Path] | None

@dataclass(frozen=True)
class Parameter:
    kind: str
    name: str
    dtype: str
    extents: tuple[str, ...]
    @property
    def text(self) -> str: ...
    @property
    def annotation(self) -> str: ...

@dataclass(frozen=True)
class Timing:
    best: float
    median: float
    runs: int

def targets() -> dict[str, dict[str, Any]]: ...
def default_target() -> str: ...

class Pipeline(_pm.Function):
    def __init__(self, text: str | bytes, filename: _Path, **options: Unpack[_Options]) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> tuple[Parameter, ...]: ...
    @property
    def inputs(self) -> tuple[Parameter, ...]: ...
    @property
    def outputs(self) -> tuple[Parameter, ...]: ...
    @property
    def signature(self) -> str: ...
    @property
    def __signature__(self) -> inspect.Signature: ...
    @property
    def source(self) -> str: ...
    @property
    def remarks(self) -> list[Diagnostic]: ...
    @property
    def warnings(self) -> list[Diagnostic]: ...
    @property
    def asm(self) -> str: ...
    @property
    def svg(self) -> Drawing: ...
    @property
    def page(self) -> Page: ...
    def ir(self, passes: str = ...) -> str: ...
    def derived(self, text: str) -> Self: ...
    def with_settings(self, *settings: str) -> Self: ...
    def trace(self, *args: Any, **kwargs: Any) -> Any: ...
    def time(self, *args: Any, seconds: float = ..., **kwargs: Any) -> Timing: ...
    def profile(self, *args: Any, seconds: float = ..., **kwargs: Any) -> Profile: ...
    def roofline(self, *args: Any, seconds: float = ..., **kwargs: Any) -> Roofline: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]: ...

def compile(
    outputs: _Stage | Sequence[_Stage | Sequence[_Stage]],
    *,
    name: str | None = None,
    const: _Numbers | None = None,
    range: _Ranges | None = None,
    **options: Unpack[_CompileOptions],
) -> Pipeline: ...
def load(file: _Path, **options: Unpack[_Options]) -> Pipeline: ...
def build_info() -> dict[str, Any]: ...
