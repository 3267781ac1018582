"""Pictures in files, as halide.imageio has them: planes of colours, by the package imageio."""
import numpy

try:
    import imageio.v2 as _imageio
except ImportError:
    import imageio as _imageio


def is_interleaved(im):
    """The last axis is of colours."""
    im = numpy.asarray(im)
    return im.ndim == 3 and im.strides[2] == im.itemsize and im.shape[2] in (1, 2, 3, 4)


def copy_to_interleaved(im):
    im = numpy.asarray(im)
    return im if im.ndim != 3 or is_interleaved(im) else numpy.copy(numpy.moveaxis(im, 0, 2), order="C")


def copy_to_planar(im):
    im = numpy.asarray(im)
    return numpy.copy(numpy.moveaxis(im, 2, 0), order="C") if is_interleaved(im) else im


def imread(uri, format=None, **kwargs):
    return copy_to_planar(_imageio.imread(uri, format, **kwargs))


def imwrite(uri, im, format=None, **kwargs):
    _imageio.imwrite(uri, copy_to_interleaved(im), format, **kwargs)
