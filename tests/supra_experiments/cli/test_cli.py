"""Every command: its help, a golden path in a temporary folder, and its mistakes."""

import json

import pytest

from supra_core import Encoder
from supra_experiments.datasets import load
from supra_experiments.training.record import read_records
from wl_tests import gallery

from ..helpers import REAL, needs_data

COMMANDS = [
    "demo", "data", "data list", "data fetch", "data info", "encode", "train", "sweep", "report", "advise",
    "wl", "check", "bench",
]  # fmt: skip


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_teaches(run, command):
    code, out, _ = run(*command.split(), "--help")
    assert code == 0
    assert "Usage: supra" in out
    if command not in ("", "data", "bench", "report"):
        assert "--json" in out


def test_help_lists_every_command(run):
    _, out, _ = run("--help")
    for command in COMMANDS:
        assert command.split()[0] in out
    assert "supra demo" in out


def test_version(run):
    code, out, _ = run("--version")
    assert (code, out) == (0, "supra 0.1.0\n")


# ── golden paths ───────────────────────────────────────────────────────────────────────────────────────────


def test_wl_reports_both_verdicts(run, tmp_path):
    pair = gallery.moved_edge()
    for name, graph in (("a", pair.first), ("b", pair.second)):
        rows = zip(graph.source, graph.target, graph.time, strict=True)
        (tmp_path / f"{name}.csv").write_text("".join(f"{u},{v},{t}\n" for u, v, t in rows))
    code, out, _ = run("wl", tmp_path / "a.csv", tmp_path / "b.csv")
    assert code == 0
    assert out.count("distinguished") + out.count("inconclusive") == 2
    code, out, _ = run("wl", tmp_path / "a.csv", tmp_path / "a.csv", "--json")
    verdicts = json.loads(out)
    assert not verdicts["layer"]["distinguished"]
    assert not verdicts["supra"]["distinguished"]


def test_check_verifies_both_propositions(run, edges):
    code, out, _ = run("check", edges, "--k", 3, "--coupling", 0.7, "--json")
    report = json.loads(out)
    assert code == 0
    assert report["holds"]
    assert report["proposition_1"]["difference"] < 1e-10
    assert report["proposition_1"]["total"] == pytest.approx(sum(report["spectrum"]["eigenvalues"]))
    assert report["exact"]["difference"] == 0
    assert max(report["spectrum"]["residual_norms"]) < 1e-7
    assert len(report["wl"]["layers"]) == 6
    assert report["wl"]["supra_refines_layer"]
    code, out, _ = run("check", edges)
    assert code == 0
    assert "holds" in out
    assert "FAILS" not in out


def test_check_takes_weighted_graphs(run, tmp_path):
    (tmp_path / "w.csv").write_text("a,b,0,0.5\nb,c,0,1.25\na,c,1,3\n")
    code, out, _ = run("check", tmp_path / "w.csv", "--k", 2, "--json")
    assert code == 0
    assert json.loads(out)["holds"]


def test_data_info_of_a_file(run, edges):
    code, out, _ = run("data", "info", edges, "--json")
    facts = json.loads(out)
    assert code == 0
    assert (facts["nodes"], facts["snapshots"]) == (6, 6)
    assert facts["per_snapshot"][1]["repeated"] == 1.0
    assert run("data", "info", "demo")[0] == 0


def test_data_list_knows_what_is_here(run, tmp_path):
    code, out, _ = run("data", "list", "--data-root", tmp_path, "--json")
    assert code == 0
    assert [entry["name"] for entry in json.loads(out)] == ["canparl", "as733", "dblp", "enron10"]
    assert [entry["here"] for entry in json.loads(out)] == [False, False, True, True], "two ship"
    assert "enron10" in run("data", "list", "--data-root", tmp_path)[1]


@needs_data
def test_data_fetch_takes_a_folder_that_holds_the_files(run):
    code, out, _ = run("data", "fetch", "all", "--data-root", REAL)
    assert code == 0
    assert out.count("SHA-256 verified") == 2
    assert out.count("comes with the package") == 2
    code, out, _ = run("data", "info", "enron10", "--data-root", REAL)
    assert code == 0
    assert "143" in out


def test_demo_leaves_one_page_that_needs_nothing_else(run, tmp_path, monkeypatch):
    from supra_experiments.demo import build

    monkeypatch.setattr(build, "SETTINGS", build.SETTINGS.replace(max_epochs=2, min_epochs=1))
    code, out, _ = run("demo", "-o", tmp_path / "demo", "--seeds", 1, "--json")
    assert code == 0
    facts = json.loads(out)
    assert facts["proposition_1_holds"]
    page = (tmp_path / "demo" / "index.html").read_text()
    assert page.count("data:image/svg+xml,") == page.count("<img") == 3  # each for every screen and theme
    assert facts["found"].replace("'", "&#39;") in page
    # SVG names its own language by an address that nobody asks for.
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/", "")
    assert "<script" not in page
    assert load(tmp_path / "demo" / "edges.csv").graph.num_edges == load("enron10").graph.num_edges
    assert len(list(read_records(tmp_path / "demo" / "runs.jsonl"))) == 10


# ── mistakes: one line, exit code 2 ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "enron11"], "dataset='enron11': must be one of demo"),
        (["train", "nowhere.csv"], "nowhere.csv: no such file"),
        (["train", "demo", "--model", "gpt"], "model='gpt': must be one of"),
        (["train", "demo", "--pe", "slpe"], "pe='slpe': must be one of 'none', 'lpe-e'"),
        (["train", "demo", "--features", "ones"], "features='ones': must be one of"),
        (["train", "demo", "--seeds", "0"], "seeds=0: must be an integer >= 1"),
        (["train", "demo", "--set", "hiden_channels=3"], "did you mean 'hidden_channels'?"),
        (["train", "demo", "--set", "k=many"], "k='many': must be an integer"),
        (["train", "demo", "--set", "k"], "--set k: must be KEY=VALUE"),
        (["train", "demo", "--config", "none.toml"], "none.toml: cannot be read"),
        (["train", "demo", "--modle", "htgn"], "No such option"),
        (["train", "demo", "--snapshots", "3"], "num_snapshots=3: must be left out for demo"),
        (["encode", "demo", "--k", "0"], "k=0: must be an integer >= 1"),
        (["encode", "demo", "--pe", "none"], "pe='none': must be one of 'lpe-e'"),
        (["encode", "demo", "--align", "sign"], "align='sign': must be one of 'rotation', 'signs', 'none'"),
        (["encode", "demo", "--absent", "none"], "absent='none': must be one of 'last', 'zeros'"),
        (["encode", "demo", "--scale", "columns"], "scale='columns': must be one of 'rows', 'none'"),
        (
            ["encode", "demo", "--normalization", "l2"],
            "normalization='l2': must be one of 'none', 'sym', 'rw'",
        ),
        (["encode", "demo", "--max-steps", "5"], "max_steps=5: must be left out: it belongs to variant="),
        (
            ["train", "demo", "--set", "align=sign"],
            "align='sign': must be one of 'rotation', 'signs', 'none'",
        ),
        (["train", "demo", "--set", "absent=none"], "absent='none': must be one of 'last', 'zeros'"),
        (["train", "demo", "--set", "with_age=1"], "with_age=1: must be true or false"),
        (["train", "demo", "--set", "scale_pe=rows"], "scale_pe='rows': must be true or false"),
        (["encode", "demo", "-o", "pe.txt"], "must end in .parquet or .csv"),
        (["encode"], "Missing argument"),
        (["check", "demo", "--k", "100000"], "k=100000: must be at most 1200"),
        (["check", "demo", "--coupling", "-1"], "coupling=-1.0: must be"),
        (["wl", "demo", "none.csv"], "none.csv: no such file"),
        (["data", "fetch", "karate"], "dataset='karate': must be one of canparl"),
        (["fly"], "No such command 'fly'"),
    ],
)
def test_mistakes_are_one_readable_line(run, arguments, message):
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err


def test_different_numbers_of_snapshots_cannot_be_compared(run, edges, tmp_path):
    (tmp_path / "b.csv").write_text("a,b,0\n")
    code, _, err = run("wl", edges, tmp_path / "b.csv")
    assert code == 2
    assert err.count("\n") == 1


def test_check_says_which_channels_mean_something(run, edges, tmp_path):
    plot = tmp_path / "gaps.png"
    code, out, _ = run("check", edges, "--k", 3, "--plot", plot, "--json")
    assert code == 0
    report = json.loads(out)["stability"]
    expected = Encoder(k=3).encode(load(edges).graph, 5).stability
    assert [row["eigenvalue"] for row in report["channels"]] == expected.eigenvalues.tolist()
    assert [row["alone"] for row in report["channels"]] == expected.alone.tolist()
    assert [row["largest_sine"] for row in report["channels"]] == expected.bound(
        report["edge_change"], groups=False
    ).tolist()
    assert report["edge_change"] > 0
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert "by itself" in run("check", edges, "--k", 3)[1]
