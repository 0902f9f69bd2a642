"""The solver benchmark measures what it says: on small graphs, against independent computations."""

import json

import numpy as np
import pytest

from supra_core import Davidson, InvalidArgumentError, generators, laplacian, supra_graph
from supra_experiments.bench import solver_summary as summary
from supra_experiments.bench import windows
from supra_experiments.bench.solvers import SolverRecord, cases, choose, generated_graph, measure_all
from supra_experiments.cli.main import main


def test_generated_cases_have_the_size_asked_for_and_both_laplacians():
    found = list(cases([2000]))
    assert [case.normalization for case in found] == ["combinatorial", "sym"]
    assert all(0.98 * 2005 <= case.num_rows <= 2005 for case in found)
    graph = generated_graph(400)
    expected = laplacian(supra_graph(graph).adjacency)
    np.testing.assert_array_equal(found[0].matrix.toarray(), expected.toarray())


@pytest.fixture(scope="module")
def records():
    return measure_all(cases([600]), choose(), repeats=1)


def test_converged_methods_reach_their_residual_and_the_exact_subspace(records):
    assert {record.normalization for record in records} == {"combinatorial", "sym"}
    for record in records:
        if record.method.endswith("1e-6") or record.method in ("full", "pyg"):
            assert record.residual <= 1.1e-6
            assert record.angle < 1e-3
        if record.method.endswith("1e-3"):
            assert record.residual <= 1.1e-3
        assert record.seconds > 0
        assert record.rounds == 1


def test_two_figures_and_the_ratios(records, tmp_path):
    for number, chart in enumerate(
        (summary.time_against_size(records), summary.time_against_accuracy(records))
    ):
        chart.savefig(tmp_path / f"{number}.png")
        assert (tmp_path / f"{number}.png").stat().st_size > 10_000
    assert all(ratio.holds is None for ratio in summary.ratios(records))  # far too small for any claim


def test_ratios_are_held_to_their_bars_on_large_graphs():
    def record(method, seconds, num_rows=50_005):
        return SolverRecord(
            "generated",
            "supra",
            "combinatorial",
            num_rows,
            1,
            8,
            method,
            seconds,
            1,
            1,
            1e-6,
            None,
            400_040 * 50,
        )

    found = summary.ratios(
        [record("arpack-1e-6", 41.0), record("davidson-1e-6", 1.0), record("primme-1e-6", 0.5)]
    )
    assert {ratio.claim.split(",")[0]: ratio.holds for ratio in found} == {
        "ARPACK's time over Davidson's": True,
        "Davidson's time over PRIMME's": False,
        "Davidson's memory beside the matrix": True,
    }


def test_an_unknown_method_is_named():
    with pytest.raises(
        InvalidArgumentError, match=r"methods='lanczos': must be one of 'full', 'arpack-1e-3'"
    ):
        choose(["lanczos"])


def test_windows_give_the_same_eigenvalues_warm_and_cold():
    graph = generators.barabasi_albert(150, 8, rewire=0.02, seed=1)
    records = windows.run(graph, window=3, solver=Davidson(1e-6, inner_steps=0, spare=5))
    assert len(records) == 8
    assert max(record.difference for record in records) < 1e-6
    assert max(record.residual for record in records) <= 1e-6
    assert windows.ratio(records) < 1
    assert min(min(record.cold_seconds, record.warm_seconds) for record in records) > 0
    L = laplacian(supra_graph(graph.window(7, 3)).adjacency)
    assert records[-1].num_rows == L.shape[0]


def test_generated_streams_have_their_sizes():
    blocks = windows.stream("blocks")
    assert (blocks.num_nodes, blocks.num_snapshots) == (4000, 12)
    events = windows.stream("power-law")
    assert (events.num_nodes, events.num_snapshots) == (60_000, 24)
    assert 700_000 < events.num_edges < 800_000
    with pytest.raises(InvalidArgumentError, match="name='other'"):
        windows.stream("other")


def test_the_command_of_windows(tmp_path, capsys):
    arguments = ["bench", "windows", "demo", "--k", "3", "--window", "2", "-o", str(tmp_path)]
    assert main(arguments) == 0
    assert "all windows:" in capsys.readouterr().out
    written = json.loads((tmp_path / "windows.json").read_text())
    settings = {"dataset": "demo", "window": 2, "k": 3, "coupling": 1.0, "normalization": "none", "tol": None}
    assert written["settings"] == settings
    assert written.keys() >= {"records", "ratio", "seconds_ratio", "machine", "commit"}
    assert (tmp_path / "windows.png").stat().st_size > 1000


def test_the_command_of_exactness(tmp_path, capsys):
    arguments = ["bench", "exactness", "--count", "1", "--solvers", "Davidson", "-o", str(tmp_path)]
    assert main([*arguments, "--json"]) == 0
    (tally,) = json.loads(capsys.readouterr().out)["tallies"]
    assert (tally["right"] + tally["not_converged"], tally["faults"]) == (1, [])


def test_the_command_writes_json_and_figures(tmp_path, capsys):
    arguments = [
        "bench",
        "solvers",
        "--sizes",
        "500",
        "--methods",
        "davidson-1e-3,lobpcg-20",
        "--no-datasets",
    ]
    assert main([*arguments, "--repeats", "1", "-o", str(tmp_path)]) == 0
    written = json.loads((tmp_path / "solvers.json").read_text())
    assert len(written["records"]) == 4
    assert {file.name for file in tmp_path.iterdir()} == {
        "solvers.json",
        "solvers_time_by_accuracy.png",
        "solvers_time_by_size.png",
    }
    assert "davidson-1e-3" in capsys.readouterr().out
    assert main(["bench", "solvers", "--sizes", "many"]) == 2
    assert "sizes='many': must be integers" in capsys.readouterr().err
