"""The benchmark of encodings in PyTorch Geometric: what it measures, and what it gives up."""

import json

import numpy as np
import pytest

from supra_core import InvalidArgumentError, laplacian
from supra_experiments.bench import laplacian_pe as bench
from supra_experiments.cli.main import main


@pytest.mark.parametrize("tool", bench.TOOLS)
@pytest.mark.parametrize("graph", bench.GRAPHS)
def test_all_transforms_answer_and_agree(graph, tool):
    (answer,) = bench.encode(graph, 400, tool, 3, 1, 0)
    A = bench.make_graph(graph, 400, 0).adjacency(0)
    values = np.linalg.eigvalsh(laplacian(A, "sym").toarray())
    assert answer["seconds"] > 0
    assert answer["residual"] < 1e-4
    assert answer["largest"] == pytest.approx(values[3], abs=1e-6)


def test_a_case_in_a_process_of_its_own():
    (record,) = bench.run((400,), graphs=("grid",), tools=(bench.OURS,), k=3, repeats=1, limit=300)
    assert (record.num_nodes, record.num_edges, record.outcome) == (400, 2 * 20 * 19, "done")
    assert record.residual < 1e-4


def test_the_command(tmp_path, capsys, monkeypatch):
    records = [
        bench.PERecord("grid", bench.OURS, 400, 760, 0.5, 1e-7, 0.1, "done"),
        bench.PERecord("grid", bench.PYG, 400, 760, 2.0, 1e-7, 0.1, "done"),
    ]
    told = []
    monkeypatch.setattr(bench, "run", lambda sizes, **settings: told.append((sizes, settings)) or records)
    arguments = ["--sizes", "400,500", "--limit", "7", "-o", str(tmp_path)]
    assert main(["bench", "laplacian-pe", *arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result == json.loads((tmp_path / "laplacian_pe.json").read_text())
    assert [bench.PERecord(**record) for record in result["records"]] == records
    assert told[0][0] == [400, 500]
    assert told[0][1]["limit"] == 7
    assert main(["bench", "laplacian-pe", *arguments]) == 0
    assert "4.0" in capsys.readouterr().out  # four times as long as ours


def test_what_takes_too_long_is_given_up_and_spared():
    records = bench.run((40_000, 50_000), graphs=("grid",), tools=(bench.PYG,), limit=0.01)
    assert [record.outcome for record in records] == ["over the limit"] * 2
    assert [record.seconds for record in records] == [None, None]
    assert [row[3] for row in bench.outcome(records).rows] == ["over the limit"] * 2


@pytest.mark.long  # a third process that loads PyTorch
def test_what_fails_says_why():
    (record,) = bench.run((9,), graphs=("grid",), tools=(bench.PYG,), k=20, limit=300)
    assert record.seconds is None
    assert "Error" in record.outcome


@pytest.mark.parametrize(
    ("settings", "stated"),
    [
        ({"repeats": 0}, "repeats=0"),
        ({"k": 0}, "k=0"),
        ({"sizes": (0,)}, "size=0"),
        ({"limit": 0}, "limit=0"),
        ({"graphs": ("ring",)}, "graph='ring'"),
        ({"tools": ("arpack",)}, "tool='arpack'"),
    ],
)
def test_bad_settings(settings, stated):
    with pytest.raises(InvalidArgumentError, match=stated):
        bench.run(**settings)
