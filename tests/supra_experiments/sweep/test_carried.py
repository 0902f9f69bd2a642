"""Settings carried over to a dataset without a search of its own."""

import dataclasses

import pytest

from supra_core import generators
from supra_experiments.datasets import load
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.plan import compare, hold_out
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.trial import Best

from .searches import trial_of

SPEC = SweepSpec.from_toml("""
mode = "search"
datasets = ["as733", "enron10", "dblp"]
models = ["grugcn", "htgn"]
encodings = ["none", "slpe-e"]
features = "zeros"
seeds = [3, 4]
num_trials = 2
criterion = "held_out_auc"
baselines = false
[by_dataset.as733]
dropout = 0.25
[search]
lr = {low = 1e-4, high = 1e-1, log = true}
dropout = {low = 0.0, high = 0.5}
[carry]
as733 = ["enron10", "dblp"]
""")
CARRIED = Cell("as733", "htgn", "slpe-e", "zeros")
FIRST, SECOND = (dataclasses.replace(CARRIED, dataset=name) for name in ("enron10", "dblp"))


def search_of(spec: SweepSpec = SPEC) -> Search:
    return Search.of(spec, dict.fromkeys(spec.datasets, "graph"))


def run_all(search: Search, gains: dict[Cell, float]) -> dict[Cell, dict]:
    """Let every second trial gain so much over the first; the settings of the second trials."""
    second = {}
    for (run,) in iter(search.next, None):
        cell = Cell.of(run.config)
        score = 0.5 + (gains.get(cell, -0.1) if run.settings else 0.0)
        search.ended(run, epochs=3, best=Best(score, 3), seconds=2.0)
        if run.settings:
            second[cell] = dict(run.settings)
    return second


@pytest.mark.parametrize("criterion", ["held_out_auc", "train_loss"])
@pytest.mark.parametrize(
    ("gains", "source"),
    [
        ({FIRST: 0.1, SECOND: 0.2}, SECOND),
        ({FIRST: 0.2, SECOND: 0.1}, FIRST),
        ({FIRST: 0.1, SECOND: 0.1}, FIRST),
        ({FIRST: -0.1, SECOND: 0.1}, SECOND),
        ({FIRST: -0.1, SECOND: -0.2}, None),
    ],
)
def test_what_gained_most_is_carried_over(criterion, gains, source):
    search = search_of(dataclasses.replace(SPEC, criterion=criterion))
    settings = run_all(search, gains)
    runs = [run for (cell, _), run in search.runs().items() if cell == CARRIED]
    # The dataset's own dropout is not searched.
    given = {} if source is None else {"lr": settings[source]["lr"]}
    assert runs == [SPEC.config(CARRIED, seed, **given) for seed in (3, 4)]
    assert {run.model.dropout for run in runs} == {0.25}
    found = search.found(CARRIED)
    assert (found.criterion, found.num_trials, found.seconds) == (criterion, 0, 0.0)
    assert found.carried_from == (source or FIRST).dataset
    assert search.found(FIRST).carried_from is None


def test_it_has_no_trials_and_is_tested_once_as_soon_as_all_it_waits_for_are_over():
    search = search_of()
    assert search.num_trials == SPEC.num_searches == 2 * 8
    assert {cell.dataset for cell in search.cells} == {"enron10", "dblp"}
    tested = []
    for (run,) in iter(search.next, None):
        assert run.config.data.dataset != "as733"
        search.ended(run, epochs=3, best=Best(0.5, 3))
        tested += [
            [(run.data.dataset, run.model.name) for run in runs] for runs in [search.newly_over()] if runs
        ]
    own = 2 * 2  # encodings, seeds
    assert tested == [
        [("enron10", "grugcn")] * own,
        [("enron10", "htgn")] * own,
        [*[("dblp", "grugcn")] * own, *[("as733", "grugcn")] * own],
        [*[("dblp", "htgn")] * own, *[("as733", "htgn")] * own],
    ]
    assert search.is_over
    assert search.newly_over() == []
    assert set(search.runs()) == set(SPEC.pairs())


def test_sources_that_the_sweep_does_not_have_are_left_out():
    spec = SweepSpec.from_toml("""
        mode = "search"
        [search]
        lr = [0.1, 0.01]
        [carry]
        as733 = ["enron10", "dblp"]
        [[block]]
        datasets = ["as733", "dblp"]
        models = ["grugcn", "htgn"]
        [[block]]
        datasets = "enron10"
        models = "grugcn"
    """)
    sources = {cell.model: [other.dataset for other in spec.sources(cell)] for cell in spec.cells[:2]}
    assert sources == {"grugcn": ["enron10", "dblp"], "htgn": ["dblp"]}
    assert not any(spec.sources(cell) for cell in spec.cells[2:])


def test_a_search_in_which_all_failed_gives_nothing():
    search = search_of()
    for (run,) in iter(search.next, None):
        search.ended(run)
    assert search.found(CARRIED) is None
    assert search.runs()[CARRIED, 3] == SPEC.config(CARRIED, 3)


def test_trials_from_when_it_was_searched_do_not_count():
    searched = search_of(dataclasses.replace(SPEC, carry={}))
    own = trial_of(searched.cells[CARRIED].ask(), value=0.9)
    other = trial_of(searched.cells[FIRST].ask(), value=0.9)
    assert list(search_of().recall([own, other])) == [other]


def test_its_snapshots_are_not_held_out():
    few = dataclasses.replace(load("demo"), graph=generators.barabasi_albert(9, 2, m=1, seed=0))
    datasets = {"as733": few, "enron10": load("demo"), "dblp": load("demo")}
    assert set(hold_out(SPEC, datasets)) == {"enron10", "dblp"}


def test_other_sources_are_other_runs():
    changed = compare(SPEC, dataclasses.replace(SPEC, carry={"as733": ("dblp",)}))
    assert (
        {cell.dataset for cell, _ in changed.new}
        == {"as733"}
        == {cell.dataset for cell, _ in changed.dropped}
    )
    assert len(changed.new) == len(changed.dropped) == 8
    assert compare(SPEC, SPEC).lines() == ()
