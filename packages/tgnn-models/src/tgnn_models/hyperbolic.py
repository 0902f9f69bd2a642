"""The hyperbolic graph convolution of HTGN, on geoopt's Poincaré ball."""

from __future__ import annotations

import math

import torch
from geoopt import PoincareBall
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn.inits import zeros

from .poincare import clip_tangent, expmap0, logmap0, mobius_add
from .snapshot import Snapshot


class HyperbolicConv(nn.Module):
    """Möbius matrix product and bias, then aggregation and leaky ReLU in the tangent space at the origin.

    Points go in and come out as their log₀, since what surrounds the product works on that: the layer before,
    the layer after, and the GRU.

    Args:
        in_channels: the width of the points that go in.
        out_channels: the width of those that come out.
        ball: geoopt's manifold, shared by the layers of a model.
        dropout: the rate in the tangent space before the product.

    Example:
        >>> from torch_geometric.data import Data
        >>> from tgnn_models import prepare
        >>> path = Data(x=torch.arange(3), edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
        >>> conv = HyperbolicConv(4, 2, PoincareBall(c=1.0))
        >>> conv(torch.full((3, 4), 0.1), prepare(path)).shape
        torch.Size([3, 2])
    """

    def __init__(self, in_channels: int, out_channels: int, ball: PoincareBall, dropout: float = 0.0) -> None:
        super().__init__()
        self.ball = ball
        self.dropout = dropout
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels))
        self.bias = nn.Parameter(torch.empty(out_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weight; the bias, a tangent vector at the origin, is zero."""
        nn.init.xavier_uniform_(self.weight, gain=math.sqrt(2))
        zeros(self.bias)

    def forward(self, tangent: Tensor, snapshot: Snapshot) -> Tensor:
        """Return tangent vectors (num_nodes, out_channels) for tangent vectors (num_nodes, in_channels)."""
        c = self.ball.c
        tangent = functional.dropout(tangent, self.dropout, self.training)
        # W ⊗ x = exp₀(W log₀(x)).
        moved = mobius_add(expmap0(tangent @ self.weight.t(), c), expmap0(self.bias, c), c)
        return clip_tangent(functional.leaky_relu(snapshot.propagate(logmap0(moved, c))), c)


def poincare_ball(curvature: float, *, learnable: bool = False) -> PoincareBall:
    """Return geoopt's ball; a curvature that is not learned is a buffer, so that every parameter is trained.

    Example:
        >>> list(poincare_ball(1.0).parameters()), poincare_ball(1.0).c
        ([], tensor(1.))
    """
    ball = PoincareBall(c=curvature, learnable=learnable)
    if not learnable:
        stored = ball.isp_c.detach()
        del ball.isp_c
        ball.register_buffer("isp_c", stored)
    return ball


def set_curvature(ball: PoincareBall, curvature: float) -> None:
    """Set the curvature of a ball in place; geoopt stores its inverse softplus so that it stays positive."""
    with torch.no_grad():
        ball.isp_c.fill_(curvature + math.log(-math.expm1(-curvature)))
