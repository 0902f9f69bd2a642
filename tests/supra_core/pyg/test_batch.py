"""Batches: T.Compose passes them whole, and a batch that a transform has changed is cut right."""

import numpy as np
import pytest

from supra_core import Encoder, InvalidGraphError, generators

torch = pytest.importorskip("torch", reason="the extra pyg is not installed")
pytest.importorskip("torch_geometric", reason="the extra pyg is not installed")

import torch_geometric.transforms as T  # noqa: E402, N812
from torch_geometric.data import Batch, Data, HeteroData  # noqa: E402

from supra_core.pyg import AddLaplacianPE, AddSupraLaplacianPE, layer_window  # noqa: E402

GRAPH = generators.barabasi_albert(20, 4, m=2, seed=5)
SETTINGS = {"k": 3, "window": 3, "align": None}
EXPECTED = [Encoder(**SETTINGS).encode(GRAPH, t).values for t in range(GRAPH.num_snapshots)]


def snapshots_of(graph):
    """Each edge in one direction, with attributes of nodes, edges and the whole graph."""
    snapshots = []
    for t in range(graph.num_snapshots):
        source, target, weight = (torch.from_numpy(column.copy()) for column in graph.snapshot(t))
        data = Data(edge_index=torch.stack([source, target]), edge_weight=weight, num_nodes=graph.num_nodes)
        data.x = torch.arange(graph.num_nodes, dtype=torch.float32)[:, None] + t
        data.edge_attr = torch.arange(len(source))[:, None] + 100 * t
        data.y, data.name = torch.tensor([t]), f"week {t}"
        snapshots.append(data)
    return snapshots


def edge_set(data):
    ends = data.edge_index.tolist()
    return set(zip(*ends, data.edge_attr[:, 0].tolist(), strict=True))


@pytest.mark.parametrize("wrap", [lambda t: t, lambda t: T.Compose([t])], ids=["alone", "Compose"])
def test_a_batch_of_snapshots(wrap):
    snapshots = snapshots_of(GRAPH)
    batch = Batch.from_data_list(snapshots, follow_batch=["edge_attr"])
    keys = set(batch.keys())
    encoded = wrap(AddSupraLaplacianPE(**SETTINGS))(batch)
    assert type(encoded) is type(batch)
    assert set(encoded.keys()) == keys | {"pe"}
    assert set(batch.keys()) == keys
    for key in keys - {"name", "num_nodes"}:
        assert torch.equal(encoded[key], batch[key]), key
    np.testing.assert_allclose(encoded.pe.numpy(), np.concatenate(EXPECTED), atol=1e-5)
    for part, snapshot, values in zip(encoded.to_data_list(), snapshots, EXPECTED, strict=True):
        np.testing.assert_allclose(part.pe.numpy(), values, atol=1e-5)
        assert torch.equal(part.edge_index, snapshot.edge_index)
        assert part.name == snapshot.name
        assert part.num_nodes == 20


def test_a_batch_whose_edges_were_changed():
    """ToUndirected moves the edges of a batch; to_data_list of the result cuts them in the wrong places."""
    snapshots = snapshots_of(GRAPH)
    transform = T.Compose(
        [T.ToUndirected(), AddLaplacianPE(2, "own"), AddSupraLaplacianPE(**SETTINGS), T.NormalizeFeatures()]
    )
    for _ in range(2):
        encoded = transform(Batch.from_data_list(snapshots)).to_data_list()
        for t, (part, snapshot) in enumerate(zip(encoded, snapshots, strict=True)):
            np.testing.assert_allclose(part.pe.numpy(), EXPECTED[t], atol=1e-5)
            u, v, a = zip(*edge_set(snapshot), strict=True)
            assert edge_set(part) == set(zip(u, v, a, strict=True)) | set(zip(v, u, a, strict=True))
            assert part.own.shape == (20, 2)
            torch.testing.assert_close(part.own, AddLaplacianPE(2, "own")(snapshot).own)
            assert part.y.tolist() == [t]


def test_what_was_added_to_a_batch_is_kept():
    """PyG's own transforms set attributes of the whole batch, which to_data_list does not know."""
    batch = Batch.from_data_list(snapshots_of(GRAPH))
    batch.added, batch.of_edges = torch.arange(80), torch.arange(batch.num_edges)
    encoded = AddSupraLaplacianPE(**SETTINGS)(batch)
    assert torch.equal(encoded.added, batch.added)
    assert torch.equal(encoded.of_edges, batch.of_edges)
    assert encoded.to_data_list()[1].added.tolist() == list(range(20, 40))


def test_layers_of_a_batch():
    encoded = AddSupraLaplacianPE(layers=True, **SETTINGS)(Batch.from_data_list(snapshots_of(GRAPH)))
    assert encoded.pe_layers.shape == (80, 3, 3)
    window = layer_window(encoded.to_data_list(), 3)
    expected = Encoder(**SETTINGS).encode(GRAPH, 3).layers
    np.testing.assert_allclose(torch.stack([layer.pe for layer in window]).numpy(), expected, atol=1e-5)


def test_graphs_of_different_sizes_are_no_snapshots_but_can_be_encoded_apart():
    graphs = [snapshots_of(generators.barabasi_albert(n, 1, m=2, seed=n))[0] for n in (9, 14)]
    with pytest.raises(InvalidGraphError, match=r"data\[1\].num_nodes=14: must be 9"):
        AddSupraLaplacianPE(k=2)(Batch.from_data_list(graphs))
    encoded = AddLaplacianPE(k=2)(Batch.from_data_list(graphs))
    for part, graph in zip(encoded.to_data_list(), graphs, strict=True):
        assert torch.equal(part.pe, AddLaplacianPE(k=2)(graph).pe)


def test_refused():
    batch = Batch.from_data_list(snapshots_of(GRAPH))
    batch.edge_index[1, 0] = 70
    with pytest.raises(InvalidGraphError, match="must be free of edges between two of its graphs"):
        AddSupraLaplacianPE(k=1)(batch)
    by_hand = Batch(batch=torch.zeros(3).long(), edge_index=torch.tensor([[0], [1]]), num_nodes=3)
    with pytest.raises(InvalidGraphError, match=r"must be made by Batch\.from_data_list"):
        AddSupraLaplacianPE(k=1)(by_hand)
    with pytest.raises(InvalidGraphError, match="a Batch of Data that have an edge_index"):
        AddSupraLaplacianPE(k=1)(Batch.from_data_list([Data(x=torch.zeros(3, 1))] * 2))
    hetero = HeteroData()
    hetero["a"].x = torch.zeros(2, 1)
    with pytest.raises(InvalidGraphError, match="a Batch of Data that have an edge_index"):
        AddSupraLaplacianPE(k=1)(Batch.from_data_list([hetero, hetero]))
