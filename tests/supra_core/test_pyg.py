"""The PyG transform: what it adds, what it leaves alone, and how it goes together with others."""

import numpy as np
import pytest

from supra_core import Encoder, InvalidArgumentError, InvalidGraphError, generators

torch = pytest.importorskip("torch", reason="the extra pyg is not installed")
pytest.importorskip("torch_geometric", reason="the extra pyg is not installed")

import torch_geometric.transforms as T  # noqa: E402, N812
from torch_geometric.data import Data, HeteroData  # noqa: E402

from supra_core.pyg import AddSupraLaplacianPE, temporal_graph_of  # noqa: E402

GRAPH = generators.barabasi_albert(25, 5, m=2, seed=3)
SETTINGS = {"k": 3, "window": 3, "align": None}


def snapshots_of(graph, *, both_directions=True):
    snapshots = []
    for t in range(graph.num_snapshots):
        source, target, weight = (torch.from_numpy(column.copy()) for column in graph.snapshot(t))
        edge_index, edge_weight = torch.stack([source, target]), weight
        if both_directions:
            edge_index = torch.cat([edge_index, edge_index.flip(0)], dim=1)
            edge_weight = torch.cat([weight, weight])
        x = torch.arange(graph.num_nodes, dtype=torch.float32)[:, None]
        snapshots.append(Data(x=x, edge_index=edge_index, edge_weight=edge_weight, num_nodes=graph.num_nodes))
    return snapshots


EXPECTED = [Encoder(**SETTINGS).encode(GRAPH, t).values for t in range(GRAPH.num_snapshots)]


def check(encoded, expected=EXPECTED):
    assert isinstance(encoded, list)
    assert len(encoded) == len(expected)
    for snapshot, values in zip(encoded, expected, strict=True):
        assert snapshot.supra_pe.dtype == torch.get_default_dtype()
        np.testing.assert_allclose(snapshot.supra_pe.numpy(), values, atol=1e-5)


@pytest.mark.parametrize("both_directions", [True, False])
def test_it_adds_the_encodings_of_the_encoder(both_directions):
    check(AddSupraLaplacianPE(**SETTINGS)(snapshots_of(GRAPH, both_directions=both_directions)))
    check(AddSupraLaplacianPE(**SETTINGS)(tuple(snapshots_of(GRAPH))))


def test_inside_compose():
    """T.Compose hands over one snapshot after the other; the result is the same, also the second time."""
    transform = T.Compose([T.ToUndirected(), AddSupraLaplacianPE(**SETTINGS), T.NormalizeFeatures()])
    snapshots = snapshots_of(GRAPH, both_directions=False)
    for _ in range(2):
        encoded = transform(snapshots)
        check(encoded)
    assert encoded[0].edge_index.shape[1] == 2 * snapshots[0].edge_index.shape[1]
    check(T.Compose([AddSupraLaplacianPE(**SETTINGS)])(snapshots))


def test_input_stays_untouched():
    snapshots = snapshots_of(GRAPH)
    before = [snapshot.to_dict() for snapshot in snapshots]
    copies = [{name: value.clone() for name, value in d.items() if torch.is_tensor(value)} for d in before]
    for transform in (AddSupraLaplacianPE(k=2), T.Compose([AddSupraLaplacianPE(k=2, attr_name=None)])):
        encoded = transform(snapshots)
        assert all(new is not old for new, old in zip(encoded, snapshots, strict=True))
    for snapshot, first, tensors in zip(snapshots, before, copies, strict=True):
        after = snapshot.to_dict()
        assert after.keys() == first.keys()
        assert all(after[name] is first[name] for name in first)
        assert all(torch.equal(after[name], tensor) for name, tensor in tensors.items())


def test_attr_name():
    snapshots = snapshots_of(GRAPH)
    named = AddSupraLaplacianPE(k=2, attr_name="pe")(snapshots)
    appended = AddSupraLaplacianPE(k=2, attr_name=None)(snapshots)
    assert "supra_pe" not in named[0]
    for new, other, old in zip(appended, named, snapshots, strict=True):
        torch.testing.assert_close(new.x, torch.cat([old.x, other.pe], dim=1))
    bare = [Data(edge_index=snapshot.edge_index, num_nodes=25) for snapshot in snapshots]
    assert AddSupraLaplacianPE(k=2, attr_name=None)(bare)[0].x.shape == (25, 2)


def test_settings_reach_the_encoder():
    settings = {"k": 2, "method": "lpe", "variant": "trajectory", "max_steps": 4, "with_eigenvalues": True}
    encoded = AddSupraLaplacianPE(**settings)(snapshots_of(GRAPH))
    assert encoded[0].supra_pe.shape == (25, Encoder(**settings).dim) == (25, 16)
    assert "lpe" in repr(AddSupraLaplacianPE(**settings))


def test_weights_and_directions():
    """Both directions of an edge are one edge; the larger weight counts, repeated ones add up."""
    edge_index = torch.tensor([[0, 1, 1, 2, 2, 2], [1, 0, 2, 3, 3, 2]])
    weight = torch.tensor([2.0, 5.0, 0.5, 1.0, 1.0, 9.0])
    graph = temporal_graph_of([Data(edge_index=edge_index, edge_weight=weight, num_nodes=4)])
    assert graph.source.tolist() == [0, 1, 2]
    assert graph.weight.tolist() == [5.0, 0.5, 2.0]
    unweighted = temporal_graph_of([Data(edge_index=edge_index[:, :3], num_nodes=4)])
    assert unweighted.weight.tolist() == [1, 1]
    assert unweighted.weight.dtype == np.int64


ONE = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=3)
REFUSED = {
    "one snapshot": (
        lambda: AddSupraLaplacianPE(k=1)(ONE),
        InvalidArgumentError,
        "must be a list of snapshots",
    ),
    "one snapshot in Compose": (
        lambda: T.Compose([AddSupraLaplacianPE(k=1)])(ONE),
        InvalidArgumentError,
        "must be a list of snapshots",
    ),
    "the same object twice": (
        lambda: T.Compose([AddSupraLaplacianPE(k=1)])([ONE, ONE]),
        InvalidArgumentError,
        r"data\[1\]=.*must be another object",
    ),
    "no snapshots": (
        lambda: AddSupraLaplacianPE(k=1)([]),
        InvalidArgumentError,
        r"data=\[\]: must be a list",
    ),
    "another number of nodes": (
        lambda: AddSupraLaplacianPE(k=1)([ONE, Data(edge_index=ONE.edge_index, num_nodes=4)]),
        InvalidGraphError,
        r"data\[1\].num_nodes=4: must be 3 as in data\[0\]",
    ),
    "no edge_index": (
        lambda: AddSupraLaplacianPE(k=1)([Data(num_nodes=3)]),
        InvalidGraphError,
        r"data\[0\]=.*must be a Data with an edge_index",
    ),
    "another kind of data": (
        lambda: AddSupraLaplacianPE(k=1)([HeteroData()]),
        InvalidGraphError,
        r"data\[0\]=.*must be a Data",
    ),
    "an id too large": (
        lambda: AddSupraLaplacianPE(k=1)([Data(edge_index=torch.tensor([[0], [7]]), num_nodes=3)]),
        InvalidGraphError,
        r"data\[0\].edge_index\[1\]\[0\]=7: must be below num_nodes=3",
    ),
    "a negative weight": (
        lambda: AddSupraLaplacianPE(k=1)(
            [Data(edge_index=ONE.edge_index, edge_weight=torch.tensor([-1.0]), num_nodes=3)]
        ),
        InvalidGraphError,
        r"data\[0\].edge_weight\[0\]=-1.0: must be >= 0",
    ),
    "no channels": (lambda: AddSupraLaplacianPE(k=0), InvalidArgumentError, "k=0: must be an integer >= 1"),
    "an empty name": (lambda: AddSupraLaplacianPE(k=1, attr_name=""), InvalidArgumentError, "attr_name=''"),
}


@pytest.mark.parametrize(("call", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(call, error, message):
    with pytest.raises(error, match=f"(?s){message}"):
        call()
