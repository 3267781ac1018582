"""Types, enumerations and targets of Halide's names: constants, which no session makes."""
import numpy

from pm import recorded


class Missing(AttributeError, NotImplementedError):
    """A name of Halide's that is not here."""


def missing(name, why=""):
    return Missing(f"{name} is Halide's, and not part of pm.halide" + (f": {why}" if why else ""))


_MAKERS = {"uint": "UInt", "int": "Int", "float": "Float", "handle": "Handle"}


class Type(recorded.Constant):
    """What UInt(8), Float(32) make."""

    __slots__ = ("_code", "_bits")

    def __init__(self, code="handle", bits=0, lanes=1):
        if lanes != 1:
            raise missing("a Type of several lanes", "the optimizer makes vectors")
        self._code = code if isinstance(code, str) else code.word
        self._bits = bits

    def resolve(self, session):
        if self.is_handle():
            raise missing("an Expr of type Handle()")
        if self not in session.constants:
            maker = session.find(_MAKERS[self._code], None)
            session.constants[self] = session.made.call(maker, (self._bits,), {}, (0, 0, 0))
        return session.constants[self]

    def __eq__(self, other):
        return isinstance(other, Type) and (self._code, self._bits) == (other._code, other._bits)

    def __hash__(self):
        return hash((self._code, self._bits))

    def __str__(self):
        return "bool" if self.is_bool() else "handle" if self.is_handle() else f"{self._code}{self._bits}"

    def __repr__(self):
        return f"<halide.Type {self}>"

    def code(self):
        return TypeCode[_MAKERS[self._code]]

    def bits(self):
        return self._bits

    def bytes(self):
        return (self._bits + 7) // 8

    def lanes(self):
        return 1

    def with_code(self, code):
        return Type(code, self._bits)

    def with_bits(self, bits):
        return Type(self._code, bits)

    def with_lanes(self, lanes):
        return Type(self._code, self._bits, lanes)

    def element_of(self):
        return self

    def is_bool(self):
        return self._code == "uint" and self._bits == 1

    def is_float(self):
        return self._code == "float"

    def is_int(self):
        return self._code == "int"

    def is_uint(self):
        return self._code == "uint"

    def is_scalar(self):
        return True

    def is_vector(self):
        return False

    def is_bfloat(self):
        return False

    def is_handle(self):
        return self._code == "handle"

    def can_represent(self, other):
        if self == other:
            return True
        if self.is_handle() or other.is_handle():
            return False
        if self.is_float():
            mantissa = {16: 11, 32: 24, 64: 53}[self._bits]
            return other._bits <= self._bits if other.is_float() else other._bits - other.is_int() <= mantissa
        if other.is_float() or (self.is_uint() and other.is_int()):
            return False
        return self._bits > other._bits or (self._code == other._code and self._bits >= other._bits)

    def _dtype(self):
        return numpy.dtype("bool" if self.is_bool() else f"{self._code}{self._bits}")


_OF_LANGUAGE = {"bool": ("uint", 1), "float": ("float", 32), "double": ("float", 64), "float16": ("float", 16)}


def type_of_text(text):
    """Of a name as the compiler's messages have it."""
    if text in _OF_LANGUAGE:
        return Type(*_OF_LANGUAGE[text])
    code = text.rstrip("0123456789")
    return Type(code, int(text[len(code):]))


def type_of_dtype(dtype):
    dtype = numpy.dtype(dtype)
    if dtype.kind not in "buif" or dtype.itemsize > 8:
        raise ValueError(f"Unsupported Buffer<> type: {dtype}.")
    return Type("uint", 1) if dtype.kind == "b" else Type({"u": "uint", "i": "int", "f": "float"}[dtype.kind], 8 * dtype.itemsize)


def Int(bits, lanes=1):
    return Type("int", bits, lanes)


def UInt(bits, lanes=1):
    return Type("uint", bits, lanes)


def Float(bits, lanes=1):
    return Type("float", bits, lanes)


def Bool(lanes=1):
    return Type("uint", 1, lanes)


def Handle(lanes=1):
    return Type("handle", 64, lanes)


# --- enumerations ---


class Word(recorded.Constant):
    """An enumerator, in C++ TailStrategy::RoundUp."""

    __slots__ = ("kind", "name", "word")

    def __init__(self, kind, name, word):
        self.kind, self.name, self.word = kind, name, word

    def __repr__(self):
        return f"<{self.kind}.{self.name}>"

    def resolve(self, session):
        return session.find(self.word, None)


class _Enumeration(type):
    def __getitem__(cls, name):
        return cls.__dict__[name]


def _enumeration(name, words, prefix=None):
    prefix = f"{prefix or name}::"
    return _Enumeration(name, (), {word: Word(name, word, prefix + word) for word in words.split()})


TailStrategy = _enumeration(
    "TailStrategy",
    "RoundUp GuardWithIf Predicate PredicateLoads PredicateStores ShiftInwards ShiftInwardsAndBlend RoundUpAndBlend Auto",
)
LoopAlignStrategy = _enumeration("LoopAlignStrategy", "AlignStart AlignEnd NoAlign Auto")
MemoryType = _enumeration("MemoryType", "Auto Heap Stack Register GPUShared GPUTexture LockedCache VTCM")
PrefetchBoundStrategy = _enumeration("PrefetchBoundStrategy", "Clamp GuardWithIf NonFaulting")
Partition = _enumeration("Partition", "Auto Never Always")
DeviceAPI = _enumeration("DeviceAPI", "None Host Default_GPU CUDA Vulkan OpenCL Metal Hexagon")
TargetOS = _enumeration("TargetOS", "OSUnknown Linux Windows OSX Android IOS QuRT NoOS wasmrt", "Target")
TargetArch = _enumeration("TargetArch", "ArchUnknown X86 ARM Hexagon POWERPC RISCV WebAssembly", "Target")
StmtOutputFormat = _enumeration("StmtOutputFormat", "Text HTML")
TargetFeature = _enumeration(
    "TargetFeature",
    "JIT Debug NoAsserts NoBoundsQuery SSE41 AVX AVX2 FMA F16C AVX512 AVX512_Skylake CUDA OpenCL Metal Vulkan WebGPU "
    "D3D12Compute StrictFloat LargeBuffers Profile HVX",
    "Target",
)
TypeCode = _Enumeration("TypeCode", (), {w: Word("TypeCode", w, w.lower()) for w in ("Int", "UInt", "Float", "Handle")})

_GPU = {"CUDA", "OpenCL", "Metal", "Vulkan", "WebGPU", "D3D12Compute", "HVX"}


class Target:
    """The processor of this process. A device in its features is refused where the pipeline is computed."""

    def __init__(self, *given):
        if given and not (len(given) == 1 and given[0] in ("", "host")):
            raise missing(f"Target{given!r}", "pipelines are computed on this processor, Target()")
        self.os, self.arch, self.bits = TargetOS.Linux, TargetArch.X86, 64
        self._features = frozenset()

    def has_feature(self, feature):
        return feature in self._features

    def features_any_of(self, features):
        return any(map(self.has_feature, features))

    def features_all_of(self, features):
        return all(map(self.has_feature, features))

    def with_feature(self, feature):
        made = Target()
        made._features = self._features | {feature}
        return made

    def without_feature(self, feature):
        made = Target()
        made._features = self._features - {feature}
        return made

    def set_feature(self, feature, value=True):
        self._features = (self.with_feature if value else self.without_feature)(feature)._features

    def has_gpu_feature(self):
        return any(f.name in _GPU for f in self._features)

    def natural_vector_size(self, type):
        return 32 // type.bytes()

    def __eq__(self, other):
        return isinstance(other, Target) and self._features == other._features

    def __hash__(self):
        return hash(self._features)

    def to_string(self):
        return "-".join(["x86-64-linux", *sorted(f.name.lower() for f in self._features)])

    __str__ = to_string

    def __repr__(self):
        return f"<halide.Target {self}>"


def get_host_target():
    return Target()


get_jit_target_from_environment = get_target_from_environment = get_host_target


def host_supports_target_device(target):
    return not target.has_gpu_feature()


def rules_of(target):
    """The rules for floating point of a target, which should be a processor."""
    if target is None:
        return None
    if target.has_gpu_feature():
        raise missing(f"the target {target}", "realize computes on this processor")
    return "strict" if target.has_feature(TargetFeature.StrictFloat) else None
