"""Image-processing pipelines on NumPy arrays, made fast by a compiler (docs/python.md)."""
from pm._pm import Workspace
from pm.constructs import (
    Parameter, Image, Variable, Interval, Function, Reduction, Accumulator, TStencil, Table, Case, Condition,
    Select, Cast, Stencil, Reduce, Accumulate, Op, Min, Max, Pow, Powf, Exp, Log, Sin, Cos, Sqrt, Sqrtf, Abs,
    RandomFloat, Sum, Prod, Mul, And, Or, ArgMin, ArgMax, Require, Int, UInt, Short, UShort, Char, UChar,
    Long, ULong, Float, Double,
)
from pm.errors import ArgumentError, CompileError, Diagnostic, DTypeError, Error, ExecutionError, InternalError, PipelineWarning, ShapeError
from pm.notebook import show
from pm.pipeline import Pipeline, build_info, compile, load
from pm.running import threads

__version__: str
__all__ = ["__version__"]
__all__ += ["ArgumentError", "CompileError", "Diagnostic", "DTypeError", "Error", "ExecutionError", "InternalError", "PipelineWarning",
            "ShapeError"]
__all__ += ["Pipeline", "Workspace", "build_info", "compile", "load", "show", "threads"]
__all__ += [
    "Parameter", "Image", "Variable", "Interval", "Function", "Reduction", "Accumulator", "TStencil",
    "Table", "Case", "Condition", "Select", "Cast", "Stencil", "Reduce", "Accumulate", "Op", "Min", "Max",
    "Pow", "Powf", "Exp", "Log", "Sin", "Cos", "Sqrt", "Sqrtf", "Abs", "RandomFloat", "Sum", "Prod", "Mul",
    "And", "Or", "ArgMin", "ArgMax", "Require", "Int", "UInt", "Short", "UShort", "Char", "UChar", "Long",
    "ULong", "Float", "Double",
]
