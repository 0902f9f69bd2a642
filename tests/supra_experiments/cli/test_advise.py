"""``supra advise``: what it prints, and its mistakes."""

import itertools
import json
import shlex

import pytest

from supra_experiments.analysis.frame import VARIANTS
from supra_experiments.config import Config
from supra_experiments.datasets import load
from supra_experiments.training.fit import fit
from supra_experiments.training.record import append_record

from ..helpers import REAL, needs_data
from ..made_up import DATASETS, record, small_file


@pytest.fixture
def mine(tmp_path):
    return small_file(tmp_path)


def test_the_command_on_the_built_in_graph(run):
    code, out, _ = run("advise", "demo")
    assert code == 0
    for text in (
        "Try first on demo",
        "How sure: ",
        "Nobody ran this graph",
        "P best",
        "Following this advice",
    ):
        assert text in out
    for name in ("canparl", "slpe-e", "neighbours", "historical", "similarity", "to encode, measured now"):
        assert name in out
    (command,) = [line for line in out.splitlines() if line.startswith("Next: ")]
    code, config, _ = run(*shlex.split(command.removeprefix("Next: supra ")), "--show-config")
    assert code == 0
    assert Config.from_toml(config).data.dataset == "demo"


def test_the_command_says_so_where_a_plain_rule_does_as_well(run):
    _, out, _ = run("advise", "demo", "--no-measure", "--json")
    report = json.loads(out)
    rules = {rule["name"]: rule["cost"] for rule in report["score"]["encoding"]}
    plain = min(cost for name, cost in rules.items() if name.startswith("always"))
    assert report["worthwhile"] == (rules["advice"] < plain)
    _, text, _ = run("advise", "demo", "--no-measure")
    assert ("no better than the plain rule" in text) != report["worthwhile"]
    assert report["encoding_seconds"] == {}


def test_the_command_on_a_graph_of_the_users_own(run, mine, tmp_path):
    code, out, _ = run("advise", mine, "--model", "egcn-h", "--features", "zeros", "--json")
    report = json.loads(out)
    assert code == 0
    assert not report["direct"]
    assert {(c["model"], c["features"]) for c in report["choices"]} == {("egcn", "zeros")}
    assert report["sureness"] == "high", "EvolveGCN cannot do without, with zero features"
    assert report["statistics"][str(mine)]["num_nodes"] == 5
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
        "advise", mine, "--model", "egcn", "--features", "zeros", "--runs", tmp_path / "runs.jsonl"
    )
    assert code == 0
    told = " ".join(out.split())  # a long path moves the ends of the lines
    assert "stands on runs of" in told
    assert "by your runs" in told
    assert "100%" in out


def test_runs_of_other_graphs_are_evidence_too(run, mine, tmp_path):
    path = tmp_path / "runs.jsonl"
    demo = load("demo")
    for pe, seed in itertools.product(VARIANTS, range(2)):
        auc = 0.5 + 0.4 * (pe == "lpe-t") + 0.001 * seed
        append_record(path, record(auc, digest=demo.graph.digest, dataset="demo", pe=pe, seed=seed))
    append_record(path, record(dataset="gone.csv"))
    code, out, err = run("advise", mine, "--runs", path, "--no-measure")
    assert code == 0
    assert "demo" in out
    assert err == "1 runs of gone.csv are left out: the graph they were made on is not at hand\n"
    _, out, _ = run("advise", mine, "--runs", path, "--no-measure", "--json")
    report = json.loads(out)
    assert set(report["weights"]) == {*DATASETS, "demo"}
    assert sum(report["weights"].values()) == pytest.approx(1)
    assert report["score"]["num_datasets"] == 5
    assert report["left_out"] == {"gone.csv": 1}


def test_a_single_snapshot_has_nothing_to_predict(run, tmp_path):
    (tmp_path / "one.csv").write_text("a,b,0\nb,c,0\n")
    code, out, _ = run("advise", tmp_path / "one.csv", "--no-measure")
    assert code == 0
    assert "nothing to predict" in " ".join(out.split())
    assert "Next:" not in out


@needs_data
def test_a_published_dataset_has_direct_evidence(run):
    code, out, _ = run("advise", "enron10", "--data-root", REAL, "--no-measure", "--json")
    report = json.loads(out)
    assert code == 0
    assert report["direct"]
    assert report["weights"]["enron10"] == 1.0
    assert report["without_learning"]["neighbours"]["uniform"] == pytest.approx(95.70, abs=0.01)
    code, out, _ = run("advise", "enron10", "--data-root", REAL, "--model", "htgn", "--no-measure")
    assert code == 0
    assert "stands on runs of enron10 itself" in out
    assert "is not above neighbours" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "dataset='nowhere': must be one of demo"),
        (["demo", "--model", "gpt"], "model='gpt': must be one of 'egcn'"),
        (["demo", "--model", "count"], "model='count': must be one of 'egcn'"),
        (["demo", "--features", "mine.csv"], "features='mine.csv': must be one of 'one-hot'"),
        (["demo", "--top", "0"], "top=0: must be an integer >= 1"),
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
    for option in ("--model", "--features", "--runs", "--no-measure", "--json"):
        assert option in out
