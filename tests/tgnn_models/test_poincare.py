"""The Poincaré ball against closed forms and against geoopt."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tgnn_models.hyperbolic import HyperbolicConv, PoincareBall
from tgnn_models.poincare import (
    BALL_EPS,
    clip_tangent,
    expmap0,
    logmap0,
    max_norm,
    mobius_add,
    project,
    squared_distance,
)
from tgnn_models.snapshot import prepare

from .graphs import random_snapshots
from .oracles import array, geoopt_ball, normalized_adjacency

curvatures = st.floats(0.1, 4.0)


@st.composite
def vectors(draw: st.DrawFn, *, max_length: float = 3.0, channels: int = 3) -> torch.Tensor:
    """Vectors (2, channels) of lengths up to max_length, zero among them."""
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    directions = torch.randn(2, channels, generator=generator, dtype=torch.float64)
    lengths = draw(st.lists(st.floats(0, max_length), min_size=2, max_size=2))
    return (
        directions
        / directions.norm(dim=1, keepdim=True)
        * torch.tensor(lengths, dtype=torch.float64)[:, None]
    )


@given(v=vectors(), c=curvatures)
def test_log_undoes_exp(v, c):
    v = v / c**0.5
    torch.testing.assert_close(logmap0(expmap0(v, c), c), v, rtol=1e-7, atol=1e-9)


@given(v=vectors(max_length=2.0), c=curvatures)
def test_agrees_with_geoopt(v, c):
    ball = geoopt_ball(c)
    v = v / c**0.5
    p = expmap0(v, c)
    torch.testing.assert_close(p, ball.expmap0(v), rtol=1e-6, atol=1e-8)
    torch.testing.assert_close(logmap0(p, c), ball.logmap0(p), rtol=1e-6, atol=1e-8)
    torch.testing.assert_close(
        mobius_add(p[:1], p[1:], c), ball.mobius_add(p[:1], p[1:]), rtol=1e-6, atol=1e-8
    )
    torch.testing.assert_close(squared_distance(p[0], p[1], c), ball.dist2(p[0], p[1]), rtol=1e-5, atol=1e-7)
    torch.testing.assert_close(project(3 * p, c), ball.projx(3 * p), rtol=1e-6, atol=1e-8)


@given(v=vectors(max_length=2.0), c=curvatures)
def test_distance_against_arcosh(v, c):
    p = expmap0(v / c**0.5, c)
    x, y = p.numpy()
    inner = 1 + 2 * c * ((x - y) ** 2).sum() / ((1 - c * (x @ x)) * (1 - c * (y @ y)))
    assert float(squared_distance(p[0], p[1], c)) == pytest.approx(
        np.arccosh(max(inner, 1)) ** 2 / c, rel=1e-5, abs=1e-7
    )


@given(length=st.floats(0.01, 2.0), c=curvatures)
def test_distance_from_the_origin_is_twice_the_tangent_length(length, c):
    v = torch.tensor([[length / c**0.5, 0.0]], dtype=torch.float64)
    distance = squared_distance(expmap0(v, c), torch.zeros_like(v), c).sqrt()
    assert float(distance) == pytest.approx(2 * length / c**0.5, rel=1e-7)


@given(v=vectors(max_length=1.5), c=curvatures)
def test_mobius_addition_has_inverses_and_a_neutral_point(v, c):
    x, y = expmap0(v / c**0.5, c).split(1)
    torch.testing.assert_close(mobius_add(torch.zeros_like(x), x, c), x)
    torch.testing.assert_close(mobius_add(-x, mobius_add(x, y, c), c), y, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("c", [0.25, 1.0, 2.5])
@pytest.mark.parametrize("length", [0.0, 1e-20, 1.0, 20.0, 1e6])
def test_points_stay_inside_the_ball_and_gradients_stay_finite(dtype, c, length):
    v = torch.tensor([[length, 0.0], [0.6 * length, -0.8 * length]], dtype=dtype, requires_grad=True)
    p = expmap0(v, c)
    moved = project(mobius_add(p[:1], p[1:], c), c)
    limit = (1 - BALL_EPS[dtype]) / math.sqrt(c) * (1 + torch.finfo(dtype).eps * 4)
    assert p.norm(dim=1).max() <= limit
    assert moved.norm(dim=1).max() <= limit
    distance = squared_distance(p[0], p[1], c)
    (distance + logmap0(p, c).sum() + logmap0(moved, c).sum()).backward()
    assert distance.isfinite()
    assert v.grad is not None
    assert v.grad.isfinite().all()


def test_the_margins_are_geoopts():
    for dtype, margin in BALL_EPS.items():
        projected = geoopt_ball(1.0, dtype).projx(torch.tensor([2.0], dtype=dtype))
        assert float(projected) == pytest.approx(1 - margin, rel=1e-6)


def test_equal_points_at_the_boundary_have_distance_zero_in_float32():
    p = project(torch.tensor([[5.0, 5.0]]), 1.0).requires_grad_()
    distance = squared_distance(p, p.detach(), 1.0)
    distance.backward()
    assert float(distance.detach()) == pytest.approx(0, abs=1e-12)
    assert p.grad.isfinite().all()


def test_gradients_are_those_of_finite_differences():
    v = torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    c = torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda v, c: logmap0(mobius_add(expmap0(v, c), expmap0(v[0], c), c), c), (v, c)
    )
    assert torch.autograd.gradcheck(
        lambda v, c: squared_distance(expmap0(v, c)[:2], expmap0(v, c)[2:].expand(2, 4), c), (v, c)
    )


def test_convolution_against_geoopts_own_operations():
    """Möbius product and bias, then aggregation and activation at the origin, each step through geoopt."""
    (data,) = random_snapshots(num_snapshots=1, dtype=torch.float64)
    ball = geoopt_ball(1.0)
    conv = HyperbolicConv(5, 3, PoincareBall(1.0)).double()
    torch.nn.init.normal_(conv.bias, std=0.3)
    points = ball.expmap0(data.x * 0.3)
    moved = ball.projx(ball.mobius_matvec(conv.weight, points))
    moved = ball.projx(ball.mobius_add(moved, ball.expmap0(conv.bias)))
    dense = torch.from_numpy(normalized_adjacency(data.edge_index, data.num_nodes))
    aggregated = ball.projx(ball.expmap0(dense @ ball.logmap0(moved)))
    tangent = ball.logmap0(aggregated)
    expected = ball.projx(ball.expmap0(torch.where(tangent > 0, tangent, 0.01 * tangent)))
    ours = conv(ball.logmap0(points), prepare(data, torch.float64))
    np.testing.assert_allclose(array(ours), array(ball.logmap0(expected)), atol=1e-7)


@given(v=vectors(max_length=40.0), c=curvatures)
def test_clipping_a_tangent_vector_is_there_and_back(v, c):
    torch.testing.assert_close(clip_tangent(v, c), logmap0(expmap0(v, c), c), rtol=1e-6, atol=1e-9)


def test_convolution_keeps_points_off_the_boundary():
    (data,) = random_snapshots(num_snapshots=1)
    tangent = HyperbolicConv(5, 3, PoincareBall(1.0))(data.x * 100, prepare(data))
    assert expmap0(tangent, 1.0).norm(dim=1).max() <= max_norm(torch.float32) + 1e-6


def test_a_point_beyond_the_ball_counts_as_projected():
    beyond = torch.tensor([[3.0, 4.0]])
    torch.testing.assert_close(logmap0(beyond, 1.0), logmap0(project(beyond, 1.0), 1.0))


@pytest.mark.parametrize("curvature", [1e-3, 0.5, 1.0, 7.0, 200.0])
@pytest.mark.parametrize("learnable", [True, False])
def test_curvature_is_what_was_asked_and_can_be_set_back(curvature, learnable):
    ball = PoincareBall(curvature, learnable=learnable)
    assert float(ball.c.detach()) == pytest.approx(curvature, rel=1e-5)
    assert len(list(ball.parameters())) == int(learnable)
    ball.isp_c.data.fill_(3.0)
    ball.reset_parameters()
    assert float(ball.c.detach()) == pytest.approx(curvature, rel=1e-5)


@pytest.mark.parametrize("curvature", [0.5, 1.0, 7.0])
def test_a_curvature_that_geoopt_saved_is_read(curvature):
    saved = geoopt_ball(curvature).state_dict()
    ball = PoincareBall(2.0).double()
    ball.load_state_dict(saved)
    assert float(ball.c) == pytest.approx(curvature, rel=1e-12)
