"""Halide's names (docs/python.md): `import pm.halide as hl` in place of `import halide as hl`.

What Halide has and this package has not is an error that names it.
"""
from pm.errors import CompileError
from pm.errors import Error as HalideError
from pm.halide import kinds as _kinds
from pm.halide.buffers import Buffer, BufferDimension
from pm.halide.expressions import FUNCTIONS as _FUNCTIONS
from pm.halide.expressions import Expr, Range, RDom, RVar, Tuple, Var
from pm.halide.functions import (
    BoundaryConditions, Func, FuncRef, FuncTupleElementRef, LoopLevel, Stage, evaluate, funcs, lambda_func, vars,
)
from pm.halide.inputs import Dimension, ImageParam, Param
from pm.halide.kinds import (
    Bool, DeviceAPI, Float, Handle, Int, LoopAlignStrategy, MemoryType, Partition, PrefetchBoundStrategy, StmtOutputFormat,
    TailStrategy, Target, TargetArch, TargetFeature, TargetOS, Type, TypeCode, UInt, get_host_target, get_jit_target_from_environment,
    get_target_from_environment, host_supports_target_device,
)
from pm.halide.pipelines import Callable, Pipeline

__all__ = """BoundaryConditions Bool Buffer BufferDimension Callable CompileError DeviceAPI Dimension Expr Float Func FuncRef
FuncTupleElementRef Handle HalideError ImageParam Int LoopAlignStrategy LoopLevel MemoryType Param Partition Pipeline
PrefetchBoundStrategy RDom RVar Range Stage StmtOutputFormat TailStrategy Target TargetArch TargetFeature TargetOS Tuple Type
TypeCode UInt Var evaluate funcs get_host_target get_jit_target_from_environment get_target_from_environment
host_supports_target_device lambda_func vars""".split()
__all__ += sorted(_FUNCTIONS)
globals().update(_FUNCTIONS)

# Of Halide 21, and not here.
_MISSING = set("""ArgInfo ArgInfoDirection ArgInfoKind Argument ArgumentEstimates ArgumentKind AutoSchedulerResults
AutoschedulerParams BFloat Derivative EvictionKey ExternFuncArgument Generator GeneratorContext GeneratorParam
InputBuffer InputScalar LinkageType Module NameMangling OutputBuffer OutputFileType OutputImageParam OutputScalar Parameter
TargetProcessorTune VarOrRVar active_generator_context alias compile_standalone_runtime concat_bits
create_callable_from_generator deserialize_parameters deserialize_pipeline erf evaluate_may_gpu extract_bits gather generator
install_dir link_modules load_plugin main memoize_tag print print_when propagate_adjoints require scatter serialize_pipeline
target_arch_is target_bits target_feature_for_device_api target_has_feature target_natural_vector_size target_os_is
user_context_value""".split())


def __getattr__(name):
    if name == "_" or (name[:1] == "_" and name[1:].isdigit()):  # places of arguments that a Var has not
        made = globals()[name] = Var(name)
        return made
    if name in _MISSING:
        raise _kinds.missing(name)
    raise AttributeError(f"module 'pm.halide' has no attribute {name!r}")
