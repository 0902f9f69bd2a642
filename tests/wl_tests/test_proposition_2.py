"""Proposition 2: Supra-WL refines Layer-WL, strictly; neither ever tells isomorphic temporal graphs apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wl_tests import distinguishes, gallery, layer_wl, refines, relabel, supra_wl
from wl_tests.strategies import node_relabelings, temporal_graph_pairs, temporal_graphs

from .drawn import decorated_pairs
from .oracles import flat, isomorphic_by_brute_force

TESTS = [supra_wl, layer_wl]


@pytest.mark.property
@given(drawn=decorated_pairs(max_nodes=7, max_snapshots=4))
def test_equal_supra_colours_imply_equal_layer_colours_in_every_round(drawn):
    graphs, options = drawn
    supra, layer = supra_wl(*graphs, **options), layer_wl(*graphs, **options)
    for r in range(max(supra.num_rounds, layer.num_rounds) + 1):
        assert refines(supra.at(r), layer.at(r))
        # The same in plain words, for all nodes of all layers of both graphs.
        seen = {}
        for fine, coarse in zip(flat(supra.at(r)), flat(layer.at(r)), strict=True):
            assert seen.setdefault(fine, coarse) == coarse


@pytest.mark.property
@given(pair=temporal_graph_pairs())
def test_what_layer_wl_distinguishes_supra_wl_does_no_later(pair):
    layer, supra = distinguishes(layer_wl, *pair), distinguishes(supra_wl, *pair)
    if layer:
        assert supra.distinguished
        assert supra.round <= layer.round


@pytest.mark.property
@pytest.mark.parametrize("test", TESTS)
@given(pair=temporal_graph_pairs(kinds=["isomorphic"], max_nodes=8))
def test_isomorphic_graphs_are_never_distinguished(test, pair):
    verdict = distinguishes(test, *pair)
    assert verdict.inconclusive
    assert verdict.stable


@pytest.mark.property
@pytest.mark.parametrize("test", TESTS)
@given(data=st.data(), graph=temporal_graphs(max_nodes=6, max_weight=2))
def test_nor_with_features_and_labels_carried_along(test, data, graph):
    names = data.draw(node_relabelings(num_nodes=graph.num_nodes))
    shape = (graph.num_snapshots, graph.num_nodes)
    size = graph.num_snapshots * graph.num_nodes
    features = np.array(data.draw(st.lists(st.integers(0, 1), min_size=size, max_size=size)))
    features = features.reshape(shape)
    moved = np.empty_like(features)
    moved[:, names] = features
    options = {"node_features": [features, moved], "edge_labels": "weight"}
    assert not distinguishes(test, graph, relabel(graph, names), **options)


def test_strictness():
    pair = gallery.moved_edge()
    assert not isomorphic_by_brute_force(pair.first, pair.second)
    assert distinguishes(supra_wl, pair.first, pair.second)
    assert not distinguishes(layer_wl, pair.first, pair.second)
    supra, layer = (test(pair.first, pair.second) for test in TESTS)
    assert refines(supra, layer)
    assert not refines(layer, supra)
