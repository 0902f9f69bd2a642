"""Colourings, verdicts, histograms, and how they present themselves."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import InvalidArgumentError
from wl_tests import Verdict, distinguishes, gallery, layer_wl, refines, supra_wl
from wl_tests.strategies import temporal_graph_pairs

from .oracles import flat, make

PAIR = gallery.moved_edge()


@given(pair=temporal_graph_pairs())
def test_histogram_and_parting_round_are_what_counting_says(pair):
    for test in (supra_wl, layer_wl):
        colouring = test(*pair)
        parted = None
        for r, (a, b) in enumerate(colouring.rounds):
            counts = Counter(a.ravel().tolist()), Counter(b.ravel().tolist())
            assert (colouring.histogram(0, r), colouring.histogram(1, r)) == counts
            if parted is None and counts[0] != counts[1]:
                parted = r
        assert colouring.parting_round(0, 1) == colouring.parting_round(1, 0) == parted
        assert distinguishes(test, *pair).round == parted


def test_graphs_of_different_sizes_part_at_once():
    assert distinguishes(supra_wl, make([], 2, 1), make([], 3, 1)).round == 0


def test_any_number_of_graphs():
    graphs = [PAIR.first, PAIR.second, PAIR.first]
    colouring = supra_wl(*graphs)
    assert colouring.num_graphs == 3
    assert colouring.parting_round(0, 1) == 2
    assert colouring.parting_round(0, 2) is None
    assert colouring.verdict(1, 2).round == 2


@given(pair=temporal_graph_pairs(), rounds=st.integers(0, 4))
def test_max_rounds_stops_early_and_says_so(pair, rounds):
    whole, part = supra_wl(*pair), supra_wl(*pair, max_rounds=rounds)
    assert part.num_rounds == min(rounds, whole.num_rounds)
    assert part.stable == (rounds >= whole.num_rounds)
    for a, b in zip(part.rounds, whole.rounds, strict=False):
        assert flat(a) == flat(b)


def test_rounds_is_a_sequence():
    rounds = supra_wl(PAIR.first, PAIR.second).rounds
    assert len(rounds) == 4
    assert flat(rounds[-1]) == flat(rounds[3]) == flat(rounds[2:][1])
    assert [len(r) for r in rounds] == [2] * 4
    for r in (4, -5):
        with pytest.raises(IndexError):
            rounds[r]
    assert repr(rounds) == "Rounds(4 rounds of 2 graphs)"


def test_at_goes_on_for_ever_only_where_stable():
    stable, stopped = supra_wl(PAIR.first), supra_wl(PAIR.second, max_rounds=1)
    assert flat(stable.at(100)) == flat(stable.rounds[-1])
    with pytest.raises(InvalidArgumentError, match="r=2: must be at most 1"):
        stopped.at(2)
    for bad in (-1, 0.5, True):
        with pytest.raises(InvalidArgumentError, match="r="):
            stable.num_colours(bad)
    for bad in (1, -1, True):
        with pytest.raises(InvalidArgumentError, match="g="):
            stable.histogram(bad)


def test_reprs():
    assert repr(supra_wl(PAIR.first)) == (
        "Colouring(supra_wl, 1 graph, 6 supra-nodes, colours by round 1 → 4, stable)"
    )
    long = gallery.long_paths(20)
    assert "1 → 2 → 3 → 4 → … → " in repr(layer_wl(long.first))
    assert "stopped at max_rounds=0" in repr(supra_wl(PAIR.first, max_rounds=0))


def test_a_verdict_reads_well():
    said = distinguishes("supra", PAIR.first, PAIR.second)
    assert bool(said)
    assert str(said) == "supra_wl: distinguished at round 2"
    unsaid = distinguishes("layer", PAIR.first, PAIR.second)
    assert not unsaid
    assert unsaid == Verdict(False, None, num_rounds=1, stable=True, test="layer_wl")
    assert str(unsaid) == "layer_wl: inconclusive (stable after 1 round, equal multisets of colours)"
    stopped = distinguishes("supra", PAIR.first, PAIR.second, max_rounds=0)
    assert str(stopped) == "supra_wl: inconclusive (stopped after 0 rounds, not stable yet)"


def test_refines_on_hand_made_rounds():
    fine, coarse = [np.array([[0, 1], [2, 2]])], [np.array([[5, 5], [6, 6]])]
    assert refines(fine, coarse)
    assert not refines(coarse, fine)
    assert refines(fine, fine)
    assert refines([], [])
    with pytest.raises(InvalidArgumentError, match="coarse="):
        refines(fine, [np.zeros((3, 2))])
