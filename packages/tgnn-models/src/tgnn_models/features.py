"""[features ‖ encoding] times a weight, with one-hot features as an index into that weight."""

import torch
from torch import Tensor, nn
from torch_geometric.nn.inits import glorot


def feature_matmul(x: Tensor, pe: Tensor | None, weight: Tensor) -> Tensor:
    """Return [x ‖ pe] @ weight; where x is an index, its one-hot rows are never formed.

    Args:
        x: float (num_nodes, channels), or integer (num_nodes,) for one-hot rows.
        pe: float (num_nodes, pe_channels), or None.
        weight: (channels + pe_channels, out_channels).

    Example:
        >>> weight = torch.tensor([[1.0, 2.0], [3.0, 4.0], [10.0, 20.0]])
        >>> feature_matmul(torch.tensor([1, 0]), torch.ones(2, 1), weight)
        tensor([[13., 24.],
                [11., 22.]])
    """
    if x.is_floating_point():
        return (x if pe is None else torch.cat([x, pe], dim=1)) @ weight
    rows = weight.index_select(0, x)
    return rows if pe is None else torch.addmm(rows, pe, weight[weight.size(0) - pe.size(1) :])


class FeatureLinear(nn.Module):
    """A linear map of [features ‖ encoding].

    Args:
        in_channels: the width of the features, or the number of one-hot categories.
        out_channels: the width of the answer.
        pe_channels: the width of the encoding; 0 for none.
        bias: whether to add one.

    Example:
        >>> FeatureLinear(6628, 16, pe_channels=8)(torch.tensor([0, 6627]), torch.zeros(2, 8)).shape
        torch.Size([2, 16])
    """

    def __init__(self, in_channels: int, out_channels: int, pe_channels: int = 0, bias: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_channels + pe_channels, out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weight as Glorot and the bias as ``torch.nn.Linear`` do."""
        glorot(self.weight)
        if self.bias is not None:
            bound = self.weight.size(0) ** -0.5
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Tensor, pe: Tensor | None = None) -> Tensor:
        """Return (num_nodes, out_channels); see :func:`feature_matmul`."""
        out = feature_matmul(x, pe, self.weight)
        return out if self.bias is None else out + self.bias
