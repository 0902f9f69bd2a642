"""The benchmark of encoding on all cores: both ways are measured, and a file that differs is an error."""

import json

import pytest

from supra_experiments.bench import cores


def test_both_ways_are_measured(run, tmp_path):
    folder = tmp_path / "bench"
    code, out, _ = run(
        "bench", "cores", "--events", 3000, "--nodes", 300, "--repeats", 1, "-o", folder, "--json"
    )
    assert code == 0
    found = json.loads(out)
    assert [record["way"] for record in found["records"]] == list(cores.WAYS)
    assert all(record["least"] > 0 for record in found["records"])
    assert json.loads((folder / "cores.json").read_text())["events"] == 3000


def test_files_that_differ_are_an_error(monkeypatch):
    monkeypatch.setitem(cores.WAYS, "all cores", ("--coupling", "2"))
    with pytest.raises(RuntimeError, match="differ"):
        cores.run(2000, num_nodes=200, num_snapshots=4, repeats=1)


def test_a_command_that_fails_is_an_error(monkeypatch):
    monkeypatch.setitem(cores.WAYS, "one core", ("--coupling", "-1"))
    with pytest.raises(RuntimeError, match="coupling"):
        cores.run(2000, num_nodes=200, num_snapshots=4, repeats=1)
