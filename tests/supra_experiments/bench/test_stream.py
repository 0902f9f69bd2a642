"""The benchmark of a long stream: every stage is measured, and the events are what they say."""

import json

import numpy as np
import pytest

from supra_core import InvalidArgumentError, read_edges
from supra_experiments.bench import child, stream
from supra_experiments.bench.power_law import power_law_events, write_power_law


def test_every_stage_is_measured(run, tmp_path):
    size = ("--events", 3000, "--nodes", 400, "--snapshots", 4, "--k", 3, "--init", "previous")
    code, out, _ = run("bench", "stream", *size, "-o", tmp_path, "--json")
    assert code == 0
    stages = json.loads(out)["stages"]
    assert [stage["stage"] for stage in stages] == ["reading", "building", *(f"window {t}" for t in range(4))]
    assert stages[0]["events"] == 3000
    windows = stages[2:]
    assert sum(stage["edges"] for stage in windows) == stages[1]["edges"]
    assert all(stage["converged"] and stage["residual"] <= 1e-6 for stage in windows)
    assert all(stage["matvecs"] > 0 and stage["rows"] > 0 for stage in windows)
    assert json.loads((tmp_path / "stream.json").read_text())["settings"]["events"] == 3000
    assert "peak GiB" in stream.outcome(stages, events=3000).columns


def test_a_setting_that_is_not_allowed_is_refused_at_once():
    with pytest.raises(InvalidArgumentError, match="init='last'"):
        stream.run(1000, 100, 4, init="last")


def test_a_process_that_fails_is_an_error(monkeypatch):
    monkeypatch.setattr(child.sys, "executable", "false")
    with pytest.raises(RuntimeError, match="encoding 1,000 events failed: exit status 1"):
        stream.run(1000, 100, 4)


def test_activity_falls_with_the_rank():
    """Shares of events against the weights that they are drawn by."""
    num_events, num_nodes, exponent = 200_000, 50, 0.75
    source, target, time = power_law_events(num_events, num_nodes, exponent=exponent, seed=3)
    weights = np.arange(1, num_nodes + 1) ** -exponent
    expected = 2 * num_events * weights / weights.sum()
    counts = np.sort(np.bincount(np.concatenate([source, target]), minlength=num_nodes))[::-1]
    assert np.all(np.abs(counts - expected) < 6 * np.sqrt(expected))
    assert np.all(np.diff(time) >= 0)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_file_has_the_events(tmp_path, weighted):
    write_power_law(tmp_path / "events.csv", 500, 60, weighted=weighted, seed=1)
    assert (tmp_path / "events.csv").read_text().count("\n") == 501
    source, target, _ = power_law_events(500, 60, seed=1)
    graph = read_edges(tmp_path / "events.csv", num_snapshots=5)
    # A node that only met itself has no edge, but its name is in the file.
    assert graph.node_labels.tolist() == np.union1d(source, target).tolist()
    assert graph.num_snapshots == 5
    assert graph.weight.dtype.kind == ("f" if weighted else "i")


@pytest.mark.parametrize("bad", [{"num_events": 0}, {"num_nodes": 1}, {"exponent": -1.0}, {"seed": -1}])
def test_bad_sizes(bad):
    with pytest.raises(InvalidArgumentError, match=next(iter(bad))):
        power_law_events(**{"num_events": 10, "num_nodes": 5} | bad)
