"""What is committed under ``results/`` is of one piece: records, page, and the cells that the package has."""

import importlib.util
import re
from pathlib import Path

import pandas as pd
import pytest

from supra_experiments.analysis import cells, paper_cells, runs
from supra_experiments.analysis.compare import agreement, compare
from supra_experiments.analysis.evidence import study_cells
from supra_experiments.config import Config
from supra_experiments.datasets import load
from supra_experiments.evaluation import make_split
from supra_experiments.report.inputs import read_inputs
from supra_experiments.sweeping.spec import SweepSpec

from ..supra_experiments.helpers import REAL, needs_data

RESULTS = Path(__file__).parents[2] / "results"
LARGEST = 5 * 2**20


@pytest.fixture(scope="module")
def records():
    return read_inputs(sorted(RESULTS.glob("*.jsonl.gz"))).records


def test_records_are_small_enough_to_commit():
    sizes = [path.stat().st_size for path in RESULTS.rglob("*.jsonl.gz")]
    assert sizes
    assert sum(sizes) < LARGEST


def test_the_package_ships_the_cells_of_the_study(records):
    expected = cells(runs(records))
    keys = ["dataset", "model", "features", "pe"]
    found = study_cells().set_index(keys).sort_index()
    pd.testing.assert_frame_equal(found, expected.set_index(keys).sort_index(), check_dtype=False, rtol=1e-5)


@pytest.mark.parametrize("path", sorted((RESULTS / "specs").glob("*.toml")), ids=lambda path: path.stem)
def test_every_run_that_was_planned_has_its_record(path, records):
    there = {record.config.digest for record in records}
    planned = SweepSpec.read(path).runs()
    assert planned
    assert [config for config in planned if config.digest not in there] == []


def test_the_page_says_what_the_records_say(records):
    page = (RESULTS / "README.md").read_text(encoding="utf-8")
    assert int(re.search(r"^([\d,]+) runs on", page, re.MULTILINE)[1].replace(",", "")) == len(records)
    found = agreement(compare(cells(runs(records)), paper_cells())).iloc[0]
    assert f"{found.num_reproduced:.0f} of the {found.num_cells:.0f} cells that were run" in page


def held_out():
    """The script beside the held-out records."""
    path = RESULTS / "held_out" / "choose.py"
    spec = importlib.util.spec_from_file_location("choose", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
