"""The PyG transform: what it adds, what it leaves alone, and how it goes together with others."""

import copy
import dataclasses

import numpy as np
import pytest

from supra_core import Encoder, InvalidArgumentError, InvalidGraphError, generators

torch = pytest.importorskip("torch", reason="the extra pyg is not installed")
pytest.importorskip("torch_geometric", reason="the extra pyg is not installed")

import torch_geometric.transforms as T  # noqa: E402, N812
from torch_geometric.data import Data, HeteroData  # noqa: E402

from supra_core.pyg import AddSupraLaplacianPE, layer_window, temporal_graph_of  # noqa: E402

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
        assert snapshot.pe.dtype == torch.get_default_dtype()
        np.testing.assert_allclose(snapshot.pe.numpy(), values, atol=1e-5)


@pytest.mark.parametrize("both_directions", [True, False])
def test_it_adds_the_encodings_of_the_encoder(both_directions):
    check(AddSupraLaplacianPE(**SETTINGS)(snapshots_of(GRAPH, both_directions=both_directions)))
    check(AddSupraLaplacianPE(**SETTINGS)(tuple(snapshots_of(GRAPH))))


def test_input_stays_untouched():
    snapshots = snapshots_of(GRAPH)
    before = [snapshot.to_dict() for snapshot in snapshots]
    copies = [{name: value.clone() for name, value in d.items() if torch.is_tensor(value)} for d in before]
    for attr_name in ("pe", None):
        encoded = AddSupraLaplacianPE(2, attr_name)(snapshots)
        assert all(new is not old for new, old in zip(encoded, snapshots, strict=True))
    for snapshot, first, tensors in zip(snapshots, before, copies, strict=True):
        after = snapshot.to_dict()
        assert after.keys() == first.keys()
        assert all(after[name] is first[name] for name in first)
        assert all(torch.equal(after[name], tensor) for name, tensor in tensors.items())


def test_attr_name():
    snapshots = snapshots_of(GRAPH)
    named = AddSupraLaplacianPE(k=2, attr_name="where")(snapshots)
    appended = AddSupraLaplacianPE(k=2, attr_name=None)(snapshots)
    assert "pe" not in named[0]
    for new, other, old in zip(appended, named, snapshots, strict=True):
        torch.testing.assert_close(new.x, torch.cat([old.x, other.where], dim=1))
    bare = [Data(edge_index=snapshot.edge_index, num_nodes=25) for snapshot in snapshots]
    assert AddSupraLaplacianPE(k=2, attr_name=None)(bare)[0].x.shape == (25, 2)


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int64, torch.float16, torch.float64])
@pytest.mark.parametrize("columns", [None, 1, 3])
def test_encodings_appended_to_features_stay_encodings(dtype, columns):
    """Whole numbers become floats; floats keep their type."""
    x = torch.arange(25 * (columns or 1)).to(dtype).view(25, -1)
    snapshots = [Data(x=x if columns else x[:, 0], edge_index=s.edge_index) for s in snapshots_of(GRAPH)]
    encoded = AddSupraLaplacianPE(attr_name=None, **SETTINGS)(snapshots)
    for snapshot, values in zip(encoded, EXPECTED, strict=True):
        assert snapshot.x.dtype == (dtype if dtype.is_floating_point else torch.get_default_dtype())
        np.testing.assert_array_equal(snapshot.x[:, :-3].numpy(), x.numpy().astype(snapshot.x.numpy().dtype))
        np.testing.assert_allclose(snapshot.x[:, -3:].numpy(), values, atol=1e-3)


def test_the_same_object_may_be_several_snapshots():
    one = snapshots_of(GRAPH)[0]
    apart = [copy.copy(one) for _ in range(3)]
    for ours, theirs in zip(*map(AddSupraLaplacianPE(k=2), ([one] * 3, apart)), strict=True):
        assert torch.equal(ours.pe, theirs.pe)
        assert "pe" not in one


@pytest.mark.parametrize("method", ["slpe", "lpe"])
def test_layers_are_those_of_the_windows(method):
    settings = {**SETTINGS, "method": method}
    encoded = AddSupraLaplacianPE(layers=True, **settings)(snapshots_of(GRAPH))
    for t, snapshot in enumerate(encoded):
        expected = Encoder(**settings).encode(GRAPH, t).layers
        assert snapshot.pe_layers.shape == (25, 3, 3)
        missing = 3 - len(expected)
        assert not snapshot.pe_layers[:, :missing].any()
        np.testing.assert_allclose(snapshot.pe_layers[:, missing:].transpose(0, 1), expected, atol=1e-5)
        window = layer_window(encoded, t)
        assert len(window) == len(expected) == min(t + 1, 3)
        for layer, values, old in zip(window, expected, encoded[t + 1 - len(window) : t + 1], strict=True):
            np.testing.assert_allclose(layer.pe, values, atol=1e-5)
            assert layer.edge_index is old.edge_index
    torch.testing.assert_close(window[-1].pe, encoded[-1].pe)


def test_every_setting_of_the_encoder_is_one_of_the_transform():
    """Also those that come later: nothing is listed twice."""
    defaults = {field.name: field.default for field in dataclasses.fields(Encoder)}
    transform = AddSupraLaplacianPE(**defaults)
    assert transform.encoder == Encoder()


def test_windows_are_those_of_a_walk():
    """Aligned with one another, and with what is kept of nodes that are away."""
    settings = {"k": 3, "window": 3, "align": "rotation", "absent": "last", "scale": "rows", "with_age": True}
    sparse = generators.barabasi_albert(25, 6, m=1, rewire=0.8, seed=1)
    encoded = AddSupraLaplacianPE(layers=True, **settings)(snapshots_of(sparse))
    for snapshot, encoding in zip(encoded, Encoder(**settings).encode_all(sparse), strict=True):
        assert snapshot.pe.shape == (25, 4)
        np.testing.assert_allclose(snapshot.pe.numpy(), encoding.values, atol=1e-5)
        layers = snapshot.pe_layers.transpose(0, 1).numpy()[-len(encoding.layers) :]
        np.testing.assert_allclose(layers, encoding.layers, atol=1e-5)


def test_settings_reach_the_encoder():
    settings = {"k": 2, "method": "lpe", "variant": "trajectory", "max_steps": 4, "with_eigenvalues": True}
    encoded = AddSupraLaplacianPE(**settings)(snapshots_of(GRAPH))
    assert encoded[0].pe.shape == (25, Encoder(**settings).dim) == (25, 16)
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
    "a list in Compose, which hands over one": (
        lambda: T.Compose([AddSupraLaplacianPE(k=1)])([ONE, ONE]),
        InvalidArgumentError,
        r"must be a list of snapshots, Batch.from_data_list\(snapshots\) where T.Compose",
    ),
    "a setting that is none": (
        lambda: AddSupraLaplacianPE(k=1, windows=3),
        InvalidArgumentError,
        "windows=3: must be left out; settings are .*window.*width",
    ),
    "bins for snapshots": (
        lambda: AddSupraLaplacianPE(k=1, width=3)([ONE, ONE]),
        InvalidArgumentError,
        "width=3: must be left out where data has its snapshots already",
    ),
    "layers without a name": (
        lambda: AddSupraLaplacianPE(k=1, attr_name=None, layers=True),
        InvalidArgumentError,
        "layers=True: must be False where attr_name is None",
    ),
    "layers that are none": (
        lambda: AddSupraLaplacianPE(k=1, layers=2),
        InvalidArgumentError,
        "layers=2: must be True or False",
    ),
    "a window of no layers": (
        lambda: layer_window([ONE, ONE], 1),
        InvalidGraphError,
        "snapshots=.*must be snapshots with pe_layers",
    ),
    "a window beyond the end": (
        lambda: layer_window([ONE], 1),
        InvalidArgumentError,
        "t=1: must be in 0 .. 0",
    ),
    "edges that are no pairs": (
        lambda: AddSupraLaplacianPE(k=1)([Data(edge_index=torch.zeros(3, 2).long(), num_nodes=3)]),
        InvalidGraphError,
        r"data\[0\].edge_index.shape=\(3, 2\): must be \(2, num_edges\)",
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
