"""With the same weights, each model gives what the published equations give: embeddings, loss, gradients."""

from collections.abc import Mapping

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import softplus
from torch_geometric.data import Data

from tgnn_models import GRUGCN, HTGN, TemporalModel, build, prepare
from tgnn_models.hyperbolic import HyperbolicConv, PoincareBall
from tgnn_models.matrix_gru import MatrixGRU

from . import published
from .graphs import edge_index
from .oracles import array, normalized_adjacency

NUM_NODES, CHANNELS, WINDOW, NUM_SNAPSHOTS = 9, 3, 2, 3
GATES = ("update", "reset", "candidate")
Tensors = Mapping[str, Tensor]


def snapshots() -> list[Data]:
    """Stars and a path: a hub gathers from leaves with more weight than one, which is what is clipped."""
    hubs = [0, 4, 7]
    links = [[(hub, leaf) for leaf in range(NUM_NODES) if leaf != hub and leaf % 4] for hub in hubs]
    return [
        Data(x=torch.arange(NUM_NODES), edge_index=edge_index(np.array([*pairs, (1, 2), (0, 8)])))
        for pairs in links
    ]


def pairs(t: int) -> tuple[np.ndarray, np.ndarray]:
    """The links of a snapshot and as many other pairs."""
    links = snapshots()[t].edge_index.numpy()
    others = np.random.default_rng([7, t]).integers(NUM_NODES, size=links.shape)
    others[1] = np.where(others[0] == others[1], (others[1] + 1) % NUM_NODES, others[1])
    return links, others


# ── the same weights under both names ──────────────────────────────────────────────────────────────────────


def egcn_names(own: Tensors) -> dict[str, Tensor]:
    """Views of a module's tensors, named as in :mod:`.published`; each gate apart, untransposed."""
    found = {}
    for i in range(2):
        layer, gru = f"layers.{i}", f"layers.{i}.gru"
        found |= {f"{i}.weight": own[f"{layer}.initial_weight"], f"{i}.b": own[f"{layer}.bias"]}
        if f"{layer}.scorer" in own:
            found[f"{i}.p"] = own[f"{layer}.scorer"][:, 0]
        hidden = [*own[f"{gru}.gate_weight"].chunk(2, dim=1), own[f"{gru}.candidate_weight"]]
        for j, gate in enumerate(GATES):
            found[f"{i}.{gate}.W"] = own[f"{gru}.input_weight"].chunk(3, dim=1)[j].t()
            found[f"{i}.{gate}.U"] = hidden[j].t()
            found[f"{i}.{gate}.B"] = own[f"{gru}.bias"].chunk(3, dim=1)[j].t()
    return found


def recurrent_names(own: Tensors) -> dict[str, Tensor]:
    found = {"linear.W": own["linear.weight"], "linear.b": own["linear.bias"]}
    found |= {"Q": own["attention.Q"], "r": own["attention.r"]}
    found |= {f"{i}.W": own[f"convs.{i}.weight"] for i in range(2)}
    found |= {f"{i}.b": own[f"convs.{i}.bias"] for i in range(2)}
    for side, letter in (("ih", "i"), ("hh", "h")):
        for gate, weight, bias in zip(
            "rzn", own[f"gru.weight_{side}"].chunk(3), own[f"gru.bias_{side}"].chunk(3), strict=True
        ):
            found |= {f"W_{letter}{gate}": weight, f"b_{letter}{gate}": bias.unsqueeze(1)}
    return found


def names_of(model: TemporalModel, own: Tensors) -> dict[str, Tensor]:
    return recurrent_names(own) if isinstance(model, GRUGCN | HTGN) else egcn_names(own)


def drawn_into(model: TemporalModel, scale: float) -> dict[str, np.ndarray]:
    """Weights drawn under the published names, and copied into the model."""
    rng = np.random.default_rng(5)
    views = names_of(model, {name: p.data for name, p in model.named_parameters()})
    drawn = {name: scale * rng.normal(size=tuple(view.shape)) for name, view in views.items()}
    for name, view in views.items():
        view.copy_(torch.from_numpy(drawn[name]))
    assert sum(view.numel() for view in views.values()) == sum(p.numel() for p in model.parameters())
    return drawn


# ── both losses ────────────────────────────────────────────────────────────────────────────────────────────


def start(model: TemporalModel) -> np.ndarray:
    """A window of different hidden states, inside the ball where that matters."""
    drawn = 0.3 * np.random.default_rng(2).normal(size=(WINDOW, NUM_NODES, CHANNELS))
    return published.expmap0(drawn) if isinstance(model, HTGN) else drawn


def by_equations(name: str, W: published.Weights, hidden: np.ndarray) -> tuple[np.ndarray, float]:
    """The last embeddings, and the sum of the losses over all snapshots."""
    adjacencies = [normalized_adjacency(data.edge_index, NUM_NODES) for data in snapshots()]
    X = np.eye(NUM_NODES)
    if name.startswith("egcn"):
        embeddings = published.evolvegcn(W, adjacencies, X, variant=name[-1])
        losses = [published.dot_loss(z, *pairs(t)) for t, z in enumerate(embeddings)]
        return embeddings[-1], sum(losses)
    step = {"grugcn": published.grugcn, "htgn": published.htgn}[name]
    loss = {"grugcn": published.dot_loss, "htgn": published.fermi_dirac_loss}[name]
    total = 0.0
    for t, A in enumerate(adjacencies):
        z = step(W, A, X, hidden)
        if name == "htgn":
            distance = published.squared_distance(z, hidden[-1])
        else:
            distance = ((z - hidden[-1]) ** 2).sum(axis=1)
        total += loss(z, *pairs(t)) + distance.mean()
        hidden = np.concatenate([hidden[1:], z[None]])
    return z, total


def by_model(model: TemporalModel, decoder: torch.nn.Module, hidden: np.ndarray) -> tuple[Tensor, Tensor]:
    """The same from the modules, with gradients through all snapshots."""
    state = model.initial_state(NUM_NODES)
    if isinstance(model, GRUGCN | HTGN):
        state = type(state)((torch.from_numpy(hidden),))
    total = torch.zeros((), dtype=torch.float64)
    for t, data in enumerate(snapshots()):
        before = state
        z, state = model([data], state)
        links, others = (decoder(z, torch.from_numpy(part)) for part in pairs(t))
        total = total + softplus(-links).mean() + softplus(others).mean() + model.consistency_loss(z, before)
    return z, total


@pytest.mark.parametrize(
    ("name", "scale"),
    [("egcn-h", 0.5), ("egcn-o", 0.5), ("grugcn", 0.5), ("htgn", 0.5), ("htgn", 2.0)],
)
def test_embeddings_loss_and_gradients_are_those_of_the_published_equations(name, scale):
    options = {} if name.startswith("egcn") else {"window": WINDOW}
    model, decoder = build(name, NUM_NODES, CHANNELS, **options)
    model, decoder = model.double(), decoder.double()
    if isinstance(model, HTGN):
        model.ball.reset_parameters()  # the curvature is 1 to all digits of the new type
    W, hidden = drawn_into(model, scale), start(model)
    expected, expected_loss = by_equations(name, W, hidden)
    z, loss = by_model(model, decoder, hidden)
    np.testing.assert_allclose(array(z), expected, rtol=1e-9, atol=1e-9)
    assert float(loss.detach()) == pytest.approx(expected_loss, rel=1e-9)

    loss.backward()
    gradients = names_of(model, {key: p.grad for key, p in model.named_parameters()})
    by_difference = published.finite_differences(lambda W: by_equations(name, W, hidden)[1], W)
    for key, gradient in gradients.items():
        # Differences lose digits where points are near the boundary, in proportion to the largest entry.
        expected_gradient = by_difference[key]
        atol = 5e-6 * max(1.0, np.abs(expected_gradient).max())
        np.testing.assert_allclose(array(gradient), expected_gradient, rtol=1e-5, atol=atol, err_msg=key)


def test_points_are_clipped_after_the_aggregation_not_only_after_the_activation():
    """Where the hub's point is clipped and has negative entries, the order of the two can be told."""
    data = snapshots()[0]
    A = normalized_adjacency(data.edge_index, NUM_NODES)
    tangent = np.random.default_rng(0).normal(size=(NUM_NODES, 4)) * 0.1 + [9.0, -9.0, 9.0, -9.0]
    conv = HyperbolicConv(4, 4, PoincareBall(1.0)).double()
    conv.ball.reset_parameters()
    with torch.no_grad():
        conv.weight.copy_(torch.eye(4))
    points = published.expmap0(tangent)
    gathered = A @ published.logmap0(points)
    assert (np.linalg.norm(gathered, axis=1) > published.artanh(np.array(1 - 1e-5))).any()
    W = {"0.W": np.eye(4), "0.b": np.zeros(4)}
    expected = published.logmap0(published.hyperbolic_conv(W, "0", A, points))
    found = conv(torch.from_numpy(published.logmap0(points)), prepare(data, torch.float64))
    np.testing.assert_allclose(array(found), expected, rtol=1e-7)
    late = np.where(gathered > 0, gathered, 0.01 * gathered)
    assert not np.allclose(published.logmap0(published.expmap0(late)), expected, rtol=1e-3)


# ── the published draws ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("rows", "columns"), [(40, 9), (9, 40)])
def test_the_gates_of_evolvegcn_are_drawn_as_published(rows, columns):
    torch.manual_seed(0)
    gru = MatrixGRU(rows, columns)
    for weight, bound in (
        (gru.input_weight, rows**-0.5),
        (gru.gate_weight, rows**-0.5),
        (gru.candidate_weight, rows**-0.5),
        (gru.bias, columns**-0.5),
    ):
        assert 0.95 * bound < float(weight.detach().abs().max()) <= bound
        # A uniform draw within ±b has the standard deviation b/√3.
        assert float(weight.detach().std()) == pytest.approx(bound / 3**0.5, rel=0.1)


def test_a_slow_start_hardly_moves_the_weights():
    torch.manual_seed(0)
    hidden, x = torch.randn(8, 4), torch.randn(4, 8)
    slow = MatrixGRU(8, 4, "slow")
    assert (slow(hidden, x) - hidden).abs().max() < 0.2
    assert set(slow.bias.unique().tolist()) == {-6.0, 0.0}
    assert (MatrixGRU(8, 4)(hidden, x) - hidden).abs().max() > 0.5


def test_convolutions_of_htgn_are_drawn_with_gain_one():
    torch.manual_seed(0)
    weight = HyperbolicConv(50, 30, PoincareBall(1.0)).weight
    bound = (6 / 80) ** 0.5
    assert 0.95 * bound < float(weight.detach().abs().max()) <= bound
