"""PolyMage's own programs, built by this compiler: python -m pm.polymage main.py ARGUMENT…"""
from typing import Any

class Pipe:
    name: str
    def __init__(self, pmir: str, name: str, estimates: list[str]) -> None: ...
    def generate_code(self, is_extern_c_func: bool = ..., are_io_void_ptrs: bool = ..., outputs_no_alloc: bool = ...) -> str: ...
    @property
    def pipeline_graph(self) -> Any: ...

def buildPipeline(
    outputs: Any,
    param_estimates: Any = ...,
    param_constraints: Any = ...,
    grouping: Any = ...,
    group_size: Any = ...,
    inline_directives: Any = ...,
    tile_sizes: Any = ...,
    size_threshold: Any = ...,
    pipe_name: str | None = ...,
    options: Any = ...,
) -> Pipe: ...
def install() -> None: ...
def main(arguments: list[str]) -> None: ...
