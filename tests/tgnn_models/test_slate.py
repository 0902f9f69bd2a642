"""SLATE: which token is whose, and what leaving out tokens means."""

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from tgnn_models import SLATE
from tgnn_models.attention import TransformerLayer

from .cases import shaken
from .graphs import random_snapshots
from .oracles import array, arrays, layer_norm, multi_head_attention


def test_one_layer_by_hand():
    """Tokens are rows (time, node); the answer is read back as [node, time]."""
    torch.manual_seed(0)
    snapshots = random_snapshots(num_nodes=4, num_snapshots=3, pe_channels=2, dtype=torch.float64)
    model = shaken(SLATE(5, 8, pe_channels=2, num_heads=2)).double()
    z, state = model(snapshots)
    assert state.tensors == ()
    weights = arrays(model)
    tokens = np.array(
        [
            np.concatenate([array(snapshots[t].x)[node], array(snapshots[t].pe)[node]])
            @ weights["linear.weight"]
            + weights["linear.bias"]
            for t in range(3)
            for node in range(4)
        ]
    )
    layer = {name.removeprefix("layers.0."): value for name, value in weights.items()}
    attention = {name.removeprefix("attention."): value for name, value in layer.items()}
    mixed = layer_norm(
        tokens + multi_head_attention(tokens, tokens, attention, 2),
        layer["attention_norm.weight"],
        layer["attention_norm.bias"],
    )
    inner = np.maximum(mixed @ layer["widen.weight"].T + layer["widen.bias"], 0)
    mixed = layer_norm(
        mixed + inner @ layer["narrow.weight"].T + layer["narrow.bias"],
        layer["feedforward_norm.weight"],
        layer["feedforward_norm.bias"],
    )
    assert z.shape == (4, 3, 8)
    for node in range(4):
        for t in range(3):
            np.testing.assert_allclose(array(z[node, t]), mixed[t * 4 + node], atol=1e-10)


@pytest.mark.parametrize("active_only", [False, True])
@pytest.mark.parametrize("window", [1, 2, 3])
def test_a_nodes_output_depends_on_its_own_tokens(window, active_only):
    """With attention silenced z[i, t] is a function of token (i, t) alone, as its Jacobian says."""
    torch.manual_seed(0)
    num_nodes, channels = 5, 3
    edges = random_snapshots(num_nodes=num_nodes, density=1.0)[0].edge_index
    model = SLATE(channels, 8, window=window, active_only=active_only)
    for layer in model.layers:
        assert isinstance(layer, TransformerLayer)
        torch.nn.init.zeros_(layer.attention.outward.weight)

    def embed(x: torch.Tensor) -> torch.Tensor:
        # `prepare` keeps the graph of x, so that gradients reach the features.
        return model([Data(x=x[t], edge_index=edges) for t in range(window)])[0]

    x = torch.randn(window, num_nodes, channels)
    jacobian = torch.autograd.functional.jacobian(embed, x)  # (node, time, channel, time, node, channel)
    influence = jacobian.abs().amax(dim=(2, 5))
    for node in range(num_nodes):
        for t in range(window):
            depends = influence[node, t] > 1e-6
            assert depends.nonzero().tolist() == [[t, node]]


def test_with_attention_every_token_reaches_every_node():
    torch.manual_seed(0)
    snapshots = random_snapshots(num_nodes=4, num_snapshots=3)
    model = SLATE(5, 8)
    z, _ = model(snapshots)
    snapshots[0].x = snapshots[0].x.clone()
    snapshots[0].x[3] += 1
    other, _ = model(snapshots)
    assert ((z - other).abs().amax(dim=2) > 1e-7).all()


def test_tokens_left_out_touch_nothing():
    torch.manual_seed(0)
    snapshots = random_snapshots(num_nodes=6, num_snapshots=2, density=1.0)
    for data in snapshots:
        data.edge_index = data.edge_index[:, (data.edge_index != 5).all(dim=0)]
    model = SLATE(5, 8, window=2, active_only=True)
    z, _ = model(snapshots)
    torch.testing.assert_close(z[5], model.absent.expand(2, 8))
    smaller = [Data(x=data.x[:5], edge_index=data.edge_index) for data in snapshots]
    torch.testing.assert_close(z[:5], model(smaller)[0])


def test_without_absent_nodes_active_only_changes_nothing():
    snapshots = random_snapshots(density=1.0)
    torch.manual_seed(0)
    plain = SLATE(5, 8)
    torch.manual_seed(0)
    active = SLATE(5, 8, active_only=True)
    torch.testing.assert_close(plain(snapshots)[0], active(snapshots)[0])


def test_only_the_window_is_read():
    snapshots = random_snapshots(num_snapshots=5)
    model = SLATE(5, 8, window=2)
    torch.testing.assert_close(model(snapshots)[0], model(snapshots[-2:])[0])
    assert model(snapshots[:1])[0].shape == (7, 1, 8)
    assert model.num_input_snapshots == 2
