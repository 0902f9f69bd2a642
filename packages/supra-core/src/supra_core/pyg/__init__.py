"""Transforms for PyTorch Geometric (the extra ``pyg``): encodings of snapshots, of events, of one graph."""

from supra_core.extras import missing

try:
    import torch as _torch  # noqa: F401
    import torch_geometric as _torch_geometric  # noqa: F401
except ImportError as error:
    raise missing("torch", "torch-geometric", extra="pyg") from error

from supra_core.pyg.laplacian_pe import AddLaplacianPE
from supra_core.pyg.snapshots import temporal_graph_of
from supra_core.pyg.supra_laplacian_pe import AddSupraLaplacianPE, layer_window

__all__ = ["AddLaplacianPE", "AddSupraLaplacianPE", "layer_window", "temporal_graph_of"]
