"""A sweep's folder of an earlier version, stopped in the middle of its runs: read and gone on with unchanged.

It was written by commit 412c513: a search in four cells of the demo dataset, two of them of "egcn", the old
name of "egcn-h"; all 12 trials are over, 9 of 12 runs have a record, and one was given up for lack of memory.
"""

import shutil
from pathlib import Path

import pytest

from supra_experiments.datasets import load
from supra_experiments.sweep.journal import FAILURES, RECORDS, SEARCH, SPEC, Journal
from supra_experiments.sweep.plan import compare
from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.ray.run import run_sweep
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.spec import SweepSpec

SAMPLE = Path(__file__).parents[2] / "samples" / "sweep_before"
FILES = (RECORDS, SEARCH, FAILURES, SPEC)


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(SAMPLE, tmp_path / "before"))


@pytest.fixture
def spec():
    return SweepSpec.read(SAMPLE / SPEC)


def test_all_of_it_is_read_and_nothing_is_touched(folder, spec):
    digest = load("demo").graph.digest
    with Journal(folder) as journal:
        assert journal.notes == []
        assert compare(journal.spec, spec).lines() == ()
        search = Search.of(spec, {"demo": digest})
        assert tuple(search.recall(journal.search_trials)) == journal.search_trials
        assert len(journal.search_trials) == search.num_trials == 12
        assert search.is_over
        found = [
            *spec.baseline_runs(),
            *(run for own in search.cells.values() for run in own.runs().values()),
        ]
        kept = [run for run in found if journal.get(run, digest) is not None]
        assert (len(found), len(kept)) == (12, 9)
        assert {run.digest for run in kept} == {record.config.digest for record in journal.records}
        [failure] = journal.failures
        assert failure.digest in {run.digest for run in found} - {run.digest for run in kept}
    assert all((folder / name).read_bytes() == (SAMPLE / name).read_bytes() for name in FILES)


@pytest.mark.cluster
@pytest.mark.long
def test_it_goes_on_with_what_is_left(folder, spec, two_nodes):
    events = []
    result = run_sweep(
        spec,
        storage_path=folder.parent,
        address=two_nodes.address,
        resume=True,
        progress=SweepProgress(on_event=events.append),
    )
    kinds = [event.kind for event in events]
    assert kinds.count("kept") == 12 + 9
    assert kinds.count("finished") == 3
    assert "note" not in kinds
    assert len(result.records) == 12
    assert result.failures == result.empty_cells == ()
    before, after = ((place / RECORDS).read_text().splitlines() for place in (SAMPLE, folder))
    assert (after[:9], len(after)) == (before, 12)
    assert (folder / SEARCH).read_bytes() == (SAMPLE / SEARCH).read_bytes()
