"""Supra-Laplacian encodings for a list of snapshots, a batch of them, or a stream of events."""

import copy
import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data, TemporalData
from torch_geometric.transforms import BaseTransform

from supra_core.encoding import Encoder, Encoding
from supra_core.errors import InvalidArgumentError, InvalidGraphError
from supra_core.pyg import events
from supra_core.pyg.attributes import check_attr_name, tensor_of, with_encoding
from supra_core.pyg.snapshots import put_together, taken_apart, temporal_graph_of

_WHAT = (
    "a list of snapshots, Batch.from_data_list(snapshots) where T.Compose hands a list over one by one, or "
    "TemporalData: one snapshot alone has no history"
)


class AddSupraLaplacianPE(BaseTransform):
    """Adds supra-Laplacian positional encodings to snapshots or to events.

    Args:
        k: eigenvectors, as in :class:`supra_core.Encoder`.
        attr_name: where the encoding goes; ``"pe"`` is what the models of tgnn-models read. ``None`` appends
            it to ``x``.
        layers: also give the encodings of all layers of the window, as ``<attr_name>_layers`` of shape
            (num_nodes, window, dim), newest last, zeros before the first snapshot: what SLATE reads, by
            :func:`layer_window`.
        settings: all settings of :class:`supra_core.Encoder`, such as ``window`` or ``method``, and for
            events those by which :meth:`supra_core.TemporalGraph.from_events` makes snapshots: ``width``,
            ``num_snapshots``, or ``every="day"`` (hour, week, month …) with ``unit="s"`` for Unix times in
            seconds.

    What it takes, and what it gives:

    * a list or tuple of ``Data`` on one set of nodes, oldest first: a list of copies, each with an encoding
      of shape (num_nodes, dim). An edge that a snapshot lists in both directions counts once, with the
      larger weight (``edge_weight``, 1 where missing). It looks at that snapshot and those before it.
    * ``Batch.from_data_list(snapshots)``: a batch of these copies. ``T.Compose`` takes a list apart and hands
      its snapshots over one by one; a batch it passes whole.
    * ``TemporalData``: a copy in which each event has ``src_<attr_name>`` and ``dst_<attr_name>``, shape
      (num_events, dim), of its two nodes. They come from the snapshots **before** the one that the event is
      in, never from that one or a later one; events of the first snapshot get zeros. ``<attr_name>_snapshot``
      says which one each is in, and :meth:`table` has the encodings of all nodes, for negatives. Events
      weigh 1 (or ``edge_weight``), and repeated ones add up. With ``num_snapshots`` the time of the last
      event says where snapshots begin; with ``width`` and ``every`` it does not.

    Encodings have PyTorch's default type and are on the device of ``edge_index`` (``src``). The input stays
    as it is.

    Raises:
        InvalidArgumentError: settings that :class:`supra_core.Encoder` refuses, or a single snapshot.
        InvalidGraphError: snapshots that differ in ``num_nodes`` or do not describe graphs.

    Example:
        >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> snapshots = [Data(edge_index=edge_index, num_nodes=3) for _ in range(4)]
        >>> encoded = AddSupraLaplacianPE(k=2, window=2)(snapshots)
        >>> [tuple(snapshot.pe.shape) for snapshot in encoded]
        [(3, 2), (3, 2), (3, 2), (3, 2)]
        >>> stream = TemporalData(
        ...     src=torch.tensor([0, 1, 0]), dst=torch.tensor([1, 2, 2]), t=torch.tensor([0, 5, 12])
        ... )
        >>> AddSupraLaplacianPE(k=2, width=5)(stream).src_pe.shape
        torch.Size([3, 2])
    """

    def __init__(
        self, k: int = Encoder.k, attr_name: str | None = "pe", *, layers: bool = False, **settings: Any
    ) -> None:
        self.attr_name = check_attr_name(attr_name)
        if not isinstance(layers, bool) or (layers and attr_name is None):
            allowed = "False where attr_name is None" if layers is True else "True or False"
            raise InvalidArgumentError.of("layers", layers, allowed)
        self.layers = layers
        self.binning = {name: settings.pop(name) for name in events.BINNING if name in settings}
        known = inspect.signature(Encoder).parameters
        for name, value in settings.items():
            if name not in known:
                allowed = f"left out; settings are {', '.join([*known, *events.BINNING])}"
                raise InvalidArgumentError.of(name, value, allowed)
        self.encoder = Encoder(k=k, **settings)

    def forward(self, data: Any) -> Any:
        """Copies with encodings: a list for a list, a batch for a batch, events for events."""
        if isinstance(data, TemporalData):
            return self._with_events(data)
        if self.binning:
            names = ", ".join(f"{name}={value!r}" for name, value in self.binning.items())
            raise InvalidArgumentError(f"{names}: must be left out where data has its snapshots already")
        if isinstance(data, Batch):
            return put_together(self._with_snapshots(taken_apart(data)), data)
        if isinstance(data, (list, tuple)):
            return self._with_snapshots(data)
        raise InvalidArgumentError.of("data", data, _WHAT)

    def table(self, data: TemporalData) -> Tensor:
        """What is known of every node when a snapshot begins, shape (num_snapshots, num_nodes, dim).

        Entry [s, v] is what ``forward`` gives for node v in an event of snapshot s, so that nodes which are
        in no event can be looked up as well: ``table[batch.pe_snapshot, negatives]``.
        """
        self._check_events()
        graph, _ = events.snapshots_of(data, self.binning)
        known = [tensor_of(values, data.src) for values in events.before_each(self.encoder, graph)]
        return torch.stack(known)

    def _with_snapshots(self, data: Sequence[Data]) -> list[Data]:
        encodings = self.encoder.walk(temporal_graph_of(data))
        return [self._with(snapshot, encoding) for snapshot, encoding in zip(data, encodings, strict=True)]

    def _with(self, snapshot: Data, encoding: Encoding) -> Data:
        like = snapshot.edge_index
        encoded = with_encoding(snapshot, tensor_of(encoding.values, like), self.attr_name)
        if self.layers:
            layers = np.zeros((self.encoder.window, *encoding.values.shape))
            layers[len(layers) - encoding.num_layers :] = encoding.layers
            encoded[f"{self.attr_name}_layers"] = tensor_of(layers.transpose(1, 0, 2), like)
        return encoded

    def _with_events(self, data: TemporalData) -> TemporalData:
        self._check_events()
        graph, snapshot = events.snapshots_of(data, self.binning)
        source, target = events.of_both_ends(self.encoder, graph, data, snapshot)
        encoded = copy.copy(data)
        encoded[f"src_{self.attr_name}"] = tensor_of(source, data.src)
        encoded[f"dst_{self.attr_name}"] = tensor_of(target, data.src)
        encoded[f"{self.attr_name}_snapshot"] = torch.from_numpy(snapshot).to(data.src.device)
        return encoded

    def _check_events(self) -> None:
        if self.attr_name is None:
            raise InvalidArgumentError("attr_name=None: must be a name where data is TemporalData")
        if self.layers:
            raise InvalidArgumentError("layers=True: must be False where data is TemporalData")

    def __repr__(self) -> str:
        binning = "".join(f", {name}={value!r}" for name, value in self.binning.items())
        layers = ", layers=True" if self.layers else ""
        return f"{type(self).__name__}({self.encoder}, attr_name={self.attr_name!r}{layers}{binning})"


def layer_window(snapshots: Sequence[Data], t: int, attr_name: str = "pe") -> list[Data]:
    """The window that ends with snapshot ``t``, each snapshot with its own layer of that window's encoding.

    This is what SLATE is called with: in each window a snapshot has another encoding.

    Args:
        snapshots: what :class:`AddSupraLaplacianPE` gave with ``layers=True``.
        t: the newest snapshot of the window.
        attr_name: the name that the transform was given.

    Example:
        >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> snapshots = [Data(edge_index=edge_index, num_nodes=3) for _ in range(4)]
        >>> encoded = AddSupraLaplacianPE(k=2, window=2, layers=True)(snapshots)
        >>> [tuple(snapshot.pe.shape) for snapshot in layer_window(encoded, 3)]
        [(3, 2), (3, 2)]
    """
    from supra_core.checks import check_index

    newest = snapshots[check_index("t", t, len(snapshots))]
    layers = newest.get(f"{attr_name}_layers")
    if layers is None:
        allowed = f"snapshots with {attr_name}_layers, from AddSupraLaplacianPE(..., layers=True)"
        raise InvalidGraphError.of("snapshots", snapshots, allowed)
    size = min(layers.size(1), t + 1)
    window = []
    for i, snapshot in enumerate(snapshots[t + 1 - size : t + 1]):
        window.append(copy.copy(snapshot))
        window[-1][attr_name] = layers[:, i - size]
    return window
