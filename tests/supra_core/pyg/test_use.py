"""What users expect of a transform: loaders with workers, copies of it, narrow indices, other devices."""

import pickle

import numpy as np
import pytest

from supra_core import generators

torch = pytest.importorskip("torch", reason="the extra pyg is not installed")
pytest.importorskip("torch_geometric", reason="the extra pyg is not installed")

from torch_geometric.data import Batch, Data, TemporalData  # noqa: E402
from torch_geometric.loader import DataLoader  # noqa: E402

from supra_core.pyg import AddLaplacianPE, AddSupraLaplacianPE, attributes, events, snapshots  # noqa: E402


def sequence(seed, dtype=torch.int64):
    graph = generators.barabasi_albert(12, 3, m=2, seed=seed)
    return [
        Data(edge_index=torch.from_numpy(np.stack(graph.snapshot(t)[:2])).to(dtype), num_nodes=12)
        for t in range(3)
    ]


def events_of(seed):
    graph = generators.barabasi_albert(12, 3, m=2, seed=seed)
    columns = (torch.from_numpy(column.copy()) for column in (graph.source, graph.target, graph.time))
    return TemporalData(**dict(zip(("src", "dst", "t"), columns, strict=True)))


CASES = {
    "list": (AddSupraLaplacianPE(2, window=2), lambda: sequence(0), lambda out: out[-1].pe),
    "batch": (AddSupraLaplacianPE(2), lambda: Batch.from_data_list(sequence(1)), lambda out: out.pe),
    "layers": (AddSupraLaplacianPE(2, layers=True), lambda: sequence(1), lambda out: out[1].pe_layers),
    "events": (AddSupraLaplacianPE(2, width=1), lambda: events_of(2), lambda out: out.src_pe),
    "graph": (AddLaplacianPE(2), lambda: sequence(3)[0], lambda out: out.pe),
}
ALL = pytest.mark.parametrize(("transform", "make", "read"), CASES.values(), ids=CASES)


@ALL
def test_copies_by_pickle_do_the_same(transform, make, read):
    copied = pickle.loads(pickle.dumps(transform))
    assert repr(copied) == repr(transform)
    assert torch.equal(read(copied(make())), read(transform(make())))


@ALL
def test_indices_may_be_narrow(transform, make, read):
    data = make()
    expected = read(transform(data))
    for item in data if isinstance(data, list) else [data]:
        for name in ("edge_index", "src", "dst"):
            if name in item:
                item[name] = item[name].int()
    assert torch.equal(read(transform(data)), expected)


class Sequences(torch.utils.data.Dataset):
    def __init__(self):
        self.transform = AddSupraLaplacianPE(2, window=2)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.transform(Batch.from_data_list(sequence(index)))


def test_workers_of_a_loader():
    """Each worker has a copy of the transform, and PyG's loader puts the batches together."""
    alone = [batch.pe for batch in DataLoader(Sequences(), batch_size=2)]
    apart = [batch.pe for batch in DataLoader(Sequences(), batch_size=2, num_workers=1)]
    assert [len(pe) for pe in alone] == [72, 72]
    assert all(map(torch.equal, alone, apart))


# A batch is cut by values that the device of this test does not have.
@pytest.mark.parametrize(("transform", "make", "read"), [CASES[case] for case in CASES if case != "batch"])
def test_encodings_are_on_the_device_of_the_data(monkeypatch, transform, make, read):
    """Device "meta" stands for a GPU: it has shapes and no values, so the values are kept beside it."""
    expected = read(transform(make()))
    kept = {}

    def elsewhere(tensor):
        moved = tensor.to("meta")
        kept[id(moved)] = (moved, tensor.numpy())
        return moved

    def array_of(tensor):
        return kept[id(tensor)][1] if tensor.is_meta else tensor.numpy()

    for module in (attributes, events, snapshots):
        monkeypatch.setattr(module, "array_of", array_of)
    data = make()
    for item in data if isinstance(data, list) else [data]:
        for name, value in item.to_dict().items():
            if torch.is_tensor(value):
                item[name] = elsewhere(value)
    encoding = read(transform(data))
    assert encoding.device.type == "meta"
    assert encoding.shape == expected.shape
    assert encoding.dtype == expected.dtype
