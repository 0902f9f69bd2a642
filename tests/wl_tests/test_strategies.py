"""The strategies keep their bounds, reach what they should, and shrink to small things."""

import itertools

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from supra_core import InvalidArgumentError
from wl_tests import distinguishes, layer_wl, relabel, supra_wl
from wl_tests.strategies import node_relabelings, temporal_graph_pairs, temporal_graphs

from .oracles import edge_sets, isomorphic_by_brute_force, make


@given(data=st.data(), bounds=st.tuples(*(st.integers(1, 4) for _ in range(4)), st.integers(0, 6)))
def test_graphs_keep_their_bounds(data, bounds):
    (a, b), (c, d), e = sorted(bounds[:2]), sorted(bounds[2:4]), bounds[4]
    graph = data.draw(
        temporal_graphs(
            min_nodes=a,
            max_nodes=b,
            min_snapshots=c,
            max_snapshots=d,
            max_edges=e,
            min_weight=2,
            max_weight=3,
        )
    )
    assert a <= graph.num_nodes <= b
    assert c <= graph.num_snapshots <= d
    assert graph.num_edges <= e
    assert set(graph.weight.tolist()) <= {2, 3}


@given(graph=temporal_graphs(max_nodes=3, max_snapshots=2, min_edges=6))
def test_min_edges_grows_the_graph_as_needed(graph):
    assert (graph.num_nodes, graph.num_snapshots, graph.num_edges) == (3, 2, 6)


@given(pair=temporal_graph_pairs(kinds=["isomorphic"], max_nodes=5))
def test_isomorphic_pairs_are(pair):
    assert isomorphic_by_brute_force(*pair)


@given(pair=temporal_graph_pairs(kinds=["moved_edge"], max_nodes=4, max_snapshots=2, max_edges=5))
def test_moved_edge_pairs_differ_by_one_edge_up_to_names(pair):
    g, h = pair
    assert 1 <= g.num_edges == h.num_edges <= 5

    def total(x):
        return {(u, v, t) for t, layer in enumerate(edge_sets(x)) for u, v in layer}

    gaps = [len(total(g) - total(relabel(h, p))) for p in itertools.permutations(range(g.num_nodes))]
    assert min(gaps) <= 1  # none where the edge moved to where a renaming would have put it


@given(pair=temporal_graph_pairs(min_nodes=2, max_nodes=3, min_snapshots=2, max_snapshots=3, max_edges=2))
def test_pairs_have_the_same_sizes(pair):
    g, h = pair
    assert (g.num_nodes, g.num_snapshots) == (h.num_nodes, h.num_snapshots)
    assert 2 <= g.num_nodes <= 3
    assert 2 <= g.num_snapshots <= 3
    assert max(g.num_edges, h.num_edges) <= 2


@given(names=node_relabelings(num_nodes=5))
def test_relabelings_are_permutations(names):
    assert sorted(names.tolist()) == [0, 1, 2, 3, 4]


def smallest(strategy, condition):
    quiet = settings(
        max_examples=4000, database=None, suppress_health_check=list(HealthCheck), derandomize=True
    )
    return find(strategy, condition, settings=quiet)


def test_graphs_shrink_to_few_nodes_snapshots_and_edges():
    graph = smallest(temporal_graphs(), lambda g: True)
    assert (graph.num_nodes, graph.num_snapshots, graph.num_edges) == (1, 1, 0)
    graph = smallest(temporal_graphs(max_nodes=8), lambda g: g.num_edges >= 2 and g.num_snapshots >= 2)
    assert (graph.num_snapshots, graph.num_edges) == (2, 2)
    assert graph.num_nodes <= 3


def test_pairs_shrink_to_the_smallest_pair_that_separates_the_tests():
    def separates(pair):
        return distinguishes(supra_wl, *pair) and not distinguishes(layer_wl, *pair)

    g, h = smallest(temporal_graph_pairs(), separates)
    assert (g.num_nodes, g.num_snapshots, g.num_edges) == (3, 2, 2)
    assert h.num_edges == 2


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: temporal_graphs(min_nodes=0), "min_nodes=0: must be an integer >= 1"),
        (lambda: temporal_graphs(min_nodes=5, max_nodes=4), "min_nodes=5: must be at most max_nodes=4"),
        (lambda: temporal_graphs(max_snapshots=True), "max_snapshots=True"),
        (
            lambda: temporal_graphs(max_nodes=2, max_snapshots=3, min_edges=4),
            "min_edges=4: must be at most 3",
        ),
        (lambda: temporal_graphs(max_edges=-1), "max_edges=-1"),
        (lambda: temporal_graphs(min_weight=0), "min_weight=0"),
        (lambda: temporal_graph_pairs(kinds=[]), "kinds="),
        (lambda: temporal_graph_pairs(kinds=["same"]), "kinds="),
        (lambda: temporal_graph_pairs(kinds="isomorphic"), "kinds='isomorphic'"),
        (lambda: temporal_graph_pairs(kinds=["moved_edge"], max_nodes=1), "max_nodes=1"),
        (lambda: node_relabelings(num_nodes=0), "num_nodes=0"),
    ],
)
def test_bad_bounds_are_refused_by_name(call, says):
    with pytest.raises(InvalidArgumentError, match=says):
        call()


def test_all_arguments_are_keyword_only():
    for strategy in (temporal_graphs, temporal_graph_pairs, node_relabelings):
        with pytest.raises(TypeError):
            strategy(3)


@pytest.mark.parametrize("bad", [[0, 0, 1], [0, 1], [0, 1, 3], [[0, 1, 2]], ["a", "b", "c"]])
def test_relabel_takes_permutations_only(bad):
    with pytest.raises(InvalidArgumentError, match="permutation="):
        relabel(make([(0, 1, 0)], 3, 1), bad)
