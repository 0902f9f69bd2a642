"""What is committed under ``results/`` is of one piece: records, page, and the cells that the package has."""

import dataclasses
import hashlib
import importlib.util
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

from supra_experiments.analysis import agreement, compare, main_side, paper_cells, runs
from supra_experiments.analysis.advice import study_cells
from supra_experiments.cli.main import main
from supra_experiments.config import Config
from supra_experiments.datasets import load
from supra_experiments.protocol.evaluation import make_split
from supra_experiments.report.figures import FIGURES, registry
from supra_experiments.report.records import read_inputs
from supra_experiments.report.study import Study
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.record import read_records

from ..supra_experiments.helpers import REAL, needs_data

RESULTS = Path(__file__).parents[2] / "results"
LARGEST = 8 * 2**20


@pytest.fixture(scope="module")
def records():
    return list(read_inputs([RESULTS]).records.values())


DIGESTS = {
    "earlier/as733-egcn.jsonl.gz": "c5a138972d559e4c",
    "earlier/as733.jsonl.gz": "7ff287484207e0de",
    "earlier/canparl.jsonl.gz": "8f9947507913978f",
    "earlier/records.jsonl.gz": "6a393c4b0b0e2ab5",
    "earlier/slate.jsonl.gz": "84a783a66964187a",
    "earlier/slate-unit.jsonl.gz": "20e8208acf21b483",
    "held_out/egcn.jsonl.gz": "c85cd03c2784419d",
    "held_out/encodings.jsonl.gz": "61fd7c75110305b7",
    "held_out/grugcn.jsonl.gz": "d8e11f9e87b9e941",
    "held_out/slate.jsonl.gz": "adeb7b6e26840c59",
    "persistent/records.jsonl.gz": "a367100b2136e781",
    "earlier/slate-none.jsonl.gz": "ae30156e44b46b48",
    "slate.jsonl.gz": "a5736453bec84315",
}
"""Of each file: a hash of the digests of its records, as they were when settings were one flat class."""


@pytest.mark.parametrize("name", DIGESTS)
def test_records_keep_the_digests_by_which_sweeps_know_them(name):
    found = [record.config.digest for record in read_records(RESULTS / name)]
    assert hashlib.sha256("\n".join(found).encode()).hexdigest()[:16] == DIGESTS[name]


def test_records_are_small_enough_to_commit():
    sizes = [path.stat().st_size for path in RESULTS.rglob("*.jsonl.gz")]
    assert sizes
    assert sum(sizes) < LARGEST


def test_the_package_ships_the_cells_of_the_study(records):
    expected = main_side(runs(records)).cells
    keys = ["dataset", "model", "features", "pe"]
    found = study_cells().set_index(keys).sort_index()
    pd.testing.assert_frame_equal(found, expected.set_index(keys).sort_index(), check_dtype=False, rtol=1e-5)


PLANS = [*sorted((RESULTS / "specs").glob("*.toml")), *sorted((RESULTS / "earlier").glob("*.toml"))]


@pytest.mark.parametrize("path", PLANS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_run_that_was_planned_has_its_record(path, records):
    earlier = read_records(sorted((RESULTS / "earlier").glob("*.jsonl.gz")))
    there = {record.config.digest for record in (*records, *earlier)}
    planned = SweepSpec.read(path).runs()
    assert planned
    assert [config for config in planned if config.digest not in there] == []


def test_the_page_says_what_the_records_say(records):
    page = (RESULTS / "README.md").read_text(encoding="utf-8")
    assert int(re.search(r"^([\d,]+) runs on", page, re.MULTILINE)[1].replace(",", "")) == len(records)
    found = agreement(compare(main_side(runs(records)).cells, paper_cells())).iloc[0]
    assert f"{found.num_reproduced:.0f} of the {found.num_cells:.0f} cells that were run" in page


@pytest.mark.long
@needs_data
def test_the_page_is_what_the_readme_says_makes_it(tmp_path, monkeypatch):
    """The command as it is printed, but for where its output goes, and without drawing."""
    readme = (RESULTS.parent / "packages" / "experiments" / "README.md").read_text(encoding="utf-8")
    [line] = re.findall(r"^supra (report results .*)$", readme, re.MULTILINE)
    arguments = shlex.split(line)
    for option, path in (("-o", tmp_path), ("--markdown", tmp_path / "README.md")):
        arguments[arguments.index(option) + 1] = str(path)
    undrawn = {
        name: dataclasses.replace(spec, draw=lambda *given, theme: None) for name, spec in FIGURES.items()
    }
    monkeypatch.setattr(registry, "FIGURES", undrawn)
    monkeypatch.setattr(registry, "save", lambda *figure: ("<svg/>", "<svg/>"))
    monkeypatch.chdir(RESULTS.parent)
    assert main([*arguments, "--data-root", str(REAL)]) == 0
    pages = [(folder / "README.md").read_text(encoding="utf-8") for folder in (tmp_path, RESULTS)]
    # How eigenvectors of equal eigenvalues are mixed depends on the machine.
    made, committed = ([line for line in page.splitlines() if "smoothness" not in line] for page in pages)
    assert made == committed


def script(folder, name):
    """A script beside records."""
    spec = importlib.util.spec_from_file_location(name, RESULTS / folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def held_out():
    """The script beside the held-out records."""
    return script("held_out", "choose")


@pytest.mark.parametrize("name", held_out().NAMES)
def test_held_out_tables_are_those_of_their_records(name, capsys):
    """Every run that a file asks for was run, and the page says how well."""
    comparison = held_out().Comparison(name)
    done = comparison.read()
    asked = [
        config
        for settings in comparison.settings().values()
        for dataset in comparison.spec["datasets"]
        for config in comparison.runs(settings, dataset)
    ]
    assert asked
    assert set(asked) == set(done)
    comparison.table()
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    page = (RESULTS / "held_out" / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(rows) > 2
    assert [row for row in rows if row not in page] == []


@needs_data
@pytest.mark.parametrize("name", held_out().NAMES)
def test_nothing_held_out_is_of_the_test(name):
    comparison = held_out().Comparison(name)
    for dataset in comparison.spec["datasets"]:
        whole = load(dataset, root=REAL)
        published = make_split(Config(dataset=dataset), whole)
        assert comparison.cut(whole).graph.num_snapshots <= min(published.test)


def test_the_page_on_the_search_says_what_its_trials_and_records_say(capsys):
    """Every cell had all its trials, and what was best of those that came to their end is what was tested."""
    table = script("searched", "table")
    table.show()
    rows = capsys.readouterr().out.splitlines()
    page = (RESULTS / "searched" / "README.md").read_text(encoding="utf-8").splitlines()
    assert [row for row in rows if row not in page] == []
    found = table.found()
    assert [each.cell for each in found] == list(table.SPEC.cells)
    for each in found:
        assert len(each.trials) == table.SPEC.trials(each.cell)
        assert each.gain >= 0
        for record in each.records:
            assert record.searched.num_trials == len(each.trials)
            assert (record.searched.carried_from is None) == bool(each.trials)
            assert record.searched.criterion == "held_out_auc"


def test_the_page_on_the_earlier_search_says_what_its_trials_and_records_say(capsys):
    """Every cell had all its trials, and what was best is what was tested."""
    table = script("earlier/searched", "table")
    table.main()
    rows = capsys.readouterr().out.splitlines()
    page = (RESULTS / "earlier" / "searched" / "README.md").read_text(encoding="utf-8").splitlines()
    assert [row for row in rows if row not in page] == []
    found = table.searched()
    assert len(found) == len(table.SPEC.cells) == 42
    for each in found:
        assert each.record.searched.num_trials == table.SPEC.num_trials
        assert each.record.searched.criterion == "held_out_auc"
        assert each.best >= each.first


def test_a_report_of_history_keeps_its_models_and_settings_apart():
    study = Study.of(read_inputs([RESULTS / "history" / "test.jsonl.gz"]))
    assert study.compared.empty  # the paper has no such model
    models = {name for name in study.learned["model"] if "," in name}
    assert {"grugcn, next", "grugcn, history", "htgn, next", "htgn, history"} < models
    assert {name.split(",")[0] for name in models if "_" in name} >= {"logistic", "boosting", "blend"}
    on_as733 = study.learned[study.learned["dataset"] == "as733"]
    scores = on_as733[on_as733["model"].str.startswith(("logistic", "boosting", "blend"))]
    assert scores["num_runs"].tolist() == [3] * len(scores) != []  # of 3 seeds, whatever chose the settings


@needs_data
def test_the_page_on_history_says_what_its_records_say(capsys, monkeypatch):
    """And what chose the settings has no snapshot of the test."""
    monkeypatch.setenv("SUPRA_DATA", str(REAL))
    monkeypatch.syspath_prepend(RESULTS / "history")
    study, tables = importlib.import_module("study"), importlib.import_module("tables")
    tables.main()
    importlib.import_module("searched").show()
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    page = (RESULTS / "history" / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(rows) > 100
    assert [row for row in rows if row not in page] == []
    training = {}
    for name in study.SPEC["datasets"]:
        graph = load(name, root=REAL).graph
        num_train = make_split(Config(dataset=name), load(name, root=REAL)).num_train
        training[name] = graph.window(num_train - 1, num_train).digest
    found = {(each.config.data.dataset, each.graph_digest) for each in study.HELD_OUT.found.values()}
    assert found == set(training.items())
