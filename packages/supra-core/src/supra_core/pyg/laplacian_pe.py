"""Laplacian eigenvectors of one graph that does not change."""

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch  # noqa: F401 - for the example
from torch import Tensor
from torch_geometric.data import Batch, Data
from torch_geometric.transforms import BaseTransform

from supra_core import checks
from supra_core.eigen.auto import Auto
from supra_core.eigen.result import Array
from supra_core.eigen.solve import pairs_of_checked
from supra_core.eigen.solver import Solver
from supra_core.encoding.decomposition import canonical_signs, trivial_first
from supra_core.errors import ConvergenceWarning, InvalidArgumentError, InvalidGraphError, TruncationWarning
from supra_core.laplacian import degrees, laplacian_of_checked
from supra_core.pyg.attributes import check_attr_name, tensor_of, with_encoding
from supra_core.pyg.snapshots import directed_edges, put_together, taken_apart

# Vectors beside the answer that spare the verification a part of its search.
_GUARDS = 2


class AddLaplacianPE(BaseTransform):
    """Adds the lowest eigenvectors of a graph's Laplacian, exact and checked.

    It stands where PyG's ``AddLaplacianEigenvectorPE`` stands: the same matrix, I − D^-1/2 A D^-1/2, the same
    eigenvectors but the trivial one, in the same layout. The differences: the solver is this package's, the
    residuals are checked, and signs are fixed (the largest entry of each column is positive), so that the
    same graph always has the same encoding.

    Args:
        k: eigenvectors, without the trivial one.
        attr_name: where the encoding goes, a tensor of shape (num_nodes, k) of PyTorch's default type, on the
            device of ``edge_index``; ``None`` appends it to ``x``.
        is_undirected: edges are listed in both directions; it is checked. Otherwise an edge listed in one
            direction counts as undirected, and one listed in both counts once, with the larger weight.
        tol: the residual norm to reach.
        solver: ``Auto(tol)`` where not given.
        seed: fixes the solver's random start.

    It takes one ``Data``, with ``edge_weight`` or without, or a ``Batch``, each of whose graphs is encoded by
    itself. Nodes without edges get zeros, and so do the columns for which a graph has too few eigenvectors.
    The input stays as it is.

    Raises:
        InvalidArgumentError: settings or data of another kind.
        InvalidGraphError: edges that are none, or not symmetric though ``is_undirected`` says so.

    Warns:
        ConvergenceWarning: an eigenvector is less accurate than ``tol``.
        TruncationWarning: there are fewer than ``k``.

    Example:
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> AddLaplacianPE(k=2)(path).pe.shape
        torch.Size([3, 2])
        >>> AddLaplacianPE(k=2)
        AddLaplacianPE(k=2, attr_name='pe', is_undirected=False, tol=1e-06, solver=None, seed=0)
    """

    def __init__(
        self,
        k: int,
        attr_name: str | None = "pe",
        is_undirected: bool = False,
        *,
        tol: float = 1e-6,
        solver: Solver | None = None,
        seed: int = 0,
    ) -> None:
        self.k = checks.check_count("k", k)
        self.attr_name = check_attr_name(attr_name)
        self.is_undirected = checks.check_choice("is_undirected", is_undirected, (True, False))
        self.tol = checks.check_nonnegative("tol", tol, positive=True)
        if solver is not None and not hasattr(solver, "solve"):
            raise InvalidArgumentError.of("solver", solver, "None or a solver such as Lanczos()")
        self.solver = solver
        self.seed = checks.check_count("seed", seed, minimum=0)

    def forward(self, data: Any) -> Any:
        """A copy with the encoding."""
        if isinstance(data, Batch):
            parts = taken_apart(data)
            return put_together([self._with(part, f"data[{i}]") for i, part in enumerate(parts)], data)
        if not isinstance(data, Data):
            raise InvalidArgumentError.of("data", data, "one Data, or a Batch of several")
        if data.edge_index is None:
            raise InvalidGraphError.of("data", data, "a Data with an edge_index")
        return self._with(data, "data")

    def _with(self, data: Data, name: str) -> Data:
        encoding: Tensor = tensor_of(self._vectors(data, name), data.edge_index)
        return with_encoding(data, encoding, self.attr_name)

    def _vectors(self, data: Data, name: str) -> Array:
        """Shape (num_nodes, k)."""
        A = self._adjacency(data, name)
        active = np.flatnonzero(degrees(A))
        if len(active) < data.num_nodes:
            A = A[active][:, active]
        encoding = np.zeros((data.num_nodes, self.k))
        if len(active) <= self.k:
            message = f"k={self.k}: a graph of {len(active)} nodes with edges has fewer such eigenvectors"
            warnings.warn(f"{message}; the rest of the channels are zero", TruncationWarning, stacklevel=5)
        if len(active) == 0:
            return encoding
        wanted = min(self.k + 1, len(active))
        solver = self.solver or Auto(self.tol, spare=_GUARDS)
        result = pairs_of_checked(laplacian_of_checked(A, "sym"), wanted, solver, rng=self.seed)
        if not result.converged.all():
            message = f"{self!r}: {result!r}; see whether a larger tol or another solver will do"
            warnings.warn(message, ConvergenceWarning, stacklevel=5)
        trivial = np.sqrt(degrees(A).astype(np.float64))
        vectors = trivial_first(result.eigenvectors, result.eigenvalues, trivial)[:, 1:]
        encoding[active, : wanted - 1] = vectors * canonical_signs(vectors)
        return encoding

    def _adjacency(self, data: Data, name: str) -> sp.csr_array:
        """Symmetric, without loops and without stored zeros."""
        (source, target), weight = directed_edges(data, name)
        keep = (source != target) & (weight > 0)
        narrow = np.int32 if data.num_nodes < 2**31 else np.int64  # half as much to read in products
        ends = (source[keep].astype(narrow), target[keep].astype(narrow))
        A = sp.coo_array((weight[keep], ends), shape=(data.num_nodes, data.num_nodes)).tocsr()
        if not self.is_undirected:
            A = sp.csr_array(A.maximum(A.T))
        return checks.check_symmetric(f"{name}: adjacency", A)

    def __repr__(self) -> str:
        names = ("k", "attr_name", "is_undirected", "tol", "solver", "seed")
        settings = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({settings})"
