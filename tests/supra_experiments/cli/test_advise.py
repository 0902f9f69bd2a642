"""``supra advise``: three lines, the rest on request, and its mistakes."""

import itertools
import json
import shlex

import pytest

from supra_experiments.analysis.frame import VARIANTS
from supra_experiments.config import Config
from supra_experiments.datasets import load
from supra_experiments.training.fit import fit
from supra_experiments.training.record_file import RecordFile

from ..helpers import REAL, needs_data
from ..made_up import record, small_file


@pytest.fixture
def mine(tmp_path):
    return small_file(tmp_path)


def test_three_lines_on_the_built_in_graph(run):
    code, out, _ = run("advise", "demo")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("Try first on demo: ")
    assert lines[1].startswith("How sure: ")
    (command,) = [line for line in lines if line.startswith("Next: ")]
    assert "lost if always taken" not in out
    code, config, _ = run(*shlex.split(command.removeprefix("Next: supra ")), "--show-config")
    assert code == 0
    assert Config.from_toml(config).data.dataset == "demo"


def test_why_shows_the_evidence(run):
    code, out, _ = run("advise", "demo", "--why")
    assert code == 0
    for text in ("lost if always taken", "would have lost", "The bar to beat", "to encode, measured now"):
        assert text in out
    for name in ("slpe-e", "neighbours", "historical", "htgn"):
        assert name in out


def test_json_says_the_same(run):
    code, out, _ = run("advise", "demo", "--json")
    report = json.loads(out)
    assert code == 0
    lost = report["points_lost"]
    assert lost["rule"] < lost["none"]
    assert {row["pe"] for row in report["encodings"]} == set(VARIANTS)
    assert report["pe"] == report["encodings"][0]["pe"]
    assert report["gain"]["num_better"] <= report["gain"]["num_graphs"]
    assert not report["direct"]


def test_a_graph_of_the_users_own(run, mine, tmp_path):
    code, out, _ = run("advise", mine, "--model", "egcn-h", "--features", "zeros", "--json")
    report = json.loads(out)
    assert code == 0
    assert not report["direct"]
    assert (report["model"], report["features"]) == ("egcn-h", "zeros")
    assert report["sureness"] == "high", "EvolveGCN cannot do without, with zero features"
    assert "too small to tell encodings apart" in report["warning"]
    for name, aucs in report["without_learning"].items():
        assert 100 * fit(Config(dataset=str(mine), model=name)).test.auc == pytest.approx(aucs["uniform"])
    assert set(report["encoding_seconds"]) == {"slpe-e", "slpe-i"}
    assert all(seconds > 0 for seconds in report["encoding_seconds"].values())
    words = shlex.split(report["next"])
    assert words[:3] == ["supra", "train", str(mine)]
    # What it advises can be run, and its records decide the next time.
    small = ["--set", "max_epochs=2", "--set", "min_epochs=1", "--set", "k=2"]
    words[words.index("runs.jsonl")] = str(tmp_path / "runs.jsonl")
    assert run(*words[1:], *small)[0] == 0
    code, out, _ = run(
        "advise", mine, "--model", "egcn-h", "--features", "zeros", "--runs", tmp_path / "runs.jsonl"
    )
    assert code == 0
    told = " ".join(out.split())  # a long path moves the ends of the lines
    assert "itself decide, by your runs" in told
    assert "too small" in told


def test_runs_of_other_graphs_are_evidence_too(run, mine, tmp_path):
    path = tmp_path / "runs.jsonl"
    demo = load("demo")
    _, before, _ = run("advise", mine, "--json")
    for pe, seed in itertools.product(VARIANTS, range(2)):
        auc = 0.1 + 0.8 * (pe == "lpe-t") + 0.001 * seed
        RecordFile(path).add(record(auc, digest=demo.graph.digest, dataset="demo", pe=pe, seed=seed))
    code, after, _ = run("advise", mine, "--runs", path, "--json")
    assert code == 0
    gains = [
        {row["pe"]: row["gain"] for row in json.loads(text)["encodings"]}["lpe-t"] for text in (before, after)
    ]
    assert gains[1] > gains[0]
    assert "yours" in json.loads(after)["sources"]


def test_a_single_snapshot_has_nothing_to_predict(run, tmp_path):
    (tmp_path / "one.csv").write_text("a,b,0\nb,c,0\n")
    code, out, _ = run("advise", tmp_path / "one.csv", "--why")
    assert code == 0
    assert "nothing to predict" in " ".join(out.split())
    assert "Next:" not in out


@needs_data
def test_a_published_dataset_has_direct_evidence(run):
    code, out, _ = run("advise", "enron10", "--data-root", REAL, "--json")
    report = json.loads(out)
    assert code == 0
    assert report["direct"]
    assert report["warning"] is None
    assert report["without_learning"]["neighbours"]["uniform"] == pytest.approx(95.70, abs=0.01)
    code, out, _ = run("advise", "enron10", "--data-root", REAL, "--model", "htgn")
    assert code == 0
    assert "Runs of enron10 itself decide" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "dataset='nowhere': must be one of demo"),
        (["demo", "--model", "gpt"], "model='gpt': must be one of 'egcn'"),
        (["demo", "--model", "count"], "model='count': must be one of 'egcn'"),
        (["demo", "--features", "mine.csv"], "features='mine.csv': must be one of 'one-hot'"),
        (["demo", "--runs", "none.jsonl"], "none.jsonl: cannot be read"),
        (["demo", "--model", "egcn-o"], "model='egcn-o': must have been tried"),
    ],
)
def test_mistakes(run, arguments, message):
    code, out, err = run("advise", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err


def test_help(run):
    code, out, _ = run("advise", "--help")
    assert code == 0
    for option in ("--model", "--features", "--runs", "--why", "--json"):
        assert option in out
