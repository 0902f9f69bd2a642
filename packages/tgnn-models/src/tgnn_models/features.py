"""[features ‖ encoding] times a weight, with one-hot features as an index into that weight.

Weights may have a leading axis of runs, and so may features and encodings: ``(…, rows, channels)``.
"""

import torch
from torch import Tensor, nn
from torch_geometric.nn.inits import glorot


def take_rows(table: Tensor, index: Tensor) -> Tensor:
    """Return rows of a table by their index.

    Args:
        table: (rows, channels), or one a run, (num_runs, rows, channels).
        index: (k,), or one a run, (num_runs, k).

    Returns:
        (k, channels), or (num_runs, k, channels) where either has runs.

    Example:
        >>> tables = torch.tensor([[[1.0], [2.0]], [[3.0], [4.0]]])
        >>> take_rows(tables, torch.tensor([[1], [0]])).flatten()
        tensor([2., 3.])
    """
    one, rows = as_one_table(table, index)
    picked = one.index_select(0, rows)
    if table.dim() == 2:
        return picked if index.dim() == 1 else picked.view(*index.shape, table.size(1))
    return picked.view(table.size(0), -1, table.size(2))


def as_one_table(table: Tensor, index: Tensor) -> tuple[Tensor, Tensor]:
    """Return the tables of all runs as one, and the index (k,) or (num_runs, k) of rows in that one.

    Picking from it, and adding up gradients, is one call that goes by whole rows.

    Example:
        >>> table, index = as_one_table(torch.zeros(2, 5, 3), torch.tensor([[0], [4]]))
        >>> table.shape, index
        (torch.Size([10, 3]), tensor([0, 9]))
    """
    if table.dim() == 2:
        return table, index.flatten()
    num_runs, size, _ = table.shape
    start = torch.arange(0, num_runs * size, size, device=index.device).unsqueeze(1)
    return table.flatten(0, 1), (index + start).flatten()


def feature_matmul(x: Tensor, pe: Tensor | None, weight: Tensor) -> Tensor:
    """Return [x ‖ pe] @ weight; where x is an index, its one-hot rows are never formed.

    Args:
        x: float (…, num_nodes, channels), or integer (num_nodes,) for one-hot rows.
        pe: float (…, num_nodes, pe_channels), or None.
        weight: (…, channels + pe_channels, out_channels).

    Example:
        >>> weight = torch.tensor([[1.0, 2.0], [3.0, 4.0], [10.0, 20.0]])
        >>> feature_matmul(torch.tensor([1, 0]), torch.ones(2, 1), weight)
        tensor([[13., 24.],
                [11., 22.]])
    """
    if x.is_floating_point():
        return (x if pe is None else torch.cat([x, pe], dim=-1)) @ weight
    rows = take_rows(weight, x)
    return rows if pe is None else rows + pe @ weight[..., weight.size(-2) - pe.size(-1) :, :]


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
        """Return (…, num_nodes, out_channels); see :func:`feature_matmul`."""
        out = feature_matmul(x, pe, self.weight)
        return out if self.bias is None else out + self.bias.unsqueeze(-2)
