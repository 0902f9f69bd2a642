"""SLATE: which token is whose, and what leaving out tokens means."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from tgnn_models import SLATE, InvalidSnapshotError, Snapshot, TokenGroups, prepare
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


def _window(one_hot: bool, zero: bool, encoded: bool, num_nodes: int = 9) -> list[Snapshot]:
    """A window in which some nodes are absent, and have no encoding or the one that they had before."""
    snapshots = random_snapshots(
        num_nodes=num_nodes, num_snapshots=3, pe_channels=2 if encoded else 0, one_hot=one_hot, density=0.2
    )
    for before, data in zip([None, *snapshots], snapshots, strict=False):
        data.x = torch.zeros(num_nodes, 1) if zero else snapshots[0].x
        if encoded:
            absent = ~prepare(data).active
            data.pe[absent] = 0.0 if before is None else before.pe[absent]
    return [prepare(data, torch.float64) for data in snapshots]


WINDOWS = {
    "one-hot": (True, False, False),
    "one-hot, encoded": (True, False, True),
    "zeros": (False, True, False),
    "zeros, encoded": (False, True, True),
    "float, encoded": (False, False, True),
}


@pytest.mark.parametrize("active_only", [False, True])
@pytest.mark.parametrize("kind", WINDOWS.values(), ids=WINDOWS)
def test_tokens_computed_once_for_all_that_are_the_same(kind, active_only):
    """Embeddings and gradients are what they are when every token is computed on its own."""
    torch.manual_seed(0)
    snapshots = _window(*kind)
    channels = 9 if kind[0] else snapshots[0].x.size(1)
    pe_channels = 0 if snapshots[0].pe is None else 2
    options = {"num_heads": 2, "num_layers": 2, "active_only": active_only, "pe_channels": pe_channels}
    model = shaken(SLATE(channels, 8, **options)).double()
    groups = model.groups(snapshots)
    assert groups is not None
    assert len(groups.first) < 3 * 9  # there is something to gain in each of these windows
    answers = []
    for newest in (snapshots[-1], replace(snapshots[-1], groups=groups)):
        model.zero_grad()
        z, _ = model([*snapshots[:-1], newest])
        (z * torch.arange(z.numel()).view_as(z).sin()).sum().backward()
        answers.append((z.detach(), [p.grad for p in model.parameters() if p.grad is not None]))
    torch.testing.assert_close(answers[1], answers[0], rtol=1e-9, atol=1e-9)


def test_groups_are_tokens_with_the_same_input():
    snapshots = _window(True, False, True)
    groups = SLATE(9, 8, pe_channels=2).groups(snapshots)
    inputs = [(int(s.x[node]), tuple(s.pe[node].tolist())) for s in snapshots for node in range(s.num_nodes)]
    for i, one in enumerate(inputs):
        for j, other in enumerate(inputs):
            assert (one == other) == (groups.group[i] == groups.group[j])
    sizes = [inputs.count(inputs[first]) for first in groups.first.tolist()]
    assert groups.sizes.tolist() == sizes


def test_common_groups_are_together_in_each():
    present = torch.tensor([True, True, True, False, True])
    one = TokenGroups.of([torch.tensor([1, 1, 2, 2, 1])], present)
    other = TokenGroups.of([torch.tensor([1, 1, 2, 2, 2])], present)
    common = TokenGroups.common([one, other]).group.tolist()
    assert common[0] == common[1]
    assert len({common[0], common[2], common[4]}) == 3
    assert common[3] == 3  # left out, as in both


def test_a_window_without_edges_has_no_tokens_to_compute():
    snapshots = [prepare(data) for data in random_snapshots(density=0.0)]
    model = SLATE(5, 8, active_only=True)
    newest = replace(snapshots[-1], groups=model.groups(snapshots))
    assert newest.groups is not None
    assert len(newest.groups.first) == 0
    z, _ = model([*snapshots[:-1], newest])
    torch.testing.assert_close(z, model.absent.expand(7, 3, 8))
    torch.testing.assert_close(z, model(snapshots)[0])


def test_with_dropout_no_tokens_are_merged():
    assert SLATE(9, 8, pe_channels=2, dropout=0.1).groups(_window(True, False, True)) is None


def test_groups_of_another_window_are_refused():
    snapshots = _window(True, False, False)
    model = SLATE(9, 8).double()
    newest = replace(snapshots[-1], groups=model.groups(snapshots))
    with pytest.raises(InvalidSnapshotError, match="27 tokens: must be 18"):
        model([snapshots[0], newest])
