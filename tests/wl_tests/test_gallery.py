"""The gallery holds what it says."""

import pytest

from supra_core import InvalidArgumentError
from wl_tests import distinguishes, gallery, layer_wl, supra_wl

from .oracles import isomorphic_by_vf2

PAIRS = [
    *gallery.pairs(),
    *(gallery.distant_edge(T) for T in range(2, 10)),
    *(gallery.long_paths(length) for length in (1, 2, 3, 4, 9, 33)),
    gallery.cycles(3),
    gallery.cycles(5, 3),
    gallery.prism_and_utility(),
    gallery.rook_and_shrikhande(),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: f"{p.name}-{p.first.num_nodes}x{p.first.num_snapshots}")
def test_verdicts_are_as_stated(pair):
    for test, stated in ((layer_wl, pair.layer_round), (supra_wl, pair.supra_round)):
        verdict = distinguishes(test, pair.first, pair.second)
        assert verdict.round == stated
        assert verdict.stable


@pytest.mark.parametrize(
    "pair", PAIRS[:-1], ids=lambda p: f"{p.name}-{p.first.num_nodes}x{p.first.num_snapshots}"
)
def test_no_pair_is_isomorphic(pair):
    assert pair.first.num_edges == pair.second.num_edges
    assert not isomorphic_by_vf2(pair.first, pair.second)


def test_the_separating_pair_is_the_same_edge_twice_against_two_that_share_a_node():
    pair = gallery.moved_edge()
    for graph in (pair.first, pair.second):
        assert (graph.num_nodes, graph.num_snapshots, graph.num_edges) == (3, 2, 2)
    ends = [
        [set(e) for e in zip(g.source.tolist(), g.target.tolist(), strict=True)]
        for g in (pair.first, pair.second)
    ]
    assert ends[0][0] == ends[0][1]
    assert len(ends[1][0] & ends[1][1]) == 1


def test_long_paths_need_as_many_rounds_as_asked_for():
    pair = gallery.long_paths(200)
    assert distinguishes(supra_wl, pair.first, pair.second).round == 101


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: gallery.distant_edge(1), "num_snapshots=1: must be an integer >= 2"),
        (lambda: gallery.cycles(2), "length=2"),
        (lambda: gallery.cycles(3, 0), "num_snapshots=0"),
        (lambda: gallery.long_paths(0), "length=0"),
        (lambda: gallery.long_paths(2.0), "length=2.0"),
    ],
)
def test_bad_sizes(build, says):
    with pytest.raises(InvalidArgumentError, match=says):
        build()
