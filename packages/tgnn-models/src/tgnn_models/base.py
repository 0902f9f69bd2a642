"""The one call that all four models answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from .checks import check_count, check_dropout
from .errors import InvalidArgumentError
from .snapshot import Snapshot, check_snapshots
from .state import State
from .tokens import TokenGroups


class TemporalModel(nn.Module):
    """``z, state = model(snapshots, state)``; ``forward`` changes nothing in the module.

    Args:
        in_channels: the width of ``Data.x``, or the number of one-hot categories.
        hidden_channels: the width of the embeddings.
        pe_channels: the width of ``Data.pe``; 0 for none.
        dropout: the rate, in [0, 1).

    Raises:
        InvalidArgumentError: if a parameter is outside what is allowed.
    """

    #: As published, training takes one step an epoch, with gradients through the states of all
    #: snapshots (True), or one step a snapshot, with the state detached in between (False).
    trains_through_time: ClassVar[bool] = False

    def __init__(
        self, in_channels: int, hidden_channels: int, *, pe_channels: int = 0, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.in_channels = check_count("in_channels", in_channels)
        self.hidden_channels = check_count("hidden_channels", hidden_channels)
        self.pe_channels = check_count("pe_channels", pe_channels, minimum=0)
        self.dropout = check_dropout(dropout)

    @property
    def num_input_snapshots(self) -> int:
        """How many snapshots a call reads at least where there are as many: 1, or SLATE's window."""
        return 1

    @property
    def dtype(self) -> torch.dtype:
        """The type of the parameters."""
        return next(self.parameters()).dtype

    def forward(
        self, snapshots: Sequence[Data | Snapshot], state: State | None = None
    ) -> tuple[Tensor, State]:
        """Embed the nodes after the newest snapshot.

        Args:
            snapshots: one or more, newest last; ``Data`` or what :func:`~tgnn_models.prepare` made of it.
            state: what the model remembers of the snapshots before these; None for nothing.

        Returns:
            The embeddings (num_nodes, hidden_channels), or for SLATE (num_nodes, window, hidden_channels),
            and the state.

        Raises:
            InvalidSnapshotError: if a snapshot does not fit the model or the others.
            InvalidArgumentError: if the state is not one of this model for as many nodes.
        """
        prepared = check_snapshots(snapshots, self.in_channels, self.pe_channels, self.dtype)
        num_nodes = prepared[0].num_nodes
        if state is None:
            state = self.initial_state(num_nodes)
        else:
            self._check_state(state, num_nodes)
        return self._embed(prepared, state)

    def initial_state(self, num_nodes: int) -> State:
        """Return the state before the first snapshot; the same at every call."""
        raise NotImplementedError

    def groups(self, snapshots: Sequence[Snapshot]) -> TokenGroups | None:
        """Return which parts of a window are the same and need be computed once; None for most models.

        Put on the newest snapshot, ``dataclasses.replace(newest, groups=…)``, they save time in every call
        with the same window. Signs of encodings may change in between; nothing else may.

        Args:
            snapshots: what a call reads, prepared.
        """
        return None

    def consistency_loss(self, z: Tensor, state: State) -> Tensor:
        """Return the temporal-consistency term, a scalar; zero for the architectures that have none.

        Args:
            z: the embeddings of a call.
            state: the state that went **into** that call.
        """
        return z.new_zeros(())

    def reset_parameters(self) -> None:
        """Draw every parameter anew."""
        raise NotImplementedError

    def _embed(self, snapshots: tuple[Snapshot, ...], state: State) -> tuple[Tensor, State]:
        """Go through the snapshots one by one."""
        z, state = self._step(snapshots[0], state)
        for snapshot in snapshots[1:]:
            z, state = self._step(snapshot, state)
        return z, state

    def _step(self, snapshot: Snapshot, state: State) -> tuple[Tensor, State]:
        raise NotImplementedError

    def _state_shapes(self, num_nodes: int) -> list[tuple[int, ...]]:
        raise NotImplementedError

    def _check_state(self, state: State, num_nodes: int) -> None:
        if not isinstance(state, State):
            raise InvalidArgumentError(f"state={type(state).__name__}: must be a State or None")
        shapes, expected = [tuple(tensor.shape) for tensor in state.tensors], self._state_shapes(num_nodes)
        if shapes != expected:
            raise InvalidArgumentError(f"state has tensors of shapes {shapes}: must be {expected}")
