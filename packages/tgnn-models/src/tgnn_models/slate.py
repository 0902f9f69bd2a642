"""SLATE: a transformer over nodes × window."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .attention import TransformerLayer
from .base import TemporalModel
from .checks import check_count, check_heads
from .errors import InvalidSnapshotError
from .features import FeatureLinear
from .snapshot import Snapshot
from .state import State
from .tokens import TokenGroups


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

    def groups(self, snapshots: Sequence[Snapshot]) -> TokenGroups | None:
        """Which tokens of a window are the same; see :class:`~tgnn_models.base.TemporalModel`.

        A node that is absent has the same token in several snapshots; without features all such nodes have.
        With dropout each token has a fate of its own, and there is nothing to gain.
        """
        snapshots = snapshots[-self.window :]
        if self.dropout or any(
            part is not None and part.dim() > 2 for s in snapshots for part in (s.x, s.pe)
        ):
            return None
        known = [[s.x for s in snapshots], [s.pe for s in snapshots if s.pe is not None]]
        inputs = [torch.cat(parts).detach() for parts in known if parts]
        present = torch.cat([s.active for s in snapshots])
        return TokenGroups.of(inputs, present if self.active_only else torch.ones_like(present))

    def _embed(self, snapshots: tuple[Snapshot, ...], state: State) -> tuple[Tensor, State]:
        snapshots = snapshots[-self.window :]
        tokens = torch.stack(
            [self.linear(snapshot.x, snapshot.pe) for snapshot in snapshots], dim=-3
        )  # (…, time, node, channel), with an axis of runs where weights have one
        groups = self._checked_groups(snapshots)
        flat = tokens.flatten(-3, -2)
        mixed = self._mix(flat) if groups is None else self._mix_groups(flat, groups)
        return mixed.view_as(tokens).transpose(-3, -2), state  # (…, node, time, channel)

    def _checked_groups(self, snapshots: tuple[Snapshot, ...]) -> TokenGroups | None:
        groups = snapshots[-1].groups
        if groups is not None and not (self.training and self.dropout):
            num_tokens = len(snapshots) * snapshots[0].num_nodes
            if groups.group.numel() != num_tokens:
                raise InvalidSnapshotError(
                    f"snapshots[-1].groups are of {groups.group.numel()} tokens: must be {num_tokens}"
                )
            return groups
        if self.active_only:
            return TokenGroups.each_alone(torch.cat([snapshot.active for snapshot in snapshots]))
        return None

    def _mix_groups(self, tokens: Tensor, groups: TokenGroups) -> Tensor:
        """Let one token of each group attend for all of them; a learned vector for those left out."""
        mixed = self._mix(tokens.index_select(-2, groups.first), groups.sizes)
        if self.absent is not None:
            mixed = torch.cat([mixed, self.absent.unsqueeze(-2)], dim=-2)
        return mixed.index_select(-2, groups.group)

    def _mix(self, tokens: Tensor, sizes: Tensor | None = None) -> Tensor:
        """Let tokens (…, num_tokens, channels) attend to one another."""
        if tokens.size(-2):
            for layer in self.layers:
                tokens = layer(tokens, sizes)
        return tokens
