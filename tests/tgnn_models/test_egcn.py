"""EvolveGCN: the weights' GRU, the top-k summary, the layer."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tgnn_models import EGCN, DotDecoder, prepare
from tgnn_models.egcn import SLOPE, EvolvingLayer, top_k
from tgnn_models.matrix_gru import MatrixGRU

from .graphs import random_snapshots
from .oracles import array, arrays, auc, normalized_adjacency, sigmoid


def gru_by_hand(weights: dict[str, np.ndarray], H: np.ndarray, X: np.ndarray) -> np.ndarray:
    """u, r = σ(W X + U H + B); W_t = (1 − u) H + u tanh(W X + U (r ∘ H) + B), untransposed, gate by gate."""
    rows = H.shape[0]
    Wu, Wr, Wc = (weights["input_weight"][:, i * rows : (i + 1) * rows].T for i in range(3))
    Uu, Ur = (weights["gate_weight"][:, i * rows : (i + 1) * rows].T for i in range(2))
    Uc = weights["candidate_weight"].T
    Bu, Br, Bc = (weights["bias"][:, i * rows : (i + 1) * rows].T for i in range(3))
    u = sigmoid(Wu @ X + Uu @ H + Bu)
    r = sigmoid(Wr @ X + Ur @ H + Br)
    return (1 - u) * H + u * np.tanh(Wc @ X + Uc @ (r * H) + Bc)


def drawn_gru(rows: int, columns: int, seed: int) -> tuple[MatrixGRU, torch.Tensor, torch.Tensor]:
    torch.manual_seed(seed)
    gru = MatrixGRU(rows, columns).double()
    torch.nn.init.normal_(gru.bias)
    return (
        gru,
        torch.randn(rows, columns, dtype=torch.float64),
        torch.randn(rows, columns, dtype=torch.float64),
    )


@given(rows=st.integers(1, 5), columns=st.integers(1, 4), seed=st.integers(0, 999))
def test_weight_evolution_by_hand(rows, columns, seed):
    gru, H, X = drawn_gru(rows, columns, seed)
    np.testing.assert_allclose(array(gru(H, X.t())), gru_by_hand(arrays(gru), array(H), array(X)), atol=1e-12)


@given(rows=st.integers(1, 5), columns=st.integers(1, 4), seed=st.integers(0, 999))
def test_weight_evolution_is_a_gru_cell_on_columns(rows, columns, seed):
    """PyTorch's cell applies r after U; both agree where that is the same: U_c diagonal, B equal columns.

    Its z keeps the old state where u replaces it: z = 1 − u, so that gate's signs turn.
    """
    gru, H, X = drawn_gru(rows, columns, seed)
    with torch.no_grad():
        gru.candidate_weight.copy_(torch.diag(torch.randn(rows, dtype=torch.float64)))
        gru.bias.copy_(gru.bias[:1].expand_as(gru.bias))
    Wu, Wr, Wc = gru.input_weight.t().split(rows)
    Uu, Ur = gru.gate_weight.t().split(rows)
    Bu, Br, Bc = gru.bias[0].split(rows)
    cell = torch.nn.GRUCell(rows, rows).double()
    with torch.no_grad():
        cell.weight_ih.copy_(torch.cat([Wr, -Wu, Wc]))
        cell.weight_hh.copy_(torch.cat([Ur, -Uu, gru.candidate_weight.t()]))
        cell.bias_ih.copy_(torch.cat([Br, -Bu, Bc]))
        cell.bias_hh.zero_()
    torch.testing.assert_close(gru(H, X.t()), cell(X.t(), H.t()).t())


def test_top_k_by_hand():
    scores = torch.tensor([0.3, -1.0, 2.0, 0.5])
    assert top_k(scores, 2).tolist() == [2, 3]
    assert top_k(scores, 4).tolist() == [2, 3, 0, 1]
    assert top_k(scores, 6).tolist() == [2, 3, 0, 1, 1, 1]


@pytest.mark.parametrize("one_hot", [True, False])
@pytest.mark.parametrize("num_nodes", [2, 9])  # fewer nodes than columns, and more
def test_the_h_variant_reads_the_top_rows(one_hot, num_nodes):
    """X p / ‖p‖ by hand on dense rows [x ‖ pe]; the best rows times tanh(score), transposed, into the GRU."""
    torch.manual_seed(0)
    (data,) = random_snapshots(
        num_nodes=num_nodes, num_snapshots=1, pe_channels=3, one_hot=one_hot, dtype=torch.float64
    )
    channels = num_nodes if one_hot else 5
    layer = EvolvingLayer(channels, 4, 3, "h").double()
    dense = array(torch.eye(num_nodes) if one_hot else data.x)
    rows = np.concatenate([dense, array(data.pe)], axis=1)
    p = array(layer.scorer)[:, 0]
    scores = rows @ p / np.sqrt((p**2).sum())
    best = list(np.argsort(-scores)[:4])
    best += [best[-1]] * (4 - len(best))
    summary = (rows[best] * np.tanh(scores[best])[:, None]).T
    W = array(layer.initial_weight)
    evolved = layer.evolve(layer.initial_weight, data.x, data.pe)
    np.testing.assert_allclose(array(evolved), gru_by_hand(arrays(layer.gru), W, summary), atol=1e-12)


def test_the_o_variant_reads_the_last_weight():
    layer = EvolvingLayer(5, 4, 0, "o").double()
    W = array(layer.initial_weight)
    evolved = layer.evolve(layer.initial_weight, torch.zeros(3, 5), None)
    np.testing.assert_allclose(array(evolved), gru_by_hand(arrays(layer.gru), W, W), atol=1e-12)


@pytest.mark.parametrize("variant", ["h", "o"])
@pytest.mark.parametrize("num_layers", [1, 2, 3])
def test_layers_are_dense_products_with_the_evolved_weights(variant, num_layers):
    snapshots = random_snapshots(num_snapshots=2, dtype=torch.float64)
    torch.manual_seed(0)
    model = EGCN(5, 4, variant=variant, num_layers=num_layers).double()
    for layer in model.layers:
        torch.nn.init.normal_(layer.bias)
    z, state = model(snapshots)
    assert [tuple(w.shape) for w in state.tensors] == {
        1: [(5, 4)],
        2: [(5, 8), (8, 4)],
        3: [(5, 8), (8, 8), (8, 4)],
    }[num_layers]
    dense = normalized_adjacency(snapshots[-1].edge_index, 7)
    x = array(snapshots[-1].x)
    for i, (layer, weight) in enumerate(zip(model.layers, state.tensors, strict=True)):
        if i:
            x = np.where(x > 0, x, SLOPE * x)
        x = dense @ x @ array(weight) + array(layer.bias)
    np.testing.assert_allclose(array(z), x, atol=1e-12)


def test_the_slope_is_that_of_a_randomised_relu_at_rest():
    x = torch.tensor([-1.0], dtype=torch.float64)
    assert float(torch.nn.functional.rrelu(x, training=False)) == pytest.approx(-SLOPE)


@pytest.mark.parametrize("variant", ["h", "o"])
def test_zero_features_give_every_node_the_same_embedding_and_auc_one_half(variant):
    """Nothing tells nodes apart, and dot products of zeros have no gradient: training cannot change that."""
    torch.manual_seed(0)
    data = random_snapshots(num_nodes=12, num_snapshots=1)[0]
    data.x = torch.zeros(12, 5)
    model, decoder = EGCN(5, 4, variant=variant), DotDecoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    positive, negative = data.edge_index, torch.randint(12, (2, 40))
    for _ in range(5):
        z, _ = model([data, data])
        optimizer.zero_grad()
        loss = torch.nn.functional.softplus(-decoder(z, positive)).mean()
        (loss + torch.nn.functional.softplus(decoder(z, negative)).mean()).backward()
        optimizer.step()
    z, _ = model([data, data])
    assert torch.equal(z, z[:1].expand_as(z))
    assert auc(decoder(z, positive).detach().numpy(), decoder(z, negative).detach().numpy()) == 0.5
    with_encoding = EGCN(5, 4, variant=variant, pe_channels=2)
    data.pe = torch.randn(12, 2)
    z, _ = with_encoding([data, data])
    assert not torch.allclose(z, z[:1].expand_as(z), atol=1e-3)


def test_the_state_evolves_from_the_parameters():
    model = EGCN(5, 4)
    state = model.initial_state(7)
    assert state.tensors[0] is model.layers[0].initial_weight
    snapshot = prepare(random_snapshots()[0])
    _, first = model([snapshot], state)
    _, second = model([snapshot], first)
    assert not torch.equal(first.tensors[0], second.tensors[0])
