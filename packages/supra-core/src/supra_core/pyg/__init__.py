"""Transforms for PyTorch Geometric (the extra ``pyg``): encodings of snapshots, of events, of one graph."""

try:
    import torch as _torch  # noqa: F401
    import torch_geometric as _torch_geometric  # noqa: F401
except ImportError as error:
    raise ImportError("this needs torch and torch_geometric: pip install 'supra-core[pyg]'") from error

from supra_core.pyg.laplacian_pe import AddLaplacianPE
from supra_core.pyg.snapshots import temporal_graph_of
from supra_core.pyg.supra_laplacian_pe import AddSupraLaplacianPE, layer_window

__all__ = ["AddLaplacianPE", "AddSupraLaplacianPE", "layer_window", "temporal_graph_of"]
