"""Attention over the last hidden states of each node, shared by GRUGCN and HTGN."""

import torch
from torch import Tensor, nn
from torch_geometric.nn.inits import glorot

from .checks import check_choice
from .products import affine


class WindowAttention(nn.Module):
    """Weigh each node's hidden states: a_k = softmax_k(tanh(H_k Q) r), then the mean or sum of a_k H_k.

    Args:
        channels: the width of the hidden states.
        reduce: ``"mean"``, as published, which shrinks the answer by the length of the window, or ``"sum"``.

    Example:
        >>> attention = WindowAttention(4, reduce="sum")
        >>> torch.allclose(attention(torch.ones(3, 2, 4)), torch.ones(2, 4))
        True
    """

    def __init__(self, channels: int, reduce: str = "mean") -> None:
        super().__init__()
        self.reduce = check_choice("attention_reduce", reduce, ("mean", "sum"))
        self.Q = nn.Parameter(torch.empty(channels, channels))
        self.r = nn.Parameter(torch.empty(channels, 1))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw both parameters as Glorot does."""
        glorot(self.Q)
        glorot(self.r)

    def forward(self, hidden: Tensor) -> Tensor:
        """Return (…, num_nodes, channels) for hidden (…, window, num_nodes, channels)."""
        rows = hidden.flatten(-3, -2)
        weights = (torch.tanh(affine(rows, self.Q.mT)) @ self.r).view(*hidden.shape[:-1], 1).softmax(dim=-3)
        weighted = weights * hidden
        return weighted.mean(dim=-3) if self.reduce == "mean" else weighted.sum(dim=-3)
