"""Whatever the hash does, the partition is exact."""

import numpy as np
import pytest
from hypothesis import given, settings

from supra_core import generators
from wl_tests import gallery, layer_wl, signatures, supra_wl
from wl_tests.strategies import temporal_graph_pairs

from .drawn import decorated_pairs
from .oracles import flat, interned_rounds, same_partition

# Hashes that collide always, mostly, and in a way that sums of multisets cannot undo.
BAD = {
    "constant": lambda values: np.zeros_like(values),
    "parity": lambda values: values & np.uint64(1),
    "identity": lambda values: values.copy(),
}


@pytest.fixture(params=BAD)
def bad_hash(request, monkeypatch):
    calls = []
    fallback = signatures._group_by_comparison

    def counted(*args):
        calls.append(1)
        return fallback(*args)

    monkeypatch.setattr(signatures, "mix", BAD[request.param])
    monkeypatch.setattr(signatures, "_group_by_comparison", counted)
    return calls


@pytest.mark.parametrize(("test", "temporal"), [(supra_wl, True), (layer_wl, False)])
def test_collisions_are_noticed_and_resolved(bad_hash, test, temporal):
    @settings(max_examples=40)
    @given(drawn=decorated_pairs(max_nodes=6, max_snapshots=3))
    def run(drawn):
        graphs, options = drawn
        features, labels = options.get("node_features"), options.get("edge_labels")
        expected = interned_rounds(graphs, temporal=temporal, features=features, labels=labels)
        colouring = test(*graphs, **options)
        assert len(colouring.rounds) == len(expected)
        for ours, theirs in zip(colouring.rounds, expected, strict=True):
            assert same_partition(flat(ours), theirs)

    run()
    pair = gallery.moved_edge()
    assert supra_wl(pair.first, pair.second).parting_round(0, 1) == 2
    assert bad_hash, "no collision ever reached the exact comparison: this test tests nothing"


@pytest.mark.parametrize("test", [supra_wl, layer_wl])
@pytest.mark.parametrize("decorated", ["labels", "features", "both"])
@pytest.mark.parametrize("seed", range(5))
def test_small_integers_do_not_collide(monkeypatch, test, decorated, seed):
    """Layers, labels and colours are small integers, added up in one hash: none may stand in for another."""
    rng = np.random.default_rng(seed)
    graph = generators.block_model(40, 6, num_blocks=4, p_in=0.3, p_out=0.05, seed=seed)
    options = {}
    if decorated != "features":
        options["edge_labels"] = [rng.integers(0, 5, graph.num_edges)]
    if decorated != "labels":
        options["node_features"] = [rng.integers(0, 5, (graph.num_snapshots, graph.num_nodes))]

    def refused(*args):
        raise AssertionError("two signatures met in one hash")

    monkeypatch.setattr(signatures, "_group_by_comparison", refused)
    colouring = test(graph, **options)
    features = [x.tolist() for x in options["node_features"]] if "node_features" in options else None
    labels = [x.tolist() for x in options["edge_labels"]] if "edge_labels" in options else None
    expected = interned_rounds([graph], temporal=test is supra_wl, features=features, labels=labels)
    for ours, theirs in zip(colouring.rounds, expected, strict=True):
        assert same_partition(flat(ours), theirs)


@pytest.mark.parametrize("block", [1, 2, 7])
def test_blocks_of_any_size_give_the_same_colours(monkeypatch, block):
    @settings(max_examples=40)
    @given(drawn=decorated_pairs(max_nodes=7, max_snapshots=3))
    def run(drawn):
        graphs, options = drawn
        whole = [supra_wl(*graphs, **options), layer_wl(*graphs, **options)]
        with monkeypatch.context() as patch:
            patch.setattr(signatures, "BLOCK", block)
            parts = [supra_wl(*graphs, **options), layer_wl(*graphs, **options)]
        for a, b in zip(whole, parts, strict=True):
            assert [flat(x) for x in a.rounds] == [flat(x) for x in b.rounds]

    run()


def test_verification_compares_across_blocks(monkeypatch):
    monkeypatch.setattr(signatures, "mix", BAD["constant"])
    monkeypatch.setattr(signatures, "BLOCK", 3)
    pair = gallery.long_paths(9)
    expected = interned_rounds([pair.first, pair.second], temporal=True)
    colouring = supra_wl(pair.first, pair.second)
    assert [len(set(flat(r))) for r in colouring.rounds] == [len(set(r)) for r in expected]


@given(pair=temporal_graph_pairs(kinds=["moved_edge"], max_nodes=6))
def test_many_labels_do_not_overflow(pair):
    g, _ = pair
    labels = np.arange(g.num_edges) * 10**12
    colouring = supra_wl(g, edge_labels=labels)
    expected = interned_rounds([g], temporal=True, labels=[labels.tolist()])
    for ours, theirs in zip(colouring.rounds, expected, strict=True):
        assert same_partition(flat(ours), theirs)
