"""A Poincaré ball whose curvature may be learned, and the graph convolution of HTGN on it."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn.inits import glorot, zeros

from .checks import check_positive
from .poincare import clip_tangent, expmap0, logmap0, mobius_add
from .products import affine
from .snapshot import Snapshot


class PoincareBall(nn.Module):
    """The curvature c > 0 of the ball of radius 1/√c: a fixed number, or a parameter.

    What is stored, and saved in a checkpoint, is the inverse of softplus at c, so that c stays positive
    whatever a training step does to it. A curvature that is not learned is a buffer: every parameter is
    trained.

    Args:
        curvature: c.
        learnable: whether c is a parameter.

    Raises:
        InvalidArgumentError: a curvature that is not finite and above 0.

    Example:
        >>> ball = PoincareBall(1.0)
        >>> ball.c, list(ball.parameters())
        (tensor(1.), [])
    """

    isp_c: Tensor

    def __init__(self, curvature: float = 1.0, *, learnable: bool = False) -> None:
        super().__init__()
        self.curvature = check_positive("curvature", curvature)
        if learnable:
            self.isp_c = nn.Parameter(torch.empty(()))
        else:
            self.register_buffer("isp_c", torch.empty(()))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the curvature back to what it was at first."""
        with torch.no_grad():
            self.isp_c.fill_(self.curvature + math.log(-math.expm1(-self.curvature)))

    @property
    def c(self) -> Tensor:
        """The curvature, a scalar tensor, or (num_runs, 1, 1) where each run has its own."""
        c = functional.softplus(self.isp_c)
        return c if c.dim() == 0 else c.view(-1, 1, 1)


class HyperbolicConv(nn.Module):
    """Möbius matrix product and bias, then aggregation and leaky ReLU in the tangent space at the origin.

    Points go in and come out as their log₀, since what surrounds the product works on that: the layer before,
    the layer after, and the GRU.

    Args:
        in_channels: the width of the points that go in.
        out_channels: the width of those that come out.
        ball: shared by the layers of a model.
        dropout: the rate in the tangent space before the product.

    Example:
        >>> from torch_geometric.data import Data
        >>> from tgnn_models import prepare
        >>> path = Data(x=torch.arange(3), edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
        >>> conv = HyperbolicConv(4, 2, PoincareBall(1.0))
        >>> conv(torch.full((3, 4), 0.1), prepare(path)).shape
        torch.Size([3, 2])
    """

    def __init__(self, in_channels: int, out_channels: int, ball: PoincareBall, dropout: float = 0.0) -> None:
        super().__init__()
        self.ball = ball
        self.drop = nn.Dropout(dropout)
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels))
        self.bias = nn.Parameter(torch.empty(out_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weight as Glorot does; the bias, a tangent vector at the origin, is zero."""
        glorot(self.weight)
        zeros(self.bias)

    def forward(self, tangent: Tensor, snapshot: Snapshot) -> Tensor:
        """Return tangent vectors (…, num_nodes, out_channels) for such of (…, num_nodes, in_channels)."""
        c = self.ball.c
        # W ⊗ x = exp₀(W log₀(x)).
        product = expmap0(affine(self.drop(tangent), self.weight), c)
        moved = mobius_add(product, expmap0(self.bias.unsqueeze(-2), c), c)
        # As published, points are clipped to the ball after the aggregation. The published clip after the
        # activation, which only shortens, has nothing left to do.
        return functional.leaky_relu(clip_tangent(snapshot.propagate(logmap0(moved, c)), c))
