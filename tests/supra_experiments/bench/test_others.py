"""The other benchmarks measure what they say: on small graphs, through functions and the command."""

import json

import numpy as np
import pytest

from supra_core import InvalidArgumentError
from supra_experiments import Config, load
from supra_experiments.bench import assembly, encodings, training, wl
from supra_experiments.cli.main import main
from supra_experiments.config.encoding import ENCODED
from wl_tests import supra_wl


def test_assembly_counts_what_it_assembled():
    (record,) = assembly.run(sizes=(500,), num_snapshots=4, repeats=2)
    assert 400 < record.num_edges <= 500
    # Both directions of edges, of the hubs' edges and of the coupling; nothing is stored twice.
    assert record.num_entries % 2 == 0
    assert record.num_entries > 2 * record.num_edges + 2 * (record.num_rows - 4)
    assert record.seconds > 0
    assert record.ratio == pytest.approx(record.seconds / record.scipy_seconds)
    assert "ratio" in assembly.outcome([record]).columns
    assert assembly.outcome([record]).result["records"][0]["ratio"] == record.ratio


def test_training_times_real_epochs():
    models = ("grugcn", "slate", "egcn-o")
    records = training.run(dataset="demo", models=models, pe="slpe-i", epochs=2, pack=3, large=False)
    expected = [(model, pack) for model in models for pack in (1, 3)]
    assert [(record.model, record.pack) for record in records] == expected
    for record in records:
        assert 0 < record.fastest_ms <= record.median_ms
    alone, together = records[:2]
    assert together.speedup == pytest.approx(alone.median_ms / together.median_ms)
    assert training.figure(records).axes[0].get_xlabel()
    assert [row[0] for row in training.outcome(records).rows] == [model for model, _ in expected]


def test_wl_tools_see_one_graph():
    records = wl.run(num_nodes=50, num_snapshots=3, num_edges=400, rounds=2, repeats=1, large=False)
    assert {record.tool for record in records} >= {"wl_tests.supra_wl", "wl_tests.layer_wl"}
    for record in records:
        assert (record.num_supra_nodes, record.num_edges, record.rounds) == (150, 400, 2)
    assert "exact" in wl.outcome(records).columns


def test_wl_graph_has_the_edges_it_says():
    graph = wl.random_graph(40, 3, 200, seed=1)
    assert graph.num_edges == 200
    assert np.array_equal(wl.random_graph(40, 3, 200, seed=1).source, graph.source)


def test_wl_until_stable_in_a_process_of_its_own():
    record = wl.measure_large(num_nodes=60, num_snapshots=2, num_edges=150, memory_gib=16.0)
    assert record.stable
    assert record.peak_gib > 0
    assert record.rounds == supra_wl(wl.random_graph(60, 2, 150, 0)).num_rounds


@pytest.mark.parametrize(
    ("call", "stated"),
    [
        (lambda: assembly.run(repeats=0), "repeats=0"),
        (lambda: assembly.run(sizes=(0,)), "size=0"),
        (lambda: training.run(epochs=0), "epochs=0"),
        (lambda: wl.run(repeats=0), "repeats=0"),
        (lambda: wl.run(num_nodes=10, num_snapshots=5, num_edges=20), "num_edges=20"),
    ],
    ids=["assembly rounds", "assembly size", "training epochs", "wl rounds", "wl edges"],
)
def test_bad_settings(call, stated):
    with pytest.raises(InvalidArgumentError, match=stated):
        call()


def test_the_command_writes_json_and_a_figure(tmp_path, capsys):
    command = [
        "bench",
        "training",
        "demo",
        "--models",
        "grugcn",
        "--epochs",
        "1",
        "--pack",
        "2",
        "--no-large",
    ]
    assert main([*command, "--output", str(tmp_path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    written = json.loads((tmp_path / "training.json").read_text())
    assert shown["records"] == written["records"]
    assert written["records"][0]["model"] == "grugcn"
    assert (tmp_path / "training.png").stat().st_size > 1000


@pytest.mark.parametrize("command", ["wl", "training", "assembly"])
def test_help_teaches(command, capsys):
    assert main(["bench", command, "--help"]) == 0
    assert f"supra bench {command}" in capsys.readouterr().out


def test_encodings_are_timed_in_turns():
    records = encodings.run([load("demo")], repeats=2, base=Config(k=2, pe_window=2, max_steps=3))
    assert [record.pe for record in records] == list(ENCODED)
    assert all(len(record.seconds) == 2 and record.median > 0 for record in records)
    by_name = {record.pe: record for record in records}
    assert by_name["slpe-e"].max_residual < 1e-6 < by_name["slpe-i"].max_residual
    found = encodings.outcome(records)
    assert len(found.lines) == 1
    assert found.lines[0].startswith("demo: SLPE exact takes")
    assert len(found.rows) == len(records)
