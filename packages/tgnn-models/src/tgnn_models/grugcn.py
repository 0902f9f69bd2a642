"""GRUGCN: graph convolutions, attention over the last hidden states, a GRU."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.nn.inits import glorot, zeros

from .products import affine
from .recurrent import RecurrentModel
from .snapshot import Snapshot
from .state import State


class GCNLayer(nn.Module):
    """D^-1/2 (A + I) D^-1/2 X W + b on a prepared snapshot, then a ReLU unless it is the last.

    Args:
        in_channels: the width of X.
        out_channels: the width of the answer.
        relu: whether to end with a ReLU.
        dropout: the rate on X.
    """

    def __init__(self, in_channels: int, out_channels: int, *, relu: bool, dropout: float) -> None:
        super().__init__()
        self.relu = relu
        self.drop = nn.Dropout(dropout)
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weight as Glorot does; the bias is zero, as in PyG's ``GCNConv``."""
        glorot(self.weight)
        zeros(self.bias)

    def forward(self, x: Tensor, snapshot: Snapshot) -> Tensor:
        """Return (…, num_nodes, out_channels)."""
        out = snapshot.propagate(affine(self.drop(x), self.weight.mT)) + self.bias.unsqueeze(-2)
        return out.relu() if self.relu else out


class GRUGCN(RecurrentModel):
    """Graph convolutions on [features ‖ last hidden state], window attention, a GRU; scored by dot products.

    The arguments are those of :class:`~tgnn_models.recurrent.RecurrentModel`.

    Example:
        >>> from torch_geometric.data import Data
        >>> edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> snapshots = [Data(x=torch.arange(3), edge_index=edges)] * 2
        >>> z, state = GRUGCN(in_channels=3, hidden_channels=16)(snapshots)
        >>> z.shape, state.tensors[0].shape
        (torch.Size([3, 16]), torch.Size([5, 3, 16]))
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        *,
        pe_channels: int = 0,
        num_layers: int = 2,
        window: int = 5,
        dropout: float = 0.0,
        hidden_init: str = "glorot",
        attention_reduce: str = "mean",
    ) -> None:
        super().__init__(
            in_channels,
            hidden_channels,
            pe_channels=pe_channels,
            num_layers=num_layers,
            window=window,
            dropout=dropout,
            hidden_init=hidden_init,
            attention_reduce=attention_reduce,
        )
        self.convs = nn.ModuleList(
            GCNLayer(*widths, relu=i < num_layers - 1, dropout=self.dropout)
            for i, widths in enumerate(self._widths())
        )

    def consistency_loss(self, z: Tensor, state: State) -> Tensor:
        """Return the mean over nodes of the squared distance between z and the last hidden state.

        Args:
            z: the embeddings of a call (…, num_nodes, hidden_channels).
            state: the state that went into that call.
        """
        return (z - state.tensors[0].select(-3, -1)).square().sum(dim=-1).mean(dim=-1)
