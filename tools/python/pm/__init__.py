"""Image-processing pipelines on NumPy arrays, made fast by a compiler (docs/python.md)."""
from pm._pm import version as __version__
from pm.errors import ArgumentError, CompileError, Diagnostic, DTypeError, Error, ExecutionError, InternalError, PipelineWarning, ShapeError
from pm import constructs
from pm._pm import Workspace
from pm.constructs import *
from pm.notebook import show
from pm.pipeline import Pipeline, build_info, compile, load
from pm.running import threads

__all__ = ["__version__"]
__all__ += ["ArgumentError", "CompileError", "Diagnostic", "DTypeError", "Error", "ExecutionError", "InternalError", "PipelineWarning",
            "ShapeError"]
__all__ += ["Pipeline", "Workspace", "build_info", "compile", "load", "show", "threads", *constructs.__all__]


def __getattr__(name):
    """Modules that few programs need, when they are asked for."""
    if name in ("dask", "scale"):
        import importlib

        return importlib.import_module(f"pm.{name}")
    raise AttributeError(f"module 'pm' has no attribute {name!r}")
