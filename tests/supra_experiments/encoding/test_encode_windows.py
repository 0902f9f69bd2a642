"""Windows of a graph in stretches, and the file they are written to."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import Encoder, TemporalGraph, generators
from supra_experiments.datasets import Dataset
from supra_experiments.datasets.splits import LastSnapshots
from supra_experiments.encoding import file as module
from supra_experiments.encoding.file import encoding_file
from supra_experiments.encoding.local_processes import LocalProcesses
from supra_experiments.encoding.windows import (
    compose,
    encode_stretch,
    encode_windows,
    stretches,
)
from supra_experiments.errors import ExperimentError

DRAWN = generators.barabasi_albert(20, 7, m=2, seed=1)
GRAPH = TemporalGraph.from_edges(
    DRAWN.source,
    DRAWN.target,
    DRAWN.time,
    node_labels=[f"node {i}" for i in range(20)],
    snapshot_times=range(2000, 2007),
)
DATASET = Dataset(
    name="named",
    graph=GRAPH,
    split_rule=LastSnapshots(test=2, validation=0),
)


@given(num_snapshots=st.integers(0, 500), num_cpus=st.integers(0, 300), every=st.integers(1, 40))
def test_stretches_are_a_partition_and_keep_chains_whole(num_snapshots, num_cpus, every):
    for init in ("normal", "previous"):
        chain = {"restart_every": every} if init == "previous" else {}
        parts = stretches(Encoder(init=init, **chain), num_snapshots, num_cpus)
        assert [t for part in parts for t in part] == list(range(num_snapshots))
        assert all(len(part) > 0 for part in parts)
        if init == "previous":
            assert all(part.start % every == 0 for part in parts)
        else:  # several for each CPU, as far as there are windows
            assert len(parts) >= min(num_snapshots, 4 * num_cpus)


@pytest.mark.parametrize("align", [None, "signs", "rotation"])
@pytest.mark.parametrize("method", ["slpe", "lpe"])
def test_windows_are_the_encoders_own(method, align):
    chain = {"init": "previous", "restart_every": 3}
    look = {"align": align, "absent": "last", "with_age": True, "with_eigenvalues": True, "scale": "rows"}
    encoder = Encoder(method, "inexact", k=3, window=3, max_steps=4, **chain, **look)
    counts = []
    windows = list(encode_windows(encoder, GRAPH, finished=counts.append))
    expected = encoder.encode_all(GRAPH)
    assert counts == [1] * 7
    assert np.stack([window.values for window in windows]).tobytes() == expected.values.tobytes()
    assert [window.report["matvecs"] for window in windows] == expected.num_matvecs.tolist()


@pytest.mark.parametrize("method", ["slpe", "lpe"])
@given(
    align=st.sampled_from([None, "signs", "rotation"]),
    absent=st.sampled_from(["last", "zeros"]),
    variant=st.sampled_from(["exact", "trajectory"]),
    cuts=st.sets(st.integers(1, 6)),
    warm=st.booleans(),
)
def test_stretches_computed_apart_make_the_same_bytes(method, align, absent, variant, cuts, warm):
    """Wherever the seams are; with warm starts they are where a chain begins."""
    settings = {"max_steps": 3} if variant == "trajectory" else {}
    settings |= {"init": "previous", "restart_every": 2} if warm else {}
    encoder = Encoder(method, variant, k=3, window=3, align=align, absent=absent, with_age=True, **settings)
    ends = [0, *sorted(cut for cut in cuts if not warm or cut % 2 == 0), 7]
    apart = (encode_stretch((encoder, GRAPH), range(*pair)) for pair in pairwise(ends))
    composed = np.stack([window.values for window in compose(encoder, GRAPH, apart)])
    assert composed.tobytes() == encoder.encode_all(GRAPH).values.tobytes()


@pytest.mark.parametrize("chain", [{}, {"init": "previous", "restart_every": 2}])
def test_processes_make_the_same_bytes(chain):
    encoder, counts = Encoder(k=3, window=3, **chain), []
    windows = list(encode_windows(encoder, GRAPH, LocalProcesses(2), finished=counts.append))
    values = np.stack([window.values for window in windows])
    assert values.tobytes() == encoder.encode_all(GRAPH).values.tobytes()
    assert sum(counts) == 7


def write(path, encoder):
    with encoding_file(path, encoder, DATASET) as file:
        for window in encode_windows(encoder, GRAPH):
            file.add(window.values)
    return path


@pytest.mark.parametrize("rows", [1, 41, 1 << 18])
def test_rows_are_the_values_however_many_are_written_at_once(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(module, "_ROWS_A_GROUP", rows)
    encoder = Encoder(k=3, window=2)
    table = pyarrow.parquet.read_table(write(tmp_path / "pe.parquet", encoder))
    text = pd.read_csv(write(tmp_path / "pe.csv", encoder))
    expected = encoder.encode_all(GRAPH).values.reshape(-1, 3)
    for frame in (table.to_pandas(), text):
        assert frame.columns.tolist() == ["node", "time", "pe_0", "pe_1", "pe_2"]
        assert frame["node"].tolist() == DATASET.nodes.tolist() * 7
        assert frame["time"].tolist() == np.repeat(DATASET.times, 20).tolist()
    assert np.array_equal(table.to_pandas().iloc[:, 2:].to_numpy(), expected)
    np.testing.assert_allclose(text.iloc[:, 2:].to_numpy(), expected, rtol=1e-14, atol=1e-300)
    assert b'"graph": "named"' in table.schema.metadata[b"supra"]


def test_an_error_leaves_no_file(tmp_path):
    with pytest.raises(RuntimeError), encoding_file(tmp_path / "pe.parquet", Encoder(k=3), DATASET) as file:
        file.add(np.zeros((20, 3)))
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_kind_is_refused(tmp_path):
    with (
        pytest.raises(ExperimentError, match=r"must end in .parquet or .csv"),
        encoding_file(tmp_path / "pe.txt", Encoder(), DATASET),
    ):
        pass
