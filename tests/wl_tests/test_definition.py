"""What follows from the definitions: rounds, numbering, isolated nodes, empty layers, the outer constant."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import TemporalGraph
from wl_tests import layer_wl, refines, relabel, supra_wl
from wl_tests.strategies import node_relabelings, temporal_graph_pairs, temporal_graphs

from .drawn import decorated_pairs
from .oracles import flat, make, same_partition

TESTS = [supra_wl, layer_wl]


@pytest.mark.property
@pytest.mark.parametrize("test", TESTS)
@given(drawn=decorated_pairs(max_nodes=6))
def test_each_round_strictly_refines_the_one_before(test, drawn):
    graphs, options = drawn
    colouring = test(*graphs, **options)
    for r in range(colouring.num_rounds):
        assert refines(colouring.rounds[r + 1], colouring.rounds[r])
        assert colouring.num_colours(r + 1) > colouring.num_colours(r)


@pytest.mark.property
@pytest.mark.parametrize("test", TESTS)
@given(graph=temporal_graphs(max_nodes=8))
def test_rounds_are_fewer_than_nodes_times_layers(test, graph):
    assert test(graph).num_rounds <= graph.num_nodes * graph.num_snapshots - 1


@pytest.mark.parametrize("test", TESTS)
@given(drawn=decorated_pairs())
def test_colours_of_every_round_are_consecutive(test, drawn):
    graphs, options = drawn
    colouring = test(*graphs, **options)
    for r, one_round in enumerate(colouring.rounds):
        assert set(flat(one_round)) == set(range(colouring.num_colours(r)))
        for graph, part in zip(graphs, one_round, strict=True):
            assert part.shape == (graph.num_snapshots, graph.num_nodes)
            assert part.dtype.kind == "i"


@pytest.mark.property
@pytest.mark.parametrize("test", TESTS)
@given(data=st.data(), pair=temporal_graph_pairs(max_nodes=6))
def test_colours_move_with_the_nodes(test, data, pair):
    g, h = pair
    names = data.draw(node_relabelings(num_nodes=g.num_nodes))
    ours, theirs = test(g, h), test(relabel(g, names), h)
    for before, after in zip(ours.rounds, theirs.rounds, strict=True):
        np.testing.assert_array_equal(after[0][:, names], before[0])
        np.testing.assert_array_equal(after[1], before[1])


@pytest.mark.parametrize("test", TESTS)
@given(pair=temporal_graph_pairs())
def test_colours_do_not_depend_on_the_order_of_graphs(test, pair):
    g, h = pair
    for (a, b), (d, c) in zip(test(g, h).rounds, test(h, g).rounds, strict=True):
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, d)


@pytest.mark.parametrize("test", TESTS)
@given(data=st.data(), graph=temporal_graphs(min_nodes=2, min_edges=1, max_weight=3))
def test_colours_do_not_depend_on_edge_order_or_direction(test, data, graph):
    order = np.array(data.draw(st.permutations(range(graph.num_edges))))
    flip = np.array(data.draw(st.lists(st.booleans(), min_size=len(order), max_size=len(order))))
    edges = [(graph.source, graph.target, graph.time)[i][order] for i in range(3)]
    edges[0], edges[1] = np.where(flip, edges[1], edges[0]), np.where(flip, edges[0], edges[1])
    sizes = {"num_nodes": graph.num_nodes, "num_snapshots": graph.num_snapshots}
    shuffled = TemporalGraph.from_edges(*edges, graph.weight[order], **sizes)
    labels = dict(
        zip(zip(*(e.tolist() for e in edges), strict=True), graph.weight[order].tolist(), strict=True)
    )
    by_array, by_name = test(graph, edge_labels="weight"), test(shuffled, edge_labels=labels)
    for before, after in zip(by_array.rounds, by_name.rounds, strict=True):
        np.testing.assert_array_equal(after[0], before[0])


@pytest.mark.property
@pytest.mark.parametrize("test", TESTS)
@given(graph=temporal_graphs())
def test_an_isolated_node_changes_no_other(test, graph):
    wider = make(_edges(graph), graph.num_nodes + 1, graph.num_snapshots)
    before, after = test(graph), test(wider)
    for r in range(max(before.num_rounds, after.num_rounds) + 1):
        assert same_partition(flat(before.at(r)), after.at(r)[0][:, :-1].ravel().tolist())


@given(graph=temporal_graphs())
def test_isolated_nodes_share_one_colour_in_layer_wl_across_layers(graph):
    wider = make(_edges(graph), graph.num_nodes + 1, graph.num_snapshots)
    colours = layer_wl(wider).rounds[-1][0]
    isolated = ~np.array([wider.active(t) for t in range(wider.num_snapshots)])
    shared = set(colours[isolated].tolist())
    assert len(shared) == 1
    assert shared.isdisjoint(colours[~isolated].tolist())


@given(graph=temporal_graphs(min_snapshots=2))
def test_nodes_with_edges_never_share_a_colour_across_layers(graph):
    for test in TESTS:
        colours = test(graph).at(1)[0]
        active = [set(colours[t][graph.active(t)].tolist()) for t in range(graph.num_snapshots)]
        assert sum(map(len, active)) == len(set().union(*active))


@pytest.mark.property
@given(graph=temporal_graphs())
def test_an_empty_layer_at_the_end_of_time(graph):
    longer = make(_edges(graph), graph.num_nodes, graph.num_snapshots + 1)
    T = graph.num_snapshots
    # Layer-WL: nothing changes, and the new layer's nodes are isolated ones.
    before, after = layer_wl(graph), layer_wl(longer)
    for r in range(max(before.num_rounds, after.num_rounds) + 1):
        assert same_partition(flat(before.at(r)), after.at(r)[0][:-1].ravel().tolist())
    assert len(set(after.rounds[-1][0][-1].tolist())) == 1
    # Supra-WL: after r rounds only the last r layers can know that there is one more.
    before, after = supra_wl(graph), supra_wl(longer)
    for r in range(T + 1):
        unaware = slice(0, T - r)
        old, new = (c.at(r)[0][unaware].ravel().tolist() for c in (before, after))
        assert same_partition(old, new)
    # In the end it says nothing about them, and its own nodes differ just as those a layer earlier do.
    assert same_partition(flat(before.rounds[-1]), after.rounds[-1][0][:-1].ravel().tolist())
    assert same_partition(after.rounds[-1][0][-1].tolist(), after.rounds[-1][0][-2].tolist())


@pytest.mark.parametrize("num_snapshots", [1, 2, 3, 4, 7, 8])
def test_without_edges_supra_wl_sees_the_ends_of_time_only(num_snapshots):
    colouring = supra_wl(make([], 2, num_snapshots))
    # Round r tells layers by their distance from the ends, as far as r; so all layers differ in the end.
    assert colouring.num_colours() == num_snapshots
    assert colouring.num_rounds == num_snapshots // 2
    for r in range(colouring.num_rounds + 1):
        seen = [(min(t, r), min(num_snapshots - 1 - t, r)) for t in range(num_snapshots)]
        assert same_partition(colouring.rounds[r][0][:, 0].tolist(), seen)
    assert layer_wl(make([], 2, num_snapshots)).num_colours() == 1


def test_time_has_a_direction():
    early = make([(0, 1, 0)], 2, 3)
    late = make([(0, 1, 2)], 2, 3)
    for test in TESTS:
        assert test(early, late).parting_round(0, 1) == 1


@given(graph=temporal_graphs(max_snapshots=1))
def test_on_one_layer_the_two_tests_agree(graph):
    supra, layer = supra_wl(graph), layer_wl(graph)
    assert len(supra.rounds) == len(layer.rounds)
    for a, b in zip(supra.rounds, layer.rounds, strict=True):
        assert same_partition(flat(a), flat(b))


def _edges(graph):
    return list(zip(graph.source.tolist(), graph.target.tolist(), graph.time.tolist(), strict=True))
