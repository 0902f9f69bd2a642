"""The version of this package, apart so that any module may ask for it."""

__version__ = "0.1.0"
