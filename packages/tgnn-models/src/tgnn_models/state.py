"""What a model remembers between calls: goes in, comes out, belongs to the caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor


@dataclass(frozen=True, slots=True)
class State:
    """A model's memory.

    For GRUGCN and HTGN one tensor (window, num_nodes, hidden_channels), newest last; for EGCN one weight a
    layer; for SLATE nothing.

    Example:
        >>> import torch
        >>> state = State((torch.zeros(5, 3, 16, requires_grad=True),))
        >>> State.from_state_dict(state.detach().state_dict()).tensors[0].requires_grad
        False
    """

    tensors: tuple[Tensor, ...] = ()

    def detach(self) -> State:
        """Return the state cut off from the graph that computed it, so that gradients end here."""
        return State(tuple(tensor.detach() for tensor in self.tensors))

    def to(self, *args: Any, **kwargs: Any) -> State:
        """Return the state moved or cast, with the arguments of ``Tensor.to``."""
        return State(tuple(tensor.to(*args, **kwargs) for tensor in self.tensors))

    def state_dict(self) -> dict[str, Tensor]:
        """Return plain tensors by name, ready for ``torch.save``."""
        return {str(i): tensor.detach().clone() for i, tensor in enumerate(self.tensors)}

    @staticmethod
    def from_state_dict(tensors: Mapping[str, Tensor]) -> State:
        """Return the state of a :meth:`state_dict`, as ``torch.load(..., weights_only=True)`` reads it."""
        return State(tuple(tensors[str(i)] for i in range(len(tensors))))
