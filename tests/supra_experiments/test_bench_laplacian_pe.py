"""The benchmark of encodings in PyTorch Geometric: what it measures, and what it gives up."""

import json

import numpy as np
import pytest

from supra_core import InvalidArgumentError, laplacian
from supra_experiments.bench import laplacian_pe as bench
from supra_experiments.cli.main import main


def test_all_transforms_answer_and_agree(tmp_path, capsys):
    arguments = ["--sizes", "400", "--repeats", "1", "--k", "3", "--limit", "300", "--json"]
    assert main(["bench", "laplacian-pe", *arguments, "-o", str(tmp_path)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result == json.loads((tmp_path / "laplacian_pe.json").read_text())
    records = [bench.PERecord(**record) for record in result["records"]]
    assert [(r.graph, r.tool) for r in records] == [(g, t) for g in bench.GRAPHS for t in bench.TOOLS]
    for record in records:
        A = bench.make_graph(record.graph, 400, 0).adjacency(0)
        values = np.linalg.eigvalsh(laplacian(A, "sym").toarray())
        assert (record.num_nodes, record.num_edges, record.outcome) == (400, A.nnz // 2, "done")
        assert record.seconds > 0
        assert record.residual < 1e-4
        assert record.largest == pytest.approx(values[3], abs=1e-6)
    assert "times ours" in bench.render(records)


def test_what_takes_too_long_is_given_up_and_spared():
    records = bench.run((40_000, 50_000), graphs=("grid",), tools=(bench.PYG,), limit=0.01)
    assert [record.outcome for record in records] == ["over the limit"] * 2
    assert [record.seconds for record in records] == [None, None]
    assert "over the limit" in bench.render(records)


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
