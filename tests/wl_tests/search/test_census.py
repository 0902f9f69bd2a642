"""Censuses against the tests themselves, Burnside's lemma and networkx."""

import networkx as nx
import numpy as np
import pytest

from supra_core import InvalidArgumentError
from wl_tests import layer_wl, search, supra_wl
from wl_tests.search import batches
from wl_tests.search.isomorphism_classes import burnside

from ..oracles import interned_rounds
from .representatives import representatives


@pytest.mark.parametrize(("n", "T"), [(1, 4), (2, 3), (3, 2), (3, 3), (4, 2)])
def test_census_against_the_tests_themselves(n, T):
    graphs = representatives(n, T)
    found = search.census(n, T)
    for test, temporal, count in ((supra_wl, True, found.supra), (layer_wl, False, found.layer)):
        colouring = test(*graphs)
        multisets = {tuple(sorted(c.ravel().tolist())) for c in colouring.rounds[-1]}
        assert len(multisets) == count
        plain = np.array(interned_rounds(graphs, temporal=temporal)[-1]).reshape(len(graphs), -1)
        assert len({tuple(sorted(row)) for row in plain.tolist()}) == count
    assert found.isomorphism == len(graphs)


def test_censuses_are_consistent():
    for n, T in [(2, 6), (3, 4), (4, 3), (5, 2), (6, 1)]:
        found = search.census(n, T)
        assert found.isomorphism == burnside(n, T)
        assert found.isomorphism >= found.supra >= found.layer
        # A class of Layer-WL is a choice of one class of graphs for each layer.
        assert found.layer == search.census(n, 1).layer ** T


def test_the_smallest_static_graphs_colour_refinement_merges_have_six_nodes():
    assert search.census(5, 1).supra == 34
    assert search.census(6, 1).supra < 156


@pytest.mark.filterwarnings("ignore:The hashes produced for graphs:UserWarning")
@pytest.mark.parametrize("n", [5, 6, 7])
def test_classes_of_static_graphs_are_those_of_networkx(n):
    graphs = [g for g in nx.graph_atlas_g() if g.number_of_nodes() == n]
    hashes = {nx.weisfeiler_lehman_graph_hash(g, iterations=n, digest_size=32) for g in graphs}
    found = search.census(n, 1)
    assert (found.isomorphism, found.supra, found.layer) == (len(graphs), len(hashes), len(hashes))


@pytest.mark.parametrize(("batch", "held"), [(1, 7), (60, 100), (1 << 20, 1 << 22)])
def test_batches_and_passes_do_not_matter(monkeypatch, batch, held):
    monkeypatch.setattr(batches, "_BATCH", batch)
    monkeypatch.setattr(batches, "_PASS", held)
    assert search.census(4, 2) == search.Census(4, 2, isomorphism=276, supra=266, layer=121)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: search.census(0, 1), "num_nodes=0"),
        (lambda: search.census(9, 1), "num_nodes=9: must be an integer in 1 .. 8"),
        (lambda: search.census(2, 0), "num_snapshots=0"),
        (lambda: search.census(2.0, 1), "num_nodes=2.0"),
        (lambda: search.census(True, 1), "num_nodes=True"),
    ],
)
def test_bad_sizes(call, says):
    with pytest.raises(InvalidArgumentError, match=says):
        call()
