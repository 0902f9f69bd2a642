"""A transform for PyTorch Geometric (the extra ``pyg``)."""

import copy
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from supra_core import checks
from supra_core.encoding import Encoder
from supra_core.errors import InvalidArgumentError, InvalidGraphError
from supra_core.temporal_graph import TemporalGraph

try:
    import torch
    from torch_geometric.data import Data
    from torch_geometric.transforms import BaseTransform, Compose
except ImportError as error:
    raise ImportError("this needs torch and torch_geometric: pip install 'supra-core[pyg]'") from error


class AddSupraLaplacianPE(BaseTransform):
    """Adds supra-Laplacian positional encodings to a list of snapshots.

    Args:
        k: eigenvectors, as in :class:`supra_core.Encoder`.
        attr_name: where the encoding goes, a tensor of shape (num_nodes, dim) on the device of
            ``edge_index``; ``None`` appends it to ``x``.
        settings: all further settings of :class:`supra_core.Encoder`, such as ``window`` or ``method``.

    The transform takes a list (or tuple) of ``Data`` snapshots on one set of nodes, oldest first, and gives a
    list of copies; its input stays as it is. An edge that a snapshot lists in both directions counts once,
    with the larger weight (``edge_weight``, 1 where missing). The encoding of a snapshot looks at that
    snapshot and those before it only.

    ``T.Compose`` hands the snapshots of a list to each of its transforms one by one. Inside one, this
    transform looks up the list that ``T.Compose`` is working through, and encodes each snapshot from its own
    window; ``init="previous"`` has no previous window to start from there.

    Raises:
        InvalidArgumentError: settings that :class:`supra_core.Encoder` refuses, or a single snapshot.
        InvalidGraphError: snapshots that differ in ``num_nodes`` or do not describe graphs.

    Example:
        >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> snapshots = [Data(edge_index=edge_index, num_nodes=3) for _ in range(4)]
        >>> encoded = AddSupraLaplacianPE(k=2, window=2)(snapshots)
        >>> [tuple(snapshot.supra_pe.shape) for snapshot in encoded]
        [(3, 2), (3, 2), (3, 2), (3, 2)]
    """

    def __init__(self, k: int, *, attr_name: str | None = "supra_pe", **settings: Any) -> None:
        if not (attr_name is None or (isinstance(attr_name, str) and attr_name)):
            raise InvalidArgumentError.of("attr_name", attr_name, "a name or None")
        self.encoder = Encoder(k=k, **settings)
        self.attr_name = attr_name

    def __call__(self, data: Any) -> Any:
        """A list of copies with encodings; one copy where ``T.Compose`` hands over one snapshot of a list."""
        if isinstance(data, Data):
            snapshots, position = _composed_list(data)
            window = snapshots[max(0, position + 1 - self.encoder.window) : position + 1]
            graph = temporal_graph_of(window)
            return self._with(data, self.encoder.encode(graph, graph.num_snapshots - 1).values)
        return self.forward(data)

    def forward(self, data: Sequence[Data]) -> list[Data]:
        """A list of copies with encodings."""
        values = self.encoder.encode_all(temporal_graph_of(data)).values
        return [self._with(snapshot, value) for snapshot, value in zip(data, values, strict=True)]

    def _with(self, snapshot: Data, value: np.ndarray) -> Data:
        encoded = copy.copy(snapshot)
        encoding = torch.from_numpy(value).to(snapshot.edge_index.device, torch.get_default_dtype())
        if self.attr_name is not None:
            encoded[self.attr_name] = encoding
        elif encoded.x is None:
            encoded.x = encoding
        else:
            x = encoded.x.view(-1, 1) if encoded.x.dim() == 1 else encoded.x
            encoded.x = torch.cat([x, encoding.to(x.device, x.dtype)], dim=-1)
        return encoded

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.encoder}, attr_name={self.attr_name!r})"


def temporal_graph_of(snapshots: Sequence[Data]) -> TemporalGraph:
    """The temporal graph of a list of snapshots, oldest first.

    Example:
        >>> snapshot = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
        >>> print(temporal_graph_of([snapshot, snapshot]))
        TemporalGraph(num_nodes=2, num_snapshots=2, num_edges=2)
    """
    if not isinstance(snapshots, (list, tuple)) or not snapshots:
        raise InvalidArgumentError.of("data", snapshots, "a list of at least one Data snapshot")
    columns = []
    num_nodes = None
    for t, snapshot in enumerate(snapshots):
        if not isinstance(snapshot, Data) or snapshot.edge_index is None:
            raise InvalidGraphError.of(f"data[{t}]", snapshot, "a Data with an edge_index")
        num_nodes = snapshot.num_nodes if num_nodes is None else num_nodes
        if snapshot.num_nodes != num_nodes:
            allowed = f"{num_nodes} as in data[0]"
            raise InvalidGraphError.of(f"data[{t}].num_nodes", snapshot.num_nodes, allowed)
        columns.append(_undirected(snapshot, t))
    source, target, weight = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    time = np.repeat(np.arange(len(columns)), [len(part[0]) for part in columns])
    return TemporalGraph.from_edges(
        source, target, time, weight, num_nodes=num_nodes, num_snapshots=len(columns)
    )


def _undirected(snapshot: Data, t: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each edge once. PyG lists undirected edges twice; adding them up would double every weight."""
    n, ends = snapshot.num_nodes, []
    for side, ids in enumerate(snapshot.edge_index):
        name = f"data[{t}].edge_index[{side}]"
        ends.append(checks.check_ids(name, ids.cpu().numpy()))
        checks.check_below(name, ends[side], "num_nodes", n)
    weight = np.ones(len(ends[0]), dtype=np.int64)
    if snapshot.edge_weight is not None:
        name = f"data[{t}].edge_weight"
        weight = checks.check_weights(name, snapshot.edge_weight.detach().cpu().numpy())
        checks.check_same_length(**{f"data[{t}].edge_index[0]": ends[0], name: weight})
    A = sp.coo_array((weight, tuple(ends)), shape=(n, n)).tocsr()
    edges = sp.triu(A.maximum(A.T), k=1).tocoo()
    return edges.coords[0].astype(np.int64), edges.coords[1].astype(np.int64), edges.data


def _composed_list(snapshot: Data) -> tuple[Sequence[Data], int]:
    """The list that ``T.Compose`` is handing out one by one, and where in it the snapshot stands."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code is Compose.forward.__code__:
            candidates = frame.f_locals["data"]
            places = [i for i, candidate in enumerate(candidates) if candidate is snapshot]
            if len(places) == 1:
                return candidates, places[0]
            if places:
                allowed = "another object than any other snapshot of the list"
                raise InvalidArgumentError.of(f"data[{places[1]}]", snapshot, allowed)
            break
        frame = frame.f_back  # type: ignore[assignment]
    raise InvalidArgumentError.of("data", snapshot, "a list of snapshots: one alone has no history")
