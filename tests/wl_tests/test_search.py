"""Enumeration and censuses against counting by other means."""

import itertools

import networkx as nx
import numpy as np
import pytest

from supra_core import InvalidArgumentError
from wl_tests import batches as batches_module
from wl_tests import gallery, layer_wl, search, supra_wl
from wl_tests.enumerate import Classes, burnside

from .oracles import interned_rounds, isomorphic_by_brute_force, isomorphic_by_vf2, make


def all_graphs(n, T):
    pairs = list(itertools.combinations(range(n), 2))
    for layers in itertools.product(range(2 ** len(pairs)), repeat=T):
        edges = [(*pairs[i], t) for t, mask in enumerate(layers) for i in range(len(pairs)) if mask >> i & 1]
        yield make(edges, n, T)


def representatives(n, T):
    table = Classes(n)
    return [table.graph(row) for block in table.blocks(T) for row in block]


@pytest.mark.parametrize(("n", "T"), [(1, 3), (2, 3), (3, 1), (3, 2), (4, 1)])
def test_every_graph_is_isomorphic_to_exactly_one_representative(n, T):
    listed = representatives(n, T)
    for graph in all_graphs(n, T):
        assert sum(isomorphic_by_brute_force(graph, one) for one in listed) == 1


@pytest.mark.parametrize(("n", "T"), [(1, 1), (2, 5), (3, 5), (4, 3), (5, 2), (6, 1), (7, 1)])
def test_as_many_representatives_as_burnside_counts(n, T):
    table = Classes(n)
    rows = np.concatenate(list(table.blocks(T, limit=1000)))
    assert len(rows) == table.count(T) == burnside(n, T)
    assert len(np.unique(rows, axis=0)) == len(rows)


def test_numbers_of_graphs_are_the_known_ones():
    assert [burnside(n, 1) for n in range(1, 9)] == [1, 2, 4, 11, 34, 156, 1044, 12346]
    assert Classes(5).count(1) == sum(1 for g in nx.graph_atlas_g() if g.number_of_nodes() == 5)


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
    monkeypatch.setattr(batches_module, "_BATCH", batch)
    monkeypatch.setattr(batches_module, "_PASS", held)
    assert search.census(4, 2) == search.Census(4, 2, isomorphism=276, supra=266, layer=121)


def test_the_smallest_separating_pair_is_the_gallery_s():
    found, known = search.smallest_separating_pair(4, 3), gallery.moved_edge()
    straight = isomorphic_by_brute_force(found.first, known.first)
    first, second = (known.first, known.second) if straight else (known.second, known.first)
    assert isomorphic_by_brute_force(found.first, first)
    assert isomorphic_by_brute_force(found.second, second)
    assert search.smallest_separating_pair(3, 1) is None
    assert search.smallest_separating_pair(2, 5) is None


def test_the_smallest_merged_pair_is_the_gallery_s():
    found, known = search.smallest_merged_pair(4, 2), gallery.turned_matching()
    assert {isomorphic_by_vf2(found.first, g) for g in (known.first, known.second)} == {True, False}
    assert {isomorphic_by_vf2(found.second, g) for g in (known.first, known.second)} == {True, False}
    assert not isomorphic_by_vf2(found.first, found.second)
    assert search.smallest_merged_pair(3, 4) is None


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: search.census(0, 1), "num_nodes=0"),
        (lambda: search.census(9, 1), "num_nodes=9: must be an integer in 1 .. 8"),
        (lambda: search.census(2, 0), "num_snapshots=0"),
        (lambda: search.census(2.0, 1), "num_nodes=2.0"),
        (lambda: search.smallest_separating_pair(3, 0), "max_snapshots=0"),
        (lambda: search.smallest_merged_pair(True, 1), "max_nodes=True"),
        (lambda: search.smallest_spectral_pair(3, 2, min_snapshots=3), "min_snapshots=3"),
        (lambda: Classes(9), "num_nodes=9"),
    ],
)
def test_bad_sizes(call, says):
    with pytest.raises(InvalidArgumentError, match=says):
        call()
