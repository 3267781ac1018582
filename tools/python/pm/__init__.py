"""Image-processing pipelines on NumPy arrays, made fast by a compiler (docs/python.md)."""
from pm._pm import version as __version__
from pm.errors import ArgumentError, CompileError, Diagnostic, DTypeError, Error, ExecutionError, InternalError, ShapeError
from pm.function import Function, build_info, load

__all__ = ["__version__"]
__all__ += ["ArgumentError", "CompileError", "Diagnostic", "DTypeError", "Error", "ExecutionError", "InternalError", "ShapeError"]
__all__ += ["Function", "build_info", "load"]
