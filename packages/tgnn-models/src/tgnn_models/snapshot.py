"""One snapshot made ready for a model: checked, its adjacency normalised, both once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from .checks import check_index
from .errors import InvalidArgumentError, InvalidSnapshotError
from .propagation import SparseRows, multiply
from .tokens import TokenGroups


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """What a model reads of a snapshot. Built by :func:`prepare`; immutable, so it cannot go stale.

    Attributes:
        x: float features (num_nodes, channels), or integers (num_nodes,) that stand for one-hot rows.
        pe: the encoding (num_nodes, pe_channels), or None. Where several runs see one graph, float features
            and encodings may have a leading axis of runs.
        adjacency: D^-1/2 (A + I) D^-1/2, a row for each target of edges.
        transposed: the same with a row for each source.
        active: bool (num_nodes,), the nodes with an edge to another node.
        num_channels: the width of ``x``; for integers the least number of categories that holds them.
        groups: on the newest snapshot of a window, which tokens of the window are the same, as the model's
            ``groups`` finds; a matter of speed, never of results.
    """

    x: Tensor
    pe: Tensor | None
    adjacency: SparseRows
    transposed: SparseRows
    active: Tensor
    num_channels: int
    groups: TokenGroups | None = None

    @property
    def num_nodes(self) -> int:
        """The number of nodes, with and without edges."""
        return self.active.size(0)

    @property
    def is_one_hot(self) -> bool:
        """Whether ``x`` stands for one-hot rows."""
        return not self.x.is_floating_point()

    def propagate(self, x: Tensor) -> Tensor:
        """Return D^-1/2 (A + I) D^-1/2 x for x (…, num_nodes, channels)."""
        if x.dim() > 2:
            # Runs share the graph: the columns of all of them at once.
            by_node = x.movedim(-2, 0)
            return self.propagate(by_node.flatten(1)).view(by_node.shape).movedim(0, -2)
        return multiply(self.adjacency, self.transposed, x)

    def to(self, device: torch.device | str) -> Snapshot:
        """Return the snapshot on another device."""
        return Snapshot(
            self.x.to(device),
            None if self.pe is None else self.pe.to(device),
            self.adjacency.to(device),
            self.transposed.to(device),
            self.active.to(device),
            self.num_channels,
            None if self.groups is None else self.groups.to(device),
        )


def prepare(data: Data, dtype: torch.dtype | None = None) -> Snapshot:
    """Check a PyG ``Data`` and normalise its adjacency, once, for as many epochs as wanted.

    Models prepare what is not prepared, so this is a matter of speed, never of results.

    Args:
        data: ``x``, float (num_nodes, channels) or integer (num_nodes,); ``edge_index`` (2, num_edges), an
            undirected edge in both directions; optionally ``edge_weight`` (num_edges,) and ``pe``
            (num_nodes, pe_channels).
        dtype: of the floats in the answer; the model's, which is PyTorch's default unless told otherwise.

    Raises:
        InvalidSnapshotError: if a part is missing, misshapen, not finite, or an edge names no node.

    Example:
        >>> path = Data(x=torch.arange(3), edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
        >>> prepare(path).propagate(torch.ones(3, 1)).squeeze()
        tensor([0.9082, 1.1498, 0.9082])
    """
    dtype = dtype or torch.get_default_dtype()
    x = _features(data)
    num_nodes = x.size(0)
    pe = _encoding(data, num_nodes)
    edge_index = getattr(data, "edge_index", None)
    if not isinstance(edge_index, Tensor):
        raise InvalidSnapshotError.of("edge_index", edge_index, "a tensor (2, num_edges)")
    try:
        edge_index = check_index("edge_index", edge_index, num_nodes).long()
    except InvalidArgumentError as error:
        raise InvalidSnapshotError(str(error)) from None
    weight = _edge_weight(data, edge_index.size(1))
    active = torch.zeros(num_nodes, dtype=torch.bool, device=x.device)
    active[edge_index[:, edge_index[0] != edge_index[1]].flatten()] = True
    num_channels = x.size(1) if x.is_floating_point() else int(x.max()) + 1
    norm_index, norm = gcn_norm(
        edge_index, None if weight is None else weight.to(dtype), num_nodes, add_self_loops=True, dtype=dtype
    )
    source, target = norm_index[0], norm_index[1]
    return Snapshot(
        x=x.to(dtype) if x.is_floating_point() else x,
        pe=None if pe is None else pe.to(dtype),
        adjacency=SparseRows.of(target, source, norm, num_nodes),
        transposed=SparseRows.of(source, target, norm, num_nodes),
        active=active,
        num_channels=num_channels,
    )


def check_snapshots(
    snapshots: Sequence[Data | Snapshot], in_channels: int, pe_channels: int, dtype: torch.dtype
) -> tuple[Snapshot, ...]:
    """Return the snapshots prepared, if they fit the model and one another.

    Args:
        snapshots: ``Data`` or prepared, newest last.
        in_channels: the width of ``x`` that the model was built for, or its number of one-hot categories.
        pe_channels: the width of ``pe``; 0 for none.
        dtype: of the model's parameters.

    Raises:
        InvalidSnapshotError: if one does not fit.
    """
    if isinstance(snapshots, Data | Snapshot | Tensor) or not isinstance(snapshots, Sequence):
        raise InvalidSnapshotError(f"snapshots={type(snapshots).__name__}: must be a sequence, newest last")
    if not snapshots:
        raise InvalidSnapshotError("snapshots=[]: must hold at least one snapshot")
    prepared = tuple(item if isinstance(item, Snapshot) else prepare(item, dtype) for item in snapshots)
    for i, snapshot in enumerate(prepared):
        name = f"snapshots[{i}]"
        if snapshot.num_nodes != prepared[0].num_nodes:
            raise InvalidSnapshotError.of(
                f"{name}.num_nodes", snapshot.num_nodes, f"{prepared[0].num_nodes}, as in snapshots[0]"
            )
        prepared_as = snapshot.adjacency.values.dtype
        if prepared_as != dtype:
            raise InvalidSnapshotError(f"{name}: prepared as {prepared_as}: must be {dtype}, the model's")
        if snapshot.is_one_hot and snapshot.num_channels > in_channels:
            raise InvalidSnapshotError.of(
                f"{name}.x", snapshot.num_channels - 1, f"an index below {in_channels} (in_channels)"
            )
        if not snapshot.is_one_hot and snapshot.num_channels != in_channels:
            raise InvalidSnapshotError(
                f"{name}.x.shape={tuple(snapshot.x.shape)}: must have {in_channels} channels (in_channels)"
            )
        width = 0 if snapshot.pe is None else snapshot.pe.size(-1)
        if width != pe_channels:
            raise InvalidSnapshotError(
                f"{name}.pe has {width} channels: must have {pe_channels} (pe_channels)"
            )
    return prepared


def _features(data: Data) -> Tensor:
    x = getattr(data, "x", None)
    if not isinstance(x, Tensor):
        raise InvalidSnapshotError.of("x", x, "a tensor, float (num_nodes, channels) or int (num_nodes,)")
    dim = 2 if x.is_floating_point() else 1
    if x.dim() != dim or x.dtype == torch.bool or x.is_complex():
        raise InvalidSnapshotError(
            f"x.shape={tuple(x.shape)} of {x.dtype}: must be float (num_nodes, channels) or int (num_nodes,)"
        )
    if x.size(0) == 0:
        raise InvalidSnapshotError("x.shape[0]=0: must have at least one node")
    if x.is_floating_point():
        _check_finite("x", x)
        return x
    if int(x.min()) < 0:
        raise InvalidSnapshotError.of("x", int(x.min()), "an index >= 0")
    return x.long()


def _encoding(data: Data, num_nodes: int) -> Tensor | None:
    pe = getattr(data, "pe", None)
    if pe is None:
        return None
    if not isinstance(pe, Tensor) or not pe.is_floating_point() or pe.dim() != 2 or pe.size(0) != num_nodes:
        shape = f"{tuple(pe.shape)} of {pe.dtype}" if isinstance(pe, Tensor) else repr(pe)
        raise InvalidSnapshotError(f"pe.shape={shape}: must be float ({num_nodes}, pe_channels)")
    _check_finite("pe", pe)
    return pe


def _edge_weight(data: Data, num_edges: int) -> Tensor | None:
    weight = getattr(data, "edge_weight", None)
    if weight is None:
        return None
    if not isinstance(weight, Tensor) or weight.shape != (num_edges,):
        shape = tuple(weight.shape) if isinstance(weight, Tensor) else repr(weight)
        raise InvalidSnapshotError(f"edge_weight.shape={shape}: must be ({num_edges},)")
    if weight.requires_grad:
        raise InvalidSnapshotError("edge_weight requires a gradient: must be data, no gradient reaches it")
    _check_finite("edge_weight", weight)
    # A negative weight could make a degree negative, whose square root is not a number.
    if num_edges and float(weight.min()) < 0:
        raise InvalidSnapshotError.of("edge_weight", float(weight.min()), ">= 0")
    return weight


def _check_finite(name: str, values: Tensor) -> None:
    if not bool(values.isfinite().all()):
        raise InvalidSnapshotError.of(name, float(values[~values.isfinite()][0]), "finite")
