"""Types of elements, by the numbers that pm.h has for them."""

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
         "float32", "float64", "int64")


def dtype(number):
    """What numpy.empty takes."""
    name = NAMES[number]
    if name != "bfloat16":
        import numpy

        return numpy.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        # Only a result needs it: arrays that are given have their own.
        return None
    return ml_dtypes.bfloat16
