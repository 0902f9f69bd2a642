"""Trials that are behind are stopped, each cell for itself."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_experiments.config.training import Training
from supra_experiments.sweep.halving import Halving, milestones

SCORES = st.lists(st.floats(-10, 10) | st.just(-math.inf), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("min_epochs", "max_epochs", "expected"),
    [
        (0, 1, ()),
        (0, 5, (1, 3)),
        (1, 2, (1,)),
        (10, 10, (1, 3, 9)),
        (100, 10, (1, 3, 9)),
        (100, 100, (10, 30, 90)),
        (100, 500, (10, 30, 90, 270)),
        (500, 500, (50, 150, 450)),
        (151, 1000, (16, 48, 144, 432)),
    ],
)
def test_milestones_begin_at_a_tenth_of_the_fewest_and_end_before_the_last_epoch(
    min_epochs, max_epochs, expected
):
    assert milestones(Training(min_epochs=min_epochs, max_epochs=max_epochs)) == expected


@given(SCORES)
def test_who_goes_on_is_among_the_best_third_so_far(scores):
    halving = Halving()
    for place, score in enumerate(scores):
        ranked = sorted(scores[: place + 1], reverse=True)
        best_third = ranked[: math.ceil(len(ranked) / 3)]
        assert halving.goes_on("cell", place, 50, score) == (score >= best_third[-1])


@given(SCORES, st.integers(0, 29))
def test_a_trial_that_comes_again_counts_once(scores, again):
    halving, other = Halving(), Halving()
    for place, score in enumerate(scores):
        halving.goes_on("cell", place, 50, score)
        other.goes_on("cell", place, 50, score)
        if place == again:
            halving.goes_on("cell", place, 50, score)
    assert halving.goes_on("cell", "last", 50, 0.0) == other.goes_on("cell", "last", 50, 0.0)


def test_cells_and_milestones_do_not_compete():
    halving = Halving()
    for score in range(9):
        halving.goes_on("one", score, 50, 10.0 + score)
    assert not halving.goes_on("one", "new", 50, 1.0)
    assert halving.goes_on("other", "new", 50, 1.0)
    assert halving.goes_on("one", "new", 150, 1.0)


@given(SCORES, SCORES)
def test_what_is_known_from_before_counts_as_if_it_came_now(before, now):
    resumed = Halving(("cell", f"before {place}", 50, score) for place, score in enumerate(before))
    all_at_once = Halving()
    for place, score in enumerate(before):
        all_at_once.goes_on("cell", f"before {place}", 50, score)
    for place, score in enumerate(now):
        assert resumed.goes_on("cell", place, 50, score) == all_at_once.goes_on("cell", place, 50, score)
