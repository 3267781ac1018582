"""Types, enumerations and targets of Halide's names: constants, which no session makes."""
import functools
import platform
import re

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

    def same_handle_type(self, other):
        return self.is_handle() == other.is_handle()

    def _ends(self):
        """Of integers."""
        if self.is_handle() or self.is_float():
            return None, None
        return (-(1 << (self._bits - 1)), (1 << (self._bits - 1)) - 1) if self.is_int() else (0, (1 << self._bits) - 1)

    def is_min(self, value):
        return value == self._ends()[0]

    def is_max(self, value):
        return value == self._ends()[1]

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
    "JIT Debug NoAsserts NoBoundsQuery NoRuntime UserContext TraceLoads TraceStores TraceRealizations TracePipeline SSE41 AVX "
    "AVX2 FMA FMA4 F16C AVX512 AVX512_KNL AVX512_Skylake AVX512_Cannonlake AVX512_SapphireRapids AVX512_Zen4 AVX512_Zen5 AVXVNNI "
    "CUDA OpenCL Metal Vulkan WebGPU D3D12Compute StrictFloat LargeBuffers Profile ProfileByTimer HVX",
    "Target",
)
TypeCode = _Enumeration("TypeCode", (), {w: Word("TypeCode", w, w.lower()) for w in ("Int", "UInt", "Float", "Handle")})

_GPU = {"CUDA", "OpenCL", "Metal", "Vulkan", "WebGPU", "D3D12Compute", "HVX"}


# Names in texts, as x86-64-linux-avx2-strict_float.
_ARCHITECTURES = {"x86": "X86", "arm": "ARM", "hexagon": "Hexagon", "powerpc": "POWERPC", "riscv": "RISCV", "wasm": "WebAssembly"}
_SYSTEMS = {"linux": "Linux", "windows": "Windows", "osx": "OSX", "android": "Android", "ios": "IOS", "qurt": "QuRT", "noos": "NoOS",
            "wasmrt": "wasmrt"}


def _text_of(feature):
    return {"WebGPU": "webgpu"}.get(feature.name) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", feature.name).lower()


_FEATURES = {_text_of(f): f for f in vars(TargetFeature).values() if isinstance(f, Word)}
# What Linux calls the features of a processor; all of a row are needed.
_FLAGS = {"SSE41": "sse4_1", "AVX": "avx", "AVX2": "avx2", "FMA": "fma", "F16C": "f16c", "AVX512": "avx512f avx512cd",
          "AVX512_Skylake": "avx512f avx512cd avx512vl avx512bw avx512dq", "AVX512_Cannonlake": "avx512ifma avx512vbmi avx512vl avx512bw"}


@functools.cache
def _host():
    """(architecture, system, bits, features) of this processor."""
    machine, flags = platform.machine(), set()
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            flags = set(next((line for line in file if line.startswith("flags")), "").split())
    except OSError:
        pass
    arch = {"x86_64": "X86", "aarch64": "ARM", "riscv64": "RISCV", "ppc64le": "POWERPC"}.get(machine, "ArchUnknown")
    features = frozenset(TargetFeature[name] for name, needed in _FLAGS.items() if flags.issuperset(needed.split()))
    return TargetArch[arch], TargetOS.Linux, 64, features


class Target:
    """Target(), Target("x86-64-linux-avx2"), Target(os, arch, bits, features). Pipelines are computed on this processor: of a
    target they get the rules for floating point; another processor and devices are refused there."""

    def __init__(self, *given):
        self.arch, self.os, self.bits, features = _host()
        if len(given) == 1 and isinstance(given[0], str):
            features = self._parsed(given[0].split("-")) if given[0] else features
        elif given:
            self.os, self.arch, self.bits, *rest = given
            features = rest[0] if rest else ()
        self._features = frozenset(features)

    def _parsed(self, words):
        """The features of a text, whose other words are kept."""
        features = set()
        for at, word in enumerate(words):
            if word == "host" and at == 0:
                features |= _host()[3]
            elif word in _ARCHITECTURES:
                self.arch = TargetArch[_ARCHITECTURES[word]]
            elif word in _SYSTEMS:
                self.os = TargetOS[_SYSTEMS[word]]
            elif word in ("32", "64"):
                self.bits = int(word)
            elif word in _FEATURES:
                features.add(_FEATURES[word])
            else:
                raise missing(f"{word} of Target({'-'.join(words)!r})")
        return features

    @staticmethod
    def validate_target_string(name):
        try:
            return bool(Target(name)) and bool(name)
        except Missing:
            return False

    def has_feature(self, feature):
        return feature in self._features

    def features_any_of(self, features):
        return any(map(self.has_feature, features))

    def features_all_of(self, features):
        return all(map(self.has_feature, features))

    def with_feature(self, feature):
        return Target(self.os, self.arch, self.bits, self._features | {feature})

    def without_feature(self, feature):
        return Target(self.os, self.arch, self.bits, self._features - {feature})

    def set_feature(self, f, value=True):
        self.set_features([f], value)

    def set_features(self, features, value=True):
        self._features = self._features.union(features) if value else self._features.difference(features)

    def has_gpu_feature(self):
        return any(f.name in _GPU for f in self._features)

    def has_large_buffers(self):
        return self.bits == 64 and self.has_feature(TargetFeature.LargeBuffers)

    def maximum_buffer_size(self):
        return 2**63 - 1 if self.has_large_buffers() else 2**31 - 1

    def supported(self):
        """Whether pipelines are computed for it."""
        return (self.arch, self.os, self.bits) == _host()[:3] and not self.has_gpu_feature()

    def supports_device_api(self, device):
        return device in (DeviceAPI.Host, getattr(DeviceAPI, "None"))

    def supports_type(self, type, device=None):
        return (device is None or self.supports_device_api(device)) and not type.is_bfloat()

    def natural_vector_size(self, type):
        has = self.has_feature
        if has(TargetFeature.AVX512_Skylake) or has(TargetFeature.AVX512_Cannonlake):
            size = 64
        elif has(TargetFeature.AVX2) or (has(TargetFeature.AVX) and type.is_float()):
            size = 32
        else:
            size = 16
        return size // type.bytes()

    def _key(self):
        return self.arch, self.os, self.bits, self._features

    def __eq__(self, other):
        return isinstance(other, Target) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def to_string(self):
        arch = next((text for text, name in _ARCHITECTURES.items() if name == self.arch.name), "arch_unknown")
        system = next((text for text, name in _SYSTEMS.items() if name == self.os.name), "os_unknown")
        return "-".join([arch, str(self.bits), system, *sorted(map(_text_of, self._features))])

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
    if not target.supported():
        raise missing(f"the target {target}", "realize computes on this processor")
    return "strict" if target.has_feature(TargetFeature.StrictFloat) else None
