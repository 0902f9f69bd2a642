"""The command without a cluster: what it tells before, while and after, and its exit codes."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from supra_experiments.cli import sweep as command
from supra_experiments.errors import ExperimentError
from supra_experiments.sweep.cells import Cell, Resources
from supra_experiments.sweep.journal import Failure
from supra_experiments.sweep.plan import SweepResult
from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.spec import SweepSpec

from ..sweeps import SMALL, record_of


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small sweep.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture
def pretend(monkeypatch):
    """In place of a cluster: a function that gets the sweep, the progress and all options."""

    def use(sweep):
        asked = {}

        def stand_in(spec, **options):
            asked.update(options)
            return sweep(spec, options["progress"])

        monkeypatch.setattr(command, "_run", stand_in)
        return asked

    return use


def finish_all(spec: SweepSpec, progress: SweepProgress) -> SweepResult:
    records = []
    for seen, config in enumerate(spec.runs()):
        progress.started(config)
        progress.reported(config, 1, 0.5)
        records.append(record_of(config, auc=0.5 + seen / 100))
        progress.finished(config, records[-1])
    return SweepResult(folder=Path("somewhere"), records=tuple(records))


# ── before ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_help_teaches(run):
    code, out, _ = run("sweep", "--help")
    assert code == 0
    for word in (
        "--dry-run",
        "--resume",
        "--address",
        "--pack",
        "--gpus-per-trial",
        'datasets = ["enron10"',
        "paper",
    ):
        assert word in out


def test_a_dry_run_tells_cells_runs_and_time(run, small):
    code, out, _ = run("sweep", "paper", "--dry-run")
    assert code == 0
    assert "336 cells, 1696 runs after 3024 trials" in out
    assert "Settings for as733 are carried over from enron10, dblp, canparl." in out
    assert "rademacher" in out
    code, out, _ = run("sweep", small, "--dry-run", "--json")
    assert code == 0
    told = json.loads(out)
    assert (told["num_cells"], told["num_runs"], told["num_searches"]) == (4, 12, 0)
    assert told["cells"][1] == "demo htgn slpe-i zeros"
    assert told["unknown"] == {"demo htgn": 4, "demo grugcn": 4}


def test_a_dry_run_counts_on_packs(run, monkeypatch):
    monkeypatch.setattr(command, "num_cores", lambda: 2)

    def told(*options):
        code, out, _ = run("sweep", "grid-default", "--dry-run", "--json", *options)
        assert code == 0
        return json.loads(out)

    alone, packed, pairs = told("--pack", 1), told(), told("--pack", 2)
    assert set(alone["packs"].values()) == {1}
    assert set(pairs["packs"].values()) == {1, 2}
    # Five seeds of four encodings of one width; SLATE gains nothing by packs on a processor.
    assert packed["packs"]["enron10 htgn slpe-i zeros"] == 20
    assert packed["packs"]["enron10 slate slpe-i zeros"] == 1
    assert packed["core_seconds"] < pairs["core_seconds"] < alone["core_seconds"]
    _, out, _ = run("sweep", "quick", "--dry-run")
    assert "Up to 4 runs train as one." in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["papr"], "papr: no such file, and presets are paper, grid-default, quick; did you mean 'paper'?"),
        (["quick", "--max-failures", "-1"], "max_failures=-1: must be an integer >= 0"),
        (["quick", "--max-concurrent", "0"], "max_concurrent=0: must be an integer >= 1"),
        (["quick", "--cpus-per-trial", "many"], "--cpus-per-trial many: must be a number, or MODEL=NUMBER"),
        (["quick", "--cpus-per-trial", "htng=1"], "--cpus-per-trial htng=1: 'htng' must be one of egcn"),
        (["quick", "--cpus-per-trial", "cpus=1"], "--cpus-per-trial cpus=1: 'cpus' must be one of egcn"),
        (["quick", "--cpus-per-trial", "0"], "--cpus-per-trial 0: cpus=0.0: must be a number above 0"),
        (["quick", "--gpus-per-trial", "1.5"], "--gpus-per-trial 1.5: gpus=1.5: must be whole"),
        (["quick", "--gpus-per-trial", "nan"], "--gpus-per-trial nan: gpus=nan: must be a number >= 0"),
        (["quick", "--pack", "0"], "pack=0: must be 'auto' or an integer >= 1"),
        (["quick", "--pack", "many"], "pack='many': must be 'auto' or an integer >= 1"),
    ],
)
def test_mistakes_are_one_line(run, arguments, message):
    code, out, err = run("sweep", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {message}")
    assert err.count("\n") == 1


def test_a_bad_file_is_named(run, small):
    small.write_text(SMALL + "[fixed]\nhiden_channels = 8")
    code, _, err = run("sweep", small, "--dry-run")
    assert code == 2
    assert "small sweep.toml: fixed.hiden_channels: no such setting; did you mean 'hidden_channels'?" in err


ELSEWHERE = """
import os, sys
for name in ("fcntl", "resource", "pwd"):
    sys.modules[name] = None
for name in ("pwrite", "getuid", "sched_getaffinity"):
    delattr(os, name)
from supra_experiments.cli.main import main
assert main(["sweep", "quick", "--dry-run"]) == 0
from supra_experiments.cluster.scratch import scratch_folder
from supra_experiments.training.json_lines import JsonLines
with scratch_folder() as folder:
    JsonLines(folder / "a.jsonl", str, str).append("{}")
    assert JsonLines(folder / "a.jsonl", str, str).values == ["{}"]
"""


def test_it_starts_without_what_only_posix_systems_have():
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "84 cells" in done.stdout


# ── while and after ────────────────────────────────────────────────────────────────────────────────────────


def test_lines_where_nobody_watches_and_a_table_at_the_end(run, small, pretend):
    asked = pretend(finish_all)
    code, out, err = run("sweep", small, "--storage-path", "here", "--resume", "--max-concurrent", 3)
    assert code == 0
    assert (asked["storage_path"], asked["resume"], asked["max_concurrent"]) == ("here", True, 3)
    assert (asked["address"], asked["max_failures"], asked["resources"]) == (None, 2, Resources())
    lines = err.splitlines()
    assert len(lines) == 12  # one a run
    assert lines[-1].startswith("[12/12")
    assert "demo grugcn slpe-i zeros seed 1: test AUC 61.00" in lines[-1]
    # Runs 4 and 8 are HTGN's without encoding: 54 and 58 percent.
    assert "56.0±2.0" in out
    assert "Without learning: edgebank 50.00, degree 51.00, count 52.00, neighbours 53.00." in out
    assert "12 records in somewhere/records.jsonl" in out


def test_json_and_nothing_else(run, small, pretend):
    pretend(finish_all)
    code, out, _ = run("sweep", small, "--json")
    assert code == 0
    told = json.loads(out)
    assert told["num_records"] == 12
    assert {"cell": "demo htgn none zeros", "auc": pytest.approx(0.56), "num_runs": 2} in told["cells"]
    assert told["failures"] == told["empty_cells"] == told["dropped"] == []


def test_an_empty_cell_is_exit_code_1_and_failures_have_reasons(run, small, pretend):
    cell = Cell("demo", "htgn", "none", "zeros")

    def fail(spec, progress):
        progress.note("dropped: demo slate none zeros, seed 0")
        run = spec.config(cell, 0)
        progress.failed(run, "no memory [left]", will_retry=True)
        progress.failed(run, "no memory [left]", will_retry=False)
        failure = Failure(digest="d", cell=cell, seed=0, reason="no memory [left]", kind="memory", attempts=2)
        return SweepResult(folder=Path("f"), records=(), failures=(failure,), empty_cells=(cell,))

    pretend(fail)
    code, out, err = run("sweep", small)
    assert code == 1
    assert "dropped: demo slate none zeros, seed 0" in err
    assert "demo htgn none zeros seed 0: tried again: no memory [left]" in err
    assert "demo htgn none zeros seed 0: failed: no memory [left]" in err
    assert "failed demo htgn none zeros seed 0 after 2 attempts: no memory [left]" in out
    assert "empty demo htgn none zeros" in out
    code, out, _ = run("sweep", small, "--json")
    assert code == 1
    assert json.loads(out)["empty_cells"] == ["demo htgn none zeros"]
    assert json.loads(out)["failures"][0]["kind"] == "memory"


def test_stopped_by_ctrl_c_it_tells_how_to_go_on(run, small, pretend):
    def stop(spec, progress):
        raise KeyboardInterrupt

    asked = pretend(stop)
    options = [
        "--storage-path",
        "my sweeps",
        "--gpus-per-trial",
        "0.5,slate=1",
        "--max-failures",
        "0",
        "--pack",
        "4",
        "--json",
    ]
    code, _, err = run("sweep", small, *options)
    assert code == 130
    first = dict(asked)
    words = shlex.split(err.splitlines()[-1])
    assert words[:2] == ["supra", "sweep"]
    assert words[words.index("--pack") + 1] == "4"
    # The command it tells asks for the same, and to go on.
    assert run(*words[1:])[0] == 130
    del first["progress"], asked["progress"]
    assert asked == first | {"resume": True}


def test_an_error_in_the_middle_tells_how_to_go_on(run, small, pretend):
    def fail(spec, progress):
        config = spec.runs()[0]
        progress.finished(config, record_of(config))
        raise ExperimentError("records.jsonl: cannot be written (No space left on device)")

    pretend(fail)
    code, _, err = run("sweep", small)
    assert code == 2
    assert "To go on: supra sweep" in err
    assert err.splitlines()[-1] == "error: records.jsonl: cannot be written (No space left on device)"


@pytest.mark.parametrize(
    ("options", "htgn", "slate"),
    [
        ([], (1, 0.5), (1, 1)),
        (["--cpus-per-trial", "2"], (2, 0.5), (2, 1)),
        (["--gpus-per-trial", "0.25"], (1, 0.25), (1, 0.25)),
        (["--gpus-per-trial", "0.25,slate=2"], (1, 0.25), (1, 2)),
        (["--cpus-per-trial", "htgn=4"], (4, 0.5), (1, 1)),
        (["--cpus-per-trial", "3,slate=4", "--gpus-per-trial", "0"], (3, 0), (4, 0)),
    ],
)
def test_options_win_over_the_file_s_resources(run, small, pretend, options, htgn, slate):
    small.write_text(SMALL + "[resources]\ngpus = 0.5\n[resources.slate]\ngpus = 1")
    asked = pretend(finish_all)
    assert run("sweep", small, *options)[0] == 0
    assert asked["resources"].of("htgn") == Resources(*htgn)
    assert asked["resources"].of("slate") == Resources(*slate)
