"""Exact, fast Laplacian positional encodings for temporal graphs."""

from supra_core import generators
from supra_core.errors import (
    ConvergenceWarning,
    InvalidArgumentError,
    InvalidGraphError,
    SupraError,
    TruncationWarning,
)
from supra_core.laplacian import laplacian
from supra_core.supra_graph import SupraGraph, layer_graph, supra_graph
from supra_core.temporal_graph import TemporalGraph

__version__ = "0.1.0"

__all__ = [
    "ConvergenceWarning",
    "InvalidArgumentError",
    "InvalidGraphError",
    "SupraError",
    "SupraGraph",
    "TemporalGraph",
    "TruncationWarning",
    "generators",
    "laplacian",
    "layer_graph",
    "supra_graph",
]
