"""The refinement against slow implementations written from the equations, and against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from wl_tests import distinguishes, gallery, layer_wl, supra_wl
from wl_tests.strategies import temporal_graph_pairs

from .drawn import decorated_pairs, forest_pairs
from .oracles import (
    flat,
    interned_rounds,
    isomorphic_by_brute_force,
    isomorphic_by_vf2,
    literal_multiset,
    literal_rounds,
    make,
    networkx_layers_differ,
    same_partition,
    snapshot_graph,
)

TESTS = [pytest.param(supra_wl, True, id="supra"), pytest.param(layer_wl, False, id="layer")]

pytestmark = pytest.mark.filterwarnings("ignore:The hashes produced for graphs:UserWarning")


@pytest.mark.property
@pytest.mark.parametrize(("test", "temporal"), TESTS)
@given(drawn=decorated_pairs(max_nodes=4, max_snapshots=3))
def test_rounds_are_those_of_the_equations(test, temporal, drawn):
    graphs, options = drawn
    colouring = test(*graphs, **options)
    features, labels = options.get("node_features"), options.get("edge_labels")
    literal = []
    for i, g in enumerate(graphs):
        named = None
        if labels is not None:
            edges = zip(g.source.tolist(), g.target.tolist(), g.time.tolist(), strict=True)
            named = dict(zip(edges, labels[i].tolist(), strict=True))
        feature = None if features is None else features[i]
        literal.append(literal_rounds(g, 3, temporal=temporal, features=feature, labels=named))
    parted = colouring.parting_round(0, 1)
    for r in range(4):
        expected = [
            repr(rounds[r][v, t])
            for g, rounds in zip(graphs, literal, strict=True)
            for t in range(g.num_snapshots)
            for v in range(g.num_nodes)
        ]
        assert same_partition(flat(colouring.at(r)), expected)
        differ = literal_multiset(literal[0][r]) != literal_multiset(literal[1][r])
        assert differ == (parted is not None and parted <= r)


@pytest.mark.property
@pytest.mark.parametrize(("test", "temporal"), TESTS)
@given(drawn=decorated_pairs(max_nodes=7, max_snapshots=4))
def test_rounds_until_stable_are_those_of_a_plain_dictionary(test, temporal, drawn):
    graphs, options = drawn
    colouring = test(*graphs, **options)
    features, labels = options.get("node_features"), options.get("edge_labels")
    expected = interned_rounds(graphs, temporal=temporal, features=features, labels=labels)
    assert colouring.stable
    assert len(colouring.rounds) == len(expected)
    for ours, theirs in zip(colouring.rounds, expected, strict=True):
        assert same_partition(flat(ours), theirs)


def sparse(seed, num_nodes, num_snapshots, num_edges):
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, (num_nodes, num_nodes, num_snapshots), size=(num_edges, 3))
    return make(edges[edges[:, 0] != edges[:, 1]], num_nodes, num_snapshots)


# Sparse graphs take many rounds, in most of which few nodes change: other ways through the code than small
# dense ones.
SPARSE = [
    gallery.long_paths(41).first,
    gallery.distant_edge(30).second,
    make([(v, v + 1, v % 3) for v in range(60)], 61, 3),
    make([(v // 2, v, 0) for v in range(1, 64)] + [(v // 3, v, 1) for v in range(1, 64)], 64, 2),
    make([(0, v, 0) for v in range(1, 40)] + [(v, v + 1, 1) for v in range(39)], 40, 2),
    *(sparse(seed, 60, 3, 90) for seed in range(6)),
]


@pytest.mark.parametrize("graph", SPARSE, ids=repr)
@pytest.mark.parametrize(("test", "temporal"), TESTS)
def test_many_rounds_of_sparse_graphs(test, temporal, graph):
    colouring = test(graph)
    expected = interned_rounds([graph], temporal=temporal)
    assert len(colouring.rounds) == len(expected)
    for ours, theirs in zip(colouring.rounds, expected, strict=True):
        assert same_partition(flat(ours), theirs)


@pytest.mark.property
@given(pair=temporal_graph_pairs(max_nodes=5, max_snapshots=3))
def test_what_is_distinguished_is_not_isomorphic(pair):
    if isomorphic_by_brute_force(*pair):
        assert not distinguishes(supra_wl, *pair)
        assert not distinguishes(layer_wl, *pair)


@pytest.mark.property
@given(pair=temporal_graph_pairs(min_nodes=6, max_nodes=9, max_snapshots=3))
def test_what_is_distinguished_is_not_isomorphic_by_vf2(pair):
    if distinguishes(supra_wl, *pair) or distinguishes(layer_wl, *pair):
        assert not isomorphic_by_vf2(*pair)


@given(pair=temporal_graph_pairs(max_nodes=4, max_snapshots=3))
def test_the_two_oracles_of_isomorphism_agree(pair):
    assert isomorphic_by_brute_force(*pair) == isomorphic_by_vf2(*pair)


@pytest.mark.property
@given(pair=temporal_graph_pairs(max_nodes=7, max_snapshots=1))
def test_on_single_layers_both_are_networkx_colour_refinement(pair):
    expected = networkx_layers_differ(*pair)
    assert distinguishes(layer_wl, *pair).distinguished == expected
    assert distinguishes(supra_wl, *pair).distinguished == expected


@pytest.mark.property
@given(pair=temporal_graph_pairs(max_nodes=6, max_snapshots=3))
def test_layer_wl_is_networkx_colour_refinement_of_each_layer(pair):
    assert distinguishes(layer_wl, *pair).distinguished == networkx_layers_differ(*pair)


@pytest.mark.property
@given(pair=forest_pairs(max_snapshots=3))
def test_layer_wl_decides_isomorphism_of_forests_layer_by_layer(pair):
    g, h = pair
    same = all(nx.is_isomorphic(snapshot_graph(g, t), snapshot_graph(h, t)) for t in range(g.num_snapshots))
    verdict = distinguishes(layer_wl, g, h)
    assert verdict.distinguished == (not same) == networkx_layers_differ(g, h)


@pytest.mark.property
@given(pair=forest_pairs())
def test_supra_wl_decides_isomorphism_of_forests_in_one_layer(pair):
    g, h = pair
    same = nx.is_isomorphic(snapshot_graph(g, 0), snapshot_graph(h, 0))
    assert distinguishes(supra_wl, g, h).distinguished == (not same)
