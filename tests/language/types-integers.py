# Every integer type as that of a stage, in the three spellings: values wrap at its width.
# RUN: %python %lib/values.py %s img=i64:0,-1,127,128,255,256,32768,65535,-32769,2147483648,4294967295,-9223372036854775807 i8 u8 i16 u16 i32 u32 i64 u64 | FileCheck %s --match-full-lines
# CHECK: i8: 0 -1 127 -128 -1 0 0 -1 -1 0 -1 1
# CHECK-NEXT: u8: 0 255 127 128 255 0 0 255 255 0 255 1
# CHECK-NEXT: i16: 0 -1 127 128 255 256 -32768 -1 32767 0 -1 1
# CHECK-NEXT: u16: 0 65535 127 128 255 256 32768 65535 32767 0 65535 1
# CHECK-NEXT: i32: 0 -1 127 128 255 256 32768 65535 -32769 -2147483648 -1 1
# CHECK-NEXT: u32: 0 4294967295 127 128 255 256 32768 65535 4294934527 2147483648 4294967295 1
# CHECK-NEXT: i64: 0 -1 127 128 255 256 32768 65535 -32769 2147483648 4294967295 -9223372036854775807
# CHECK-NEXT: u64: 0 18446744073709551615 127 128 255 256 32768 65535 18446744073709518847 2147483648 4294967295 9223372036854775809
import dsl
N = Parameter(Int)
img = Image(Long, "img", [N])
x = Variable()
all = Interval(0, N - 1)


def stage(type, name):
    f = Function(([x], [all]), type, name)
    f.defn = [img(x)]
    return f


stage(Char, "i8"), stage(UChar, "u8"), stage(Short, "i16")
u16 = Function(varDom = ([x], [all]), UShort)
u16.defn = [img(x)]
i32 = Function(varDom = ([x], [all]), Int)
i32.defn = img(x)
u32 = dsl.Function(dsl.UInt, "u32")
u32.variableDomain = ([x], [all])
u32.definition = img(x)
stage(Long, "i64"), stage(ULong, "u64")
