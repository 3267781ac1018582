"""Image-processing pipelines on NumPy arrays, made fast by a compiler (docs/python.md)."""
from pm._pm import version as __version__

__all__ = ["__version__"]
