"""A front end for encodings that is blind to signs: φ(v) + φ(−v) for each channel v, as in SignNet."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .snapshot import Snapshot


class SignInvariant(nn.Module):
    """ρ of φ(v) + φ(−v) over the channels v of an encoding: one φ for all channels, ρ with one hidden layer.

    φ reads a node's entry and the mean over its neighbours, D^-1/2 (A + I) D^-1/2 v. An entry alone would
    leave nothing but its size; the two together keep which neighbours lie on the same side.

    Args:
        channels: the width of the encoding, in and out.
        width: what φ makes of one channel.

    Example:
        >>> from torch_geometric.data import Data
        >>> from .snapshot import prepare
        >>> edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> pe = torch.randn(3, 4)
        >>> snapshot = prepare(Data(x=torch.arange(3), pe=pe, edge_index=edges))
        >>> front = SignInvariant(4)
        >>> front(pe, snapshot).shape, torch.equal(front(-pe, snapshot), front(pe, snapshot))
        (torch.Size([3, 4]), True)
    """

    def __init__(self, channels: int, width: int = 8) -> None:
        super().__init__()
        self.inner = nn.Linear(2, width)
        self.middle = nn.Linear(channels * width, 2 * channels)
        self.outer = nn.Linear(2 * channels, channels)

    def reset_parameters(self) -> None:
        """Draw every parameter anew."""
        for layer in (self.inner, self.middle, self.outer):
            layer.reset_parameters()

    def forward(self, pe: Tensor, snapshot: Snapshot) -> Tensor:
        """Return (num_nodes, channels) for ``pe`` (num_nodes, channels), entries of the snapshot's nodes."""
        seen = torch.stack([pe, snapshot.propagate(pe)], dim=2)  # (node, channel, entry or mean)
        both = self.inner(seen).relu() + self.inner(-seen).relu()  # (node, channel, width)
        return self.outer(self.middle(both.flatten(1)).relu())
