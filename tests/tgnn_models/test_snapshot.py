"""The normalised adjacency and the preparation of snapshots."""

import numpy as np
import pytest
import torch
from hypothesis import given
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

from tgnn_models import GRUGCN, prepare

from .graphs import edge_index, random_snapshots, temporal_graphs
from .oracles import normalized_adjacency


@given(snapshots=temporal_graphs(max_snapshots=1))
def test_propagation_is_the_dense_product(snapshots):
    (data,) = snapshots
    snapshot = prepare(data, torch.float64)
    dense = normalized_adjacency(data.edge_index, data.num_nodes)
    x = data.x.double()
    np.testing.assert_allclose(snapshot.propagate(x).numpy(), dense @ x.numpy(), atol=1e-12)


def test_directed_and_weighted_edges():
    edges = torch.tensor([[0, 0, 2], [1, 2, 1]])
    weight = torch.tensor([2.0, 0.5, 3.0])
    snapshot = prepare(Data(x=torch.eye(3), edge_index=edges, edge_weight=weight), torch.float64)
    dense = normalized_adjacency(edges, 3, weight)
    np.testing.assert_allclose(
        snapshot.propagate(torch.eye(3, dtype=torch.float64)).numpy(), dense, atol=1e-12
    )


def test_agrees_with_pygs_convolution():
    (data,) = random_snapshots(num_snapshots=1)
    conv = GCNConv(5, 4, bias=False)
    ours = prepare(data).propagate(data.x @ conv.lin.weight.t())
    torch.testing.assert_close(ours, conv(data.x, data.edge_index))


def test_active_nodes_have_an_edge_to_another():
    data = Data(x=torch.zeros(5, 1), edge_index=torch.tensor([[0, 1, 3], [1, 0, 3]]))
    assert prepare(data).active.tolist() == [True, True, False, False, False]


def test_prepared_or_not_gives_the_same_and_is_normalised_once(monkeypatch):
    import tgnn_models.snapshot as module

    calls = []
    original = module.gcn_norm
    monkeypatch.setattr(
        module, "gcn_norm", lambda *args, **kwargs: calls.append(1) or original(*args, **kwargs)
    )
    snapshots = random_snapshots()
    model = GRUGCN(5, 8)
    plain, _ = model(snapshots)
    assert len(calls) == len(snapshots)  # once a snapshot, though two layers read it
    ready = [prepare(data) for data in snapshots]
    calls.clear()
    for _ in range(3):
        z, _ = model(ready)
        assert torch.equal(z, plain)
    assert calls == []


def test_a_snapshot_is_immutable():
    snapshot = prepare(random_snapshots()[0])
    with pytest.raises(AttributeError):
        snapshot.x = torch.zeros(1)  # type: ignore[misc]


def test_to_moves_every_tensor():
    snapshot = prepare(random_snapshots(pe_channels=2)[0]).to("meta")
    tensors = (
        *(snapshot.x, snapshot.pe, snapshot.active),
        *snapshot.adjacency.tensors,
        *snapshot.transposed.tensors,
    )
    assert {tensor.device.type for tensor in tensors} == {"meta"}


def test_encodings_of_numpy_s_double_precision_are_cast():
    data = Data(
        x=torch.arange(3), edge_index=edge_index(np.array([[0, 1]])), pe=torch.ones(3, 2, dtype=torch.float64)
    )
    z, _ = GRUGCN(3, 4, pe_channels=2)([data])
    assert z.dtype == torch.float32
