"""GRUGCN and HTGN: window attention, a step by hand, the first hidden state, the consistency loss."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from tgnn_models import GRUGCN, HTGN
from tgnn_models.window_attention import WindowAttention

from .graphs import random_snapshots
from .oracles import array, arrays, geoopt_ball, gru_cell, normalized_adjacency, window_attention

both = pytest.mark.parametrize("model_class", [GRUGCN, HTGN])


@given(
    window=st.integers(1, 5),
    num_nodes=st.integers(1, 4),
    reduce=st.sampled_from(["mean", "sum"]),
    seed=st.integers(0, 999),
)
def test_attention_is_the_explicit_softmax(window, num_nodes, reduce, seed):
    torch.manual_seed(seed)
    attention = WindowAttention(3, reduce).double()
    hidden = torch.randn(window, num_nodes, 3, dtype=torch.float64)
    expected = window_attention(array(hidden), array(attention.Q), array(attention.r), reduce)
    np.testing.assert_allclose(array(attention(hidden)), expected, atol=1e-12)


@pytest.mark.parametrize("num_layers", [1, 2, 3])
@pytest.mark.parametrize("reduce", ["mean", "sum"])
def test_a_step_of_grugcn_by_hand(num_layers, reduce):
    torch.manual_seed(0)
    first, second = random_snapshots(num_snapshots=2, pe_channels=2, dtype=torch.float64)
    model = GRUGCN(5, 4, pe_channels=2, num_layers=num_layers, window=3, attention_reduce=reduce).double()
    _, state = model([first])
    z, after = model([second], state)

    weights, hidden = arrays(model), array(state.tensors[0])
    dense = normalized_adjacency(second.edge_index, 7)
    features = np.concatenate([array(second.x), array(second.pe)], axis=1)
    x = np.concatenate([features @ weights["linear.weight"] + weights["linear.bias"], hidden[-1]], axis=1)
    for i in range(num_layers):
        x = dense @ x @ weights[f"convs.{i}.weight"] + weights[f"convs.{i}.bias"]
        x = np.maximum(x, 0) if i < num_layers - 1 else x
    h = window_attention(hidden, weights["attention.Q"], weights["attention.r"], reduce)
    expected = gru_cell(x, h, model.gru)
    np.testing.assert_allclose(array(z), expected, atol=1e-12)
    np.testing.assert_allclose(
        array(after.tensors[0]), np.stack([hidden[1], hidden[2], expected]), atol=1e-12
    )


@pytest.mark.parametrize("curvature", [0.5, 1.0, 2.0])
def test_a_step_of_htgn_through_geoopt(curvature):
    """The same recurrence between geoopt's exp₀ and log₀; the convolution has a test of its own."""
    torch.manual_seed(0)
    first, second = random_snapshots(num_nodes=40, num_snapshots=2, density=0.1, dtype=torch.float64)
    model = HTGN(5, 4, window=3, curvature=curvature).double()
    _, state = model([first])
    z, after = model([second], state)

    ball = geoopt_ball(curvature)
    weights, (hidden,) = arrays(model), state.tensors
    x = ball.projx(ball.expmap0(second.x @ model.linear.weight + model.linear.bias))
    x = ball.projx(torch.cat([x, hidden[-1]], dim=1))
    dense = torch.from_numpy(normalized_adjacency(second.edge_index, 40))
    for conv in model.convs:
        x = ball.mobius_add(ball.projx(ball.mobius_matvec(conv.weight, x)), ball.expmap0(conv.bias))
        gathered = ball.projx(ball.expmap0(dense @ ball.logmap0(ball.projx(x))))
        tangent = ball.logmap0(gathered)
        x = ball.projx(ball.expmap0(torch.where(tangent > 0, tangent, 0.01 * tangent)))
    attended = window_attention(
        array(ball.logmap0(hidden)), weights["attention.Q"], weights["attention.r"], "mean"
    )
    expected = ball.projx(
        ball.expmap0(torch.from_numpy(gru_cell(array(ball.logmap0(x)), attended, model.gru)))
    )
    np.testing.assert_allclose(array(z), array(expected), atol=1e-6)
    torch.testing.assert_close(after.tensors[0][-1], z)
    assert z.norm(dim=1).max() < curvature**-0.5


@both
def test_consistency_is_the_mean_squared_distance_to_the_last_hidden_state(model_class):
    torch.manual_seed(0)
    snapshots = random_snapshots(dtype=torch.float64)
    model = model_class(5, 4).double()
    _, state = model(snapshots[:2])
    z, _ = model(snapshots[2:], state)
    last = state.tensors[0][-1]
    if model_class is HTGN:
        expected = geoopt_ball(1.0).dist(z, last).square().mean()
    else:
        expected = torch.linalg.vector_norm(z - last, dim=1).square().mean()
    torch.testing.assert_close(model.consistency_loss(z, state), expected, rtol=1e-6, atol=1e-8)
    assert float(model.consistency_loss(last, state).detach()) == pytest.approx(0, abs=1e-9)


@both
def test_the_glorot_start_is_fixed_and_bounded_and_tells_nodes_apart(model_class):
    torch.manual_seed(0)
    model = model_class(5, 16)
    (window,) = model.initial_state(50).tensors
    assert window.shape == (5, 50, 16)
    assert torch.equal(window, model.initial_state(50).tensors[0])
    assert torch.equal(window, window[:1].expand_as(window))
    assert window[0].unique(dim=0).size(0) == 50
    draw = model._lower(window[0])
    bound = (6 / 66) ** 0.5
    assert draw.abs().max() <= bound * (1 + 1e-5)
    assert draw.abs().max() > 0.9 * bound


@both
@pytest.mark.parametrize(("hidden_init", "apart"), [("glorot", True), ("constant", False)])
def test_with_zero_features_only_the_glorot_start_tells_nodes_apart(model_class, hidden_init, apart):
    """On a cycle all nodes look alike; the published draw gives each an identity all the same."""
    torch.manual_seed(0)
    around = torch.arange(6)
    edges = torch.stack([torch.cat([around, around.roll(1)]), torch.cat([around.roll(1), around])])
    model = model_class(3, 4, hidden_init=hidden_init)
    z, _ = model([Data(x=torch.zeros(6, 3), edge_index=edges)] * 3)
    assert torch.allclose(z, z[:1].expand_as(z), atol=1e-6) != apart


@both
def test_gradients_stop_at_a_detached_state(model_class):
    snapshots = random_snapshots(num_snapshots=2)
    model = model_class(5, 4)
    _, state = model(snapshots[:1])
    assert state.tensors[0].requires_grad
    cut = state.detach()
    assert not cut.tensors[0].requires_grad
    z, _ = model(snapshots[1:], cut)
    (gradient,) = torch.autograd.grad(z.sum(), state.tensors[0], allow_unused=True)
    assert gradient is None


def test_a_learned_curvature_moves_and_a_fixed_one_does_not():
    snapshots = random_snapshots()
    for learned in (True, False):
        torch.manual_seed(0)
        model = HTGN(5, 4, learn_curvature=learned)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        before = float(model.ball.c.detach())
        z, _ = model(snapshots)
        z.square().sum().backward()
        optimizer.step()
        assert (float(model.ball.c.detach()) != before) == learned
        model.reset_parameters()
        assert float(model.ball.c.detach()) == pytest.approx(1.0, rel=1e-6)
