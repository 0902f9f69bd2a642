"""What the Temporal Graph Benchmark's own package hands out: its splits, masks, loaders and negatives."""

import sys
import types

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra pyg is not installed")
pytest.importorskip("torch_geometric", reason="the extra pyg is not installed")
pytest.importorskip("tgb", reason="py-tgb is not installed")

from torch_geometric.loader import TemporalDataLoader  # noqa: E402

from supra_core.pyg import AddSupraLaplacianPE  # noqa: E402


@pytest.fixture
def dataset(tmp_path, monkeypatch):
    """tgbl-uci in small: a file in the benchmark's format, read by the benchmark's own code."""
    try:
        import clint.textui
    except ImportError:  # it draws the bar of downloads, and there are none
        clint, textui = types.ModuleType("clint"), types.ModuleType("clint.textui")
        textui.progress = None
        monkeypatch.setitem(sys.modules, "clint", clint)
        monkeypatch.setitem(sys.modules, "clint.textui", textui)
    import tgb.linkproppred.dataset as benchmark
    from tgb.linkproppred.dataset_pyg import PyGLinkPropPredDataset

    monkeypatch.setattr(benchmark, "PROJ_DIR", "")
    folder = tmp_path / "tgbl_uci"
    folder.mkdir()
    rng = np.random.default_rng(0)
    source, target = rng.integers(0, 12, 300), rng.integers(0, 9, 300)
    time = np.sort(rng.integers(1_082_040_961, 1_082_040_961 + 40 * 86_400, 300))
    rows = [f"{u},{v},{t},0,0.5" for u, v, t in zip(source, target, time, strict=True)]
    (folder / "tgbl-uci_edgelist.csv").write_text("\n".join(["u,i,ts,label,feature", *rows]))
    return PyGLinkPropPredDataset(name="tgbl-uci", root=str(tmp_path), download=False)


def test_the_benchmarks_own_data(dataset):
    data = dataset.get_TemporalData()
    transform = AddSupraLaplacianPE(k=3, window=3, width=7 * 86_400)
    encoded = transform(data)
    assert encoded.src_pe.shape == encoded.dst_pe.shape == (300, 3)
    assert set(encoded.to_dict()) == set(data.to_dict()) | {"src_pe", "dst_pe", "pe_snapshot"}
    assert encoded.src_pe.any()
    week = (data.t - data.t.min()) // (7 * 86_400)
    assert torch.equal(encoded.pe_snapshot, week)
    # The benchmark's masks cut the encoded events as they cut its own.
    table = transform.table(data)
    for mask in (dataset.train_mask, dataset.val_mask, dataset.test_mask):
        part = encoded[mask]
        assert torch.equal(part.src_pe, encoded.src_pe[mask])
        for batch in TemporalDataLoader(part, batch_size=50):
            assert torch.equal(table[batch.pe_snapshot, batch.src], batch.src_pe)
            negatives = torch.randint(12, 21, (len(batch.src), 20))
            assert table[batch.pe_snapshot[:, None], negatives].shape == (len(batch.src), 20, 3)
    # What the test events know is the same when they are not there.
    known = ~dataset.test_mask
    assert torch.equal(transform(data[known]).src_pe, encoded.src_pe[known])
