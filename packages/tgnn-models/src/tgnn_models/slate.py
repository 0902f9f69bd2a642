"""SLATE: a transformer over nodes × window."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .attention import TransformerLayer
from .base import TemporalModel
from .checks import check_count, check_heads
from .features import FeatureLinear
from .snapshot import Snapshot
from .state import State


class SLATE(TemporalModel):
    """Every node of every snapshot of the window is a token, and all tokens attend to one another.

    The graph comes in through the encoding alone: ``Data.pe`` of a snapshot is that layer's part of the
    encoding of the window which ends with the newest snapshot. The embeddings are sequences,
    (num_nodes, window, hidden_channels), for a :class:`~tgnn_models.CrossAttentionDecoder`; other decoders
    read their last position.

    Args:
        in_channels: the width of ``Data.x``, or the number of one-hot categories.
        hidden_channels: the width of the tokens.
        window: the number of snapshots read: the newest of those given; fewer where fewer are given.
        num_heads: must divide ``hidden_channels``.
        num_layers: transformer encoder layers.
        feedforward_channels: the width inside them; four times ``hidden_channels`` unless told.
        dropout: the rate on their residual branches.
        active_only: leave out the tokens of nodes without an edge in their snapshot. Such a token attends to
            none and none attends to it; a learned vector stands in its place.
        pe_channels: the width of ``Data.pe``; 0 for none.

    Raises:
        InvalidArgumentError: if a parameter is outside what is allowed.

    Example:
        >>> from torch_geometric.data import Data
        >>> edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> snapshots = [Data(x=torch.arange(3), pe=torch.randn(3, 8), edge_index=edges) for _ in range(3)]
        >>> z, state = SLATE(3, 64, pe_channels=8)(snapshots)
        >>> z.shape
        torch.Size([3, 3, 64])
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        *,
        window: int = 3,
        num_heads: int = 4,
        num_layers: int = 1,
        feedforward_channels: int | None = None,
        dropout: float = 0.0,
        active_only: bool = False,
        pe_channels: int = 0,
    ) -> None:
        super().__init__(in_channels, hidden_channels, pe_channels=pe_channels, dropout=dropout)
        self.window = check_count("window", window)
        self.num_heads = check_heads(num_heads, hidden_channels)
        self.num_layers = check_count("num_layers", num_layers)
        inner = 4 * hidden_channels if feedforward_channels is None else feedforward_channels
        check_count("feedforward_channels", inner)
        self.linear = FeatureLinear(in_channels, hidden_channels, pe_channels)
        self.layers = nn.ModuleList(
            TransformerLayer(hidden_channels, num_heads, inner, self.dropout) for _ in range(num_layers)
        )
        self.absent = nn.Parameter(torch.empty(hidden_channels)) if active_only else None
        self.reset_parameters()

    @property
    def num_input_snapshots(self) -> int:
        """The window."""
        return self.window

    @property
    def active_only(self) -> bool:
        """Whether tokens of nodes without edges are left out."""
        return self.absent is not None

    def reset_parameters(self) -> None:
        """Draw every parameter anew."""
        self.linear.reset_parameters()
        for layer in self.layers:
            layer.reset_parameters()  # type: ignore[operator]
        if self.absent is not None:
            nn.init.normal_(self.absent)

    def initial_state(self, num_nodes: int) -> State:
        """Return the empty state: all that SLATE knows is in the snapshots of the window."""
        return State()

    def _state_shapes(self, num_nodes: int) -> list[tuple[int, ...]]:
        return []

    def _embed(self, snapshots: tuple[Snapshot, ...], state: State) -> tuple[Tensor, State]:
        snapshots = snapshots[-self.window :]
        tokens = torch.stack(
            [self.linear(snapshot.x, snapshot.pe) for snapshot in snapshots], dim=-3
        )  # (…, time, node, channel), with an axis of runs where weights have one
        if self.absent is None:
            mixed = self._mix(tokens.flatten(-3, -2)).view_as(tokens)
        else:
            present = torch.stack([snapshot.active for snapshot in snapshots])  # (time, node)
            mixed = self.absent[..., None, None, :].expand_as(tokens).clone()
            if bool(present.any()):
                mixed[..., present, :] = self._mix(tokens[..., present, :])
        return mixed.transpose(-3, -2), state  # (…, node, time, channel)

    def _mix(self, tokens: Tensor) -> Tensor:
        """Let tokens (…, num_tokens, channels) attend to one another."""
        for layer in self.layers:
            tokens = layer(tokens)
        return tokens
