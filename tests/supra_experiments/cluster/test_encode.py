"""Encodings that are computed on two machines are those of one process, to the bit."""

import os
import signal
import warnings

import numpy as np
import pandas as pd
import pytest
import ray

from supra_core import Encoder, TruncationWarning, generators
from supra_experiments.cli.main import main
from supra_experiments.encoding.windows import compose, encode_stretch, encode_windows, stretches

pytestmark = pytest.mark.cluster

GRAPH = generators.barabasi_albert(60, 11, m=2, rewire=0.1, seed=8)

ENCODERS = [
    Encoder("slpe", "exact", k=3, window=3),
    Encoder("slpe", "exact", k=3, window=3, init="previous", restart_every=4),
    Encoder("slpe", "inexact", k=3, window=2, init="previous", restart_every=3, max_steps=4),
    Encoder("lpe", "exact", k=3, window=3, normalization="sym", align="signs", absent="last"),
    Encoder("slpe", "exact", k=4, window=3, align="rotation", absent="last", scale="rows", with_age=True),
    Encoder("lpe", "trajectory", k=2, window=3, init="previous", restart_every=2, max_steps=3),
]


@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda e: f"{e.method}-{e.variant}-{e.init}-{e.align}")
def test_spread_encodings_are_those_of_one_process_bit_for_bit(joined, encoder):
    counts = []
    spread = list(encode_windows(encoder, GRAPH, joined, finished=counts.append))
    alone = list(encode_windows(encoder, GRAPH))
    whole = encoder.encode_all(GRAPH).values
    assert sum(counts) == len(spread) == len(alone) == GRAPH.num_snapshots
    for t, (there, here) in enumerate(zip(spread, alone, strict=True)):
        assert there.values.tobytes() == here.values.tobytes() == whole[t].tobytes()
        assert {**there.report, "seconds": 0} == {**here.report, "seconds": 0}


def test_a_killed_worker_costs_nothing_but_time(joined, tmp_path):
    """Every process that computes a stretch for the first time dies of it."""
    encoder = Encoder("slpe", "inexact", k=3, init="previous", restart_every=4, max_steps=4)

    def fragile(shared, stretch):
        mark = tmp_path / str(stretch.start)
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return encode_stretch(shared, stretch)

    parts = stretches(encoder, GRAPH.num_snapshots, joined.num_cpus)
    results = list(compose(encoder, GRAPH, joined.spread(fragile, (encoder, GRAPH), parts)))
    assert len(list(tmp_path.iterdir())) == len(parts) == 3
    assert np.array_equal(np.stack([part.values for part in results]), encoder.encode_all(GRAPH).values)


def test_warnings_of_workers_are_heard_once(joined):
    sparse = generators.path_layers(3, 6)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        list(encode_windows(Encoder("lpe", k=9), sparse, joined))
    assert [warning.category for warning in caught] == [TruncationWarning]


def test_the_command_writes_the_same_file(two_nodes, tmp_path):
    if ray.is_initialized():
        ray.shutdown()
    labels = np.array([f"node {i}" for i in range(GRAPH.num_nodes)])
    columns = {"source": labels[GRAPH.source], "target": labels[GRAPH.target], "time": GRAPH.time}
    pd.DataFrame(columns).to_csv(tmp_path / "edges.csv", index=False)
    settings = ["--k", "3", "--window", "3", "--init", "previous", "--restart-every", "3"]
    contents = []
    for name, where in (("alone", []), ("spread", ["--address", two_nodes.address])):
        output = tmp_path / f"{name}.parquet"
        arguments = ["encode", str(tmp_path / "edges.csv"), *settings, *where, "-o", str(output)]
        assert main(arguments) == 0
        contents.append(output.read_bytes())
    assert contents[0] == contents[1]
