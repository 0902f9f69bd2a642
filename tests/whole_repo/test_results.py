"""What is committed under ``results/`` is of one piece: records, page, and the cells that the package has."""

import re
from pathlib import Path

import pandas as pd
import pytest

from supra_experiments.analysis import agreement, cells, compare, paper_cells, runs
from supra_experiments.analysis.evidence import study_cells
from supra_experiments.report.records import read_inputs
from supra_experiments.sweep.spec import SweepSpec

RESULTS = Path(__file__).parents[2] / "results"
LARGEST = 5 * 2**20


@pytest.fixture(scope="module")
def records():
    return list(read_inputs([RESULTS]).records.values())


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
