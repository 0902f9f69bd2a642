"""Exact, fast Laplacian positional encodings for temporal graphs."""

from supra_core import generators
from supra_core.eigen import (
    LOBPCG,
    Approximation,
    Auto,
    Davidson,
    Dense,
    EigenResult,
    FillError,
    Lanczos,
    ShiftInvert,
    Solver,
    Trajectory,
    eigenpairs,
)
from supra_core.encoding import Encoder, Encoding, Encodings, Stability, StreamEncoder
from supra_core.errors import (
    ConvergenceWarning,
    InvalidArgumentError,
    InvalidGraphError,
    SupraError,
    TruncationWarning,
)
from supra_core.io import write_edges
from supra_core.laplacian import laplacian
from supra_core.pairs import PairFeatures, PairPast, pair_features
from supra_core.smoothness import Smoothness, smoothness, trace_energy
from supra_core.supra_graph import SupraGraph, layer_graph, supra_graph
from supra_core.temporal_graph import TemporalGraph
from supra_core.version import __version__ as __version__

read_edges = TemporalGraph.read_edges

__all__ = [
    "LOBPCG",
    "Approximation",
    "Auto",
    "ConvergenceWarning",
    "Davidson",
    "Dense",
    "EigenResult",
    "Encoder",
    "Encoding",
    "Encodings",
    "FillError",
    "InvalidArgumentError",
    "InvalidGraphError",
    "Lanczos",
    "PairFeatures",
    "PairPast",
    "ShiftInvert",
    "Smoothness",
    "Solver",
    "Stability",
    "StreamEncoder",
    "SupraError",
    "SupraGraph",
    "TemporalGraph",
    "Trajectory",
    "TruncationWarning",
    "eigenpairs",
    "generators",
    "laplacian",
    "layer_graph",
    "pair_features",
    "read_edges",
    "smoothness",
    "supra_graph",
    "trace_energy",
    "write_edges",
]
