"""Decompositions kept on disk: found again by what determines them, and by nothing else."""

import os

import numpy as np
import pytest

from supra_core import Encoder, generators

from .encoders import plain

VARIANTS = ["exact", "inexact", "trajectory"]
GRAPH = generators.barabasi_albert(40, 6, m=2, seed=2)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("init", ["normal", "previous"])
def test_what_comes_back_is_what_was_computed(tmp_path, variant, init):
    encoder = plain(variant=variant, k=3, max_steps=4, init=init)
    first = encoder.encode_all(GRAPH, cache=tmp_path)
    files = sorted(os.listdir(tmp_path))
    stamps = {name: (tmp_path / name).stat().st_mtime_ns for name in files}
    again = encoder.encode_all(GRAPH, cache=tmp_path)
    assert np.array_equal(first.values, again.values)
    assert stamps == {name: (tmp_path / name).stat().st_mtime_ns for name in sorted(os.listdir(tmp_path))}
    assert np.array_equal(first[3].result.converged, again[3].result.converged)
    assert first[3].result.solver == again[3].result.solver
    assert np.array_equal(encoder.encode_all(GRAPH).values, again.values)


def test_other_settings_and_other_graphs_are_other_files(tmp_path):
    other = generators.barabasi_albert(40, 6, m=2, seed=9)
    count = 0
    for encoder in (Encoder(k=3), Encoder(k=4), Encoder(k=3, coupling=2.0), Encoder(k=3, seed=1)):
        for graph in (GRAPH, other):
            encoder.encode(graph, 5, cache=tmp_path)
            count += 1
            assert len(os.listdir(tmp_path)) == count


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 not a zip", None])
def test_a_damaged_file_is_computed_again(tmp_path, damage):
    encoder = Encoder(k=3)
    expected = encoder.encode(GRAPH, 5, cache=tmp_path).values
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-200] if damage is None else damage)
    assert np.array_equal(encoder.encode(GRAPH, 5, cache=tmp_path).values, expected)
    assert np.array_equal(encoder.encode(GRAPH, 5, cache=tmp_path).values, expected)
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]


def test_a_write_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez", fail)
    with pytest.raises(OSError, match="disk full"):
        Encoder(k=3).encode(GRAPH, 5, cache=tmp_path)
    assert list(tmp_path.iterdir()) == []
