"""How the command behaves: what it does unasked, how it stops, and how it reads."""

import contextlib
import io
import re
import sys

import pytest
import typer

from supra_experiments.cli import main as cli
from supra_experiments.cli import output
from supra_experiments.cli.main import tidy
from supra_experiments.training import fit as training
from supra_experiments.training import pack_fit
from supra_experiments.training.record import RunRecord, read_records

ROWS = [
    (a, b, t) for t in range(6) for a, b in [("ann", "bob"), ("bob", "cy"), ("cy", "dan"), ("dan", "ann")]
]
SMALL = ["--model", "grugcn", "--set", "hidden_channels=4", "--set", "k=2"]


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target,time\n" + "".join(f"{a},{b},{t}\n" for a, b, t in ROWS))
    return path


def encodings_of(out):
    records = [RunRecord.from_json(line) for line in out.splitlines()]
    return [record.config.encoding.pe for record in records if record.config.model.is_learned]


# ── training ───────────────────────────────────────────────────────────────────────────────────────────────


def test_without_a_word_on_encodings_both_are_trained(run, edges, tmp_path):
    code, out, _ = run("train", edges, *SMALL, "--epochs", 2, "--json")
    assert code == 0
    assert encodings_of(out) == ["none", "slpe-e"]
    records = [RunRecord.from_json(line) for line in out.splitlines()]
    assert all(len(record.history) <= 2 for record in records)
    file = tmp_path / "run.toml"
    file.write_text("max_epochs = 1\n")
    assert encodings_of(run("train", edges, *SMALL, "--config", file, "--json")[1]) == ["none", "slpe-e"]
    for said in (["--pe", "none"], ["--set", "pe=none"], ["--config", file]):
        file.write_text('max_epochs = 1\npe = "none"\n')
        assert encodings_of(run("train", edges, *SMALL, "--epochs", 1, *said, "--json")[1]) == ["none"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cuda:99", "device='cuda:99': cannot be used here ("),
        ("gpu", "device='gpu': must be a device of PyTorch, e.g. cpu, cuda or cuda:1"),
    ],
)
def test_a_device_that_is_not_there_is_one_line(run, edges, name, message):
    code, out, err = run("train", edges, "--device", name)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {message}")
    assert err.count("\n") == 1


def test_stopped_training_says_how_to_go_on(run, edges, tmp_path, monkeypatch):
    real, seen = training.fit, []

    def stopped(*given, **more):
        seen.append(given)
        if len(seen) == 6:
            raise KeyboardInterrupt
        return real(*given, **more)

    def use(fit):
        for module in (training, pack_fit):  # alone, and as a pack of one
            monkeypatch.setattr(module, "fit", fit)

    use(stopped)
    file = tmp_path / "runs.jsonl"
    arguments = ["train", edges, *SMALL, "--epochs", 1, "--pe", "none", "--seeds", 2]
    code, _, err = run(*arguments, "-o", file)
    assert code == 130
    assert f"stopped: 5 of 6 runs are in {file}; the same command goes on from there" in " ".join(err.split())
    assert len(list(read_records(file))) == 5
    use(real)
    assert run(*arguments, "-o", file)[0] == 0
    assert len(list(read_records(file))) == 6
    seen.clear()
    use(stopped)
    code, _, err = run(*arguments)
    assert code == 130
    assert "nothing is kept; with -o FILE" in " ".join(err.split())


def test_features_that_name_few_nodes_warn(run, edges, tmp_path):
    path = tmp_path / "features.csv"
    path.write_text("node,a\nann,1\n")
    arguments = ["train", edges, *SMALL, "--epochs", 1, "--pe", "none", "--features", path]
    code, _, err = run(*arguments)
    assert code == 0
    assert "warning: " in err
    assert "names 1 of 4 nodes; the others get zeros" in " ".join(err.split())
    assert "features.py" not in err
    path.write_text("node,a\nann,1\nbob,2\n")
    assert "names" not in run(*arguments)[2]


def test_did_you_mean(run):
    assert (
        "epochs: no such setting; did you mean 'max_epochs'?" in run("train", "demo", "--set", "epochs=3")[2]
    )
    assert "did you mean 'hidden_channels'?" in run("train", "demo", "--set", "hiden_channels=3")[2]


# ── how it reads ───────────────────────────────────────────────────────────────────────────────────────────


def commands(command, name="supra"):
    yield name, command
    for below, part in getattr(command, "commands", {}).items():
        yield from commands(part, f"{name} {below}")


COMMANDS = dict(commands(tidy(typer.main.get_command(cli.app))))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_flows_and_flags_have_no_type(run, name):
    """A paragraph is one line, which the terminal wraps."""
    assert COMMANDS[name].help
    assert not re.search(r"[^\n]\n[^\n]", COMMANDS[name].help)
    code, out, _ = run(*name.split()[1:], "--help")
    assert code == 0
    assert "--help" in out
    assert "<bool>" not in out


def test_the_two_graphs_of_wl_are_told_apart(run):
    assert re.search(r"FIRST.*SECOND", run("wl", "--help")[1])


def test_the_shell_can_complete(monkeypatch, capsys):
    monkeypatch.setenv("_SUPRA_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "supra tr")
    monkeypatch.setenv("COMP_CWORD", "1")
    with contextlib.suppress(SystemExit):
        cli.main([])
    assert capsys.readouterr().out.strip() == "train"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("headers", "row"),
    [
        (
            ["time", "edges", "active nodes", "edges seen in the last one", "edges ever seen before"],
            ["2024-05-01T08:30:00+02:00", "1234", "567", "100.0 %", "50.0 %"],
        ),
        (
            ["time", "rows", "solver", "products", "largest residual", "converged", "ms"],
            ["2024-05-01T08:30:00+02:00", "480", "ShiftInvert", "345", "1.1e-15", "9/9", "20.2"],
        ),
    ],
    ids=["data info", "encode"],
)
def test_nothing_is_cut_on_a_narrow_terminal(monkeypatch, headers, row):
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", "80")
    output.print_table("A title", headers, [row])
    plain = re.sub("\x1b[^m]*m", "", screen.getvalue())
    assert max(map(len, plain.splitlines())) <= 80
    for cell in [*row, *" ".join(headers).split()]:
        assert cell in plain
    assert "…" not in plain


def test_the_same_warning_is_told_once(run, edges):
    code, _, err = run("encode", edges, "--k", 40, "--window", 1, "-o", edges.with_name("pe.csv"))
    assert code == 0
    lines = [line for line in err.splitlines() if line.startswith("warning: k=40")]
    assert len(lines) == 1


@pytest.mark.parametrize("value", [-0.0, -0.001, 0.0, -1e-300])
def test_there_is_no_minus_zero(value, capsys):
    assert output.number(value) == "0.00"
    output.print_json({"value": -0.0})
    assert capsys.readouterr().out == '{"value": 0.0}\n'


def test_the_solver_column_says_what_solved(run, tmp_path):
    path = tmp_path / "ring.csv"
    path.write_text("".join(f"{i},{(i + 1) % 700},0\n" for i in range(700)))
    code, out, _ = run("check", path, "--k", 2)
    assert code == 0
    assert "Spectrum (ShiftInvert," in out
    assert "Auto" not in out
