"""The Poincaré ball in closed form, at the origin where HTGN works: pure functions.

Points p have ‖p‖ < 1/√c. ``c`` is the curvature, a positive float or a tensor (then gradients reach it), a
scalar, or one that broadcasts against (…, num_points, channels).
The tests compare them with geoopt, which has the same formulae for either sign of c.
"""

import math

import torch
from torch import Tensor

#: How far inside the boundary points are kept, by type; geoopt's values.
BALL_EPS = {torch.float32: 4e-3, torch.float64: 1e-5}
_TINY = 1e-30  # of squares


def _scaled_norm(x: Tensor, c: float | Tensor) -> Tensor:
    # √c ‖x‖. What is added turns x / ‖x‖ at the origin into 0, and its derivative there into 0, not nan.
    return (c * (x * x).sum(dim=-1, keepdim=True) + _TINY).sqrt()


def max_norm(dtype: torch.dtype) -> float:
    """Return the largest √c ‖p‖ that a point is allowed to have."""
    return 1 - BALL_EPS.get(dtype, 4e-3)


def project(p: Tensor, c: float | Tensor) -> Tensor:
    """Pull points (..., channels) that are too near the boundary, or beyond it, back along their ray.

    Example:
        >>> project(torch.tensor([[3.0, 4.0]]), 1.0).norm()
        tensor(0.9960)
    """
    return p * (max_norm(p.dtype) / _scaled_norm(p, c)).clamp_max(1.0)


def expmap0(v: Tensor, c: float | Tensor) -> Tensor:
    """Return exp₀(v) = tanh(√c ‖v‖) v / (√c ‖v‖), kept inside the ball by :func:`project`.

    Example:
        >>> expmap0(torch.tensor([[0.5, 0.0]]), 1.0)
        tensor([[0.4621, 0.0000]])
    """
    scaled = _scaled_norm(v, c)
    return v * (torch.tanh(scaled).clamp_max(max_norm(v.dtype)) / scaled)


def logmap0(p: Tensor, c: float | Tensor) -> Tensor:
    """Return log₀(p) = artanh(√c ‖p‖) p / (√c ‖p‖), the inverse of :func:`expmap0`.

    Points too near the boundary, or beyond it, are read as :func:`project` would move them.

    Example:
        >>> logmap0(torch.tensor([[0.4621, 0.0]]), 1.0)
        tensor([[0.5000, 0.0000]])
    """
    scaled = _scaled_norm(p, c)
    return p * (torch.atanh(scaled.clamp_max(max_norm(p.dtype))) / scaled)


def clip_tangent(v: Tensor, c: float | Tensor) -> Tensor:
    """Return log₀(exp₀(v)) in one step: v, shortened to what :func:`project` leaves of its point.

    Example:
        >>> clip_tangent(torch.tensor([[0.5, 0.0], [9.0, 0.0]]), 1.0)
        tensor([[0.5000, 0.0000],
                [3.1063, 0.0000]])
    """
    return v * (math.atanh(max_norm(v.dtype)) / _scaled_norm(v, c)).clamp_max(1.0)


def mobius_add(x: Tensor, y: Tensor, c: float | Tensor) -> Tensor:
    """Return x ⊕ y = ((1 + 2c⟨x,y⟩ + c‖y‖²) x + (1 − c‖x‖²) y) / (1 + 2c⟨x,y⟩ + c²‖x‖²‖y‖²).

    Example:
        >>> mobius_add(torch.tensor([[0.5, 0.0]]), torch.tensor([[0.5, 0.0]]), 1.0)
        tensor([[0.8000, 0.0000]])
    """
    xx = c * (x * x).sum(dim=-1, keepdim=True)
    yy = c * (y * y).sum(dim=-1, keepdim=True)
    xy = 1 + 2 * c * (x * y).sum(dim=-1, keepdim=True)
    denominator = xy + xx * yy  # at least (1 − c‖x‖‖y‖)², above 0 inside the ball
    return x * ((xy + yy) / denominator) + y * ((1 - xx) / denominator)


def squared_distance(x: Tensor, y: Tensor, c: float | Tensor) -> Tensor:
    """Return d(x, y)², from sinh²(√c d / 2) = c ‖x − y‖² / ((1 − c‖x‖²)(1 − c‖y‖²)).

    Unlike (2/√c) artanh(√c ‖−x ⊕ y‖) this has no cancellation near the boundary, where float32 needs it most.

    Example:
        >>> squared_distance(torch.tensor([[0.0, 0.0]]), torch.tensor([[0.6, 0.0]]), 1.0)
        tensor([1.9218])
    """
    difference = x - y
    gap = (difference * difference).sum(dim=-1, keepdim=True)
    return distance_of_gap(gap, room(x, c), room(y, c), c)


def room(p: Tensor, c: float | Tensor) -> Tensor:
    """Return 1 − c‖p‖² (..., 1), which is 0 at the boundary."""
    return 1 - c * (p * p).sum(dim=-1, keepdim=True)


def distance_of_gap(gap: Tensor, x_room: Tensor, y_room: Tensor, c: float | Tensor) -> Tensor:
    """Return d(x, y)² (...) from ‖x − y‖² and the :func:`room` of both points, each (..., 1)."""
    # What is added keeps the derivative of the root finite where x = y; that of d² is 0 there.
    half = torch.asinh((c * gap / (x_room * y_room) + _TINY).sqrt())
    return (4 / c * (half * half)).squeeze(-1)
