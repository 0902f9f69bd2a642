"""Temporal link prediction with positional encodings: datasets, protocol, training, the ``supra`` command."""

__version__ = "0.1.0"
