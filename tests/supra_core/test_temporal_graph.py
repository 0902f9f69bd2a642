"""TemporalGraph against edge-by-edge readings and NetworkX."""

import pickle

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from supra_core import TemporalGraph

from .strategies import NAMES, named_graphs, raw_edges, temporal_graphs

KINDS = st.sampled_from(["integer", "float"])
RAW = KINDS.flatmap(lambda kind: raw_edges(kind=kind))
GRAPHS = KINDS.flatmap(lambda kind: temporal_graphs(kind=kind))


@given(RAW)
def test_from_edges_is_the_sum_of_its_edges(raw):
    graph = raw.graph()
    for t in range(raw.num_snapshots):
        expected = raw.dense(t)
        np.testing.assert_array_equal(graph.adjacency(t).toarray(), expected.astype(float))
        np.testing.assert_array_equal(graph.active(t), (expected != 0).any(axis=1))


@given(RAW)
def test_stored_edges_are_canonical(raw):
    graph = raw.graph()
    keys = list(zip(graph.time.tolist(), graph.source.tolist(), graph.target.tolist(), strict=True))
    assert keys == sorted(set(keys))
    assert (graph.source < graph.target).all()
    assert (graph.weight > 0).all()
    assert graph.num_edges == sum(np.count_nonzero(raw.dense(t)) // 2 for t in range(raw.num_snapshots))


@given(raw_edges(), st.randoms(use_true_random=False))
def test_order_and_direction_of_edges_do_not_matter(raw, random):
    edges = [(v, u, t, w) if random.random() < 0.5 else (u, v, t, w) for u, v, t, w in raw.edges]
    random.shuffle(edges)
    other = type(raw)(tuple(edges), raw.num_nodes, raw.num_snapshots).graph()
    graph = raw.graph()
    assert other == graph
    assert hash(other) == hash(graph)
    assert other.digest == graph.digest


def test_content_decides_equality():
    graph = TemporalGraph.from_edges([0], [1], [0], num_nodes=3, num_snapshots=2)
    others = [
        TemporalGraph.from_edges([0], [1], [0], num_nodes=4, num_snapshots=2),
        TemporalGraph.from_edges([0], [1], [0], num_nodes=3, num_snapshots=3),
        TemporalGraph.from_edges([0], [2], [0], num_nodes=3, num_snapshots=2),
        TemporalGraph.from_edges([0], [1], [1], num_nodes=3, num_snapshots=2),
        TemporalGraph.from_edges([0], [1], [0], [2], num_nodes=3, num_snapshots=2),
        TemporalGraph.from_edges([0], [1], [0], [1.0], num_nodes=3, num_snapshots=2),
    ]
    assert len({graph, *others}) == 7
    assert graph != "another thing"


def test_it_is_immutable():
    graph = TemporalGraph.from_edges([0, 1], [1, 2], [0, 1])
    with pytest.raises(AttributeError):
        graph.num_nodes = 5
    with pytest.raises(AttributeError):
        del graph.source
    for array in (graph.source, graph.target, graph.time, graph.weight):
        with pytest.raises(ValueError):
            array[0] = 1
    with pytest.raises(TypeError):
        TemporalGraph()


def test_it_does_not_hold_on_to_its_input():
    source = np.array([0, 1])
    weight = np.array([1.0, 2.0])
    graph = TemporalGraph.from_edges(source, [1, 2], [0, 1], weight)
    source[0], weight[0] = 2, 9.0
    assert graph.source.tolist() == [0, 1]
    assert graph.weight.tolist() == [1.0, 2.0]
    assert source.flags.writeable


@given(GRAPHS, st.data())
def test_a_window_holds_the_snapshots_up_to_its_end(graph, data):
    stop = data.draw(st.integers(0, graph.num_snapshots - 1))
    size = data.draw(st.integers(1, graph.num_snapshots + 2))
    window = graph.window(stop, size)
    assert window.num_nodes == graph.num_nodes
    assert window.num_snapshots == min(size, stop + 1)
    for t in range(window.num_snapshots):
        earlier = stop + 1 - window.num_snapshots + t
        np.testing.assert_array_equal(window.adjacency(t).toarray(), graph.adjacency(earlier).toarray())


@given(GRAPHS)
def test_pickle_keeps_everything(graph):
    again = pickle.loads(pickle.dumps(graph))
    assert again == graph
    assert not again.source.flags.writeable


@given(GRAPHS)
def test_unweighted_keeps_edges(graph):
    plain = graph.unweighted()
    assert plain.weight.dtype == np.int64
    for t in range(graph.num_snapshots):
        np.testing.assert_array_equal(plain.adjacency(t).toarray(), graph.adjacency(t).toarray() > 0)


def test_large_ids_take_the_other_sort():
    graph = TemporalGraph.from_edges([2**40, 5, 2**40], [5, 2**40, 1], [1, 1, 0])
    assert graph.num_edges == 2
    assert graph.source.tolist() == [1, 5]
    assert graph.weight.tolist() == [1, 2]


# ── events ────────────────────────────────────────────────────────────────────────────────────────────────


@given(
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=20),
    st.integers(1, 7),
)
def test_events_binned_by_count(stamps, num_snapshots):
    ones = np.ones(len(stamps), dtype=int)
    graph = TemporalGraph.from_events(ones * 0, ones, stamps, num_snapshots=num_snapshots)
    low, span = min(stamps), max(stamps) - min(stamps)
    # In integers: bin i holds stamps with i ≤ (s − low)·num/span < i + 1, and the last event the last bin.
    bins = [min((s - low) * num_snapshots // span, num_snapshots - 1) if span else 0 for s in stamps]
    assert graph.num_snapshots == num_snapshots
    counts = np.bincount(bins, minlength=num_snapshots)
    np.testing.assert_array_equal([graph.adjacency(t)[0, 1] for t in range(num_snapshots)], counts)


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=20), st.integers(1, 300))
def test_events_binned_by_width(stamps, width):
    ones = np.ones(len(stamps), dtype=int)
    graph = TemporalGraph.from_events(ones * 0, ones, stamps, width=width)
    bins = [(s - min(stamps)) // width for s in stamps]
    assert graph.num_snapshots == max(bins) + 1
    np.testing.assert_array_equal(graph.time, np.unique(bins))
    np.testing.assert_array_equal(graph.weight, np.unique(bins, return_counts=True)[1])


def test_events_keep_weights_and_sizes():
    graph = TemporalGraph.from_events([0, 0], [1, 1], [0.0, 9.5], [0.5, 2.0], width=5, num_nodes=4)
    assert graph.num_nodes == 4
    assert graph.weight.tolist() == [0.5, 2.0]
    assert graph.time.tolist() == [0, 1]


# ── names, duplicates, expressions ─────────────────────────────────────────────────────────────────────────

LABELS = st.one_of(NAMES, st.tuples(st.text(max_size=2), st.integers()))


@given(named_graphs(names=LABELS))
@example(TemporalGraph.from_edges([0], [1], [0], node_labels=[float("inf"), float("-inf")]))
@example(TemporalGraph.from_edges([0], [1], [0], node_labels=[("a", float("inf")), ("b",)]))
def test_the_repr_of_a_small_graph_builds_it_again(graph):
    again = eval(repr(graph), {"TemporalGraph": TemporalGraph})
    assert again == graph
    assert hash(again) == hash(graph)
    assert again.time_zone == graph.time_zone
    assert pickle.loads(pickle.dumps(graph)) == graph


def test_large_graphs_have_a_short_repr():
    graph = TemporalGraph.from_edges(np.zeros(500, dtype=int), np.arange(1, 501), np.zeros(500, dtype=int))
    assert repr(graph) == str(graph) == "TemporalGraph(num_nodes=501, num_snapshots=1, num_edges=500)"


def test_names_and_times_are_part_of_equality_and_not_of_the_digest():
    plain = TemporalGraph.from_edges([0], [1], [0])
    named = TemporalGraph.from_edges([0], [1], [0], node_labels=["a", "b"])
    others = [
        named,
        TemporalGraph.from_edges([0], [1], [0], node_labels=["b", "a"]),
        TemporalGraph.from_edges([0], [1], [0], node_labels=["a", 1]),
        TemporalGraph.from_edges([0], [1], [0], node_labels=["a", 1.0]),
        TemporalGraph.from_edges([0], [1], [0], node_labels=["a", True]),
        TemporalGraph.from_edges([0], [1], [0], snapshot_times=[5]),
        TemporalGraph.from_edges([0], [1], [0], snapshot_times=[5.0]),
        TemporalGraph.from_edges([0], [1], [0], snapshot_times=[5, 6]),
        TemporalGraph.from_edges([0], [1], [0], snapshot_times=["2024-01-01"]),
        TemporalGraph.from_edges([0], [1], [0], snapshot_times=["2024-01-01T00:00Z"]),
    ]
    for position, one in enumerate(others):
        assert one != plain
        assert all(one != other for other in others[position + 1 :])
        assert one.digest == plain.digest
    # Names that say no more than the id are no names.
    assert TemporalGraph.from_edges([0], [1], [0], node_labels=[0, 1], snapshot_times=[0]) == plain
    assert plain.node_labels.tolist() == [0, 1]


def test_the_digest_is_the_one_it_always_was():
    graph = TemporalGraph.from_edges([0, 1], [1, 2], [0, 1], [2, 3], num_nodes=4)
    assert graph.digest == "cf29a0df98cebf0acf9e49a85e145f5d9d0a00ba3c0799cb7d59977da4a849b7"


@given(RAW)
def test_once_counts_an_edge_once(raw):
    edges = [edge[:3] for edge in raw.edges]
    if not edges:
        return
    source, target, time = zip(*edges, strict=True)
    graph = TemporalGraph.from_edges(source, target, time, num_nodes=raw.num_nodes, duplicates="once")
    expected = {(t, min(u, v), max(u, v)) for u, v, t in edges if u != v}
    assert (
        set(zip(graph.time.tolist(), graph.source.tolist(), graph.target.tolist(), strict=True)) == expected
    )
    assert set(graph.weight.tolist()) <= {1}
    both = TemporalGraph.from_edges(
        [*source, *target], [*target, *source], [*time, *time], np.ones(2 * len(edges)) / 2,
        num_nodes=raw.num_nodes, duplicates="once",
    )  # fmt: skip
    assert set(both.weight.tolist()) <= {0.5}


@pytest.mark.parametrize("name", ["source", "target", "time", "weight", "snapshot_times"])
def test_nothing_can_be_made_writeable_again(name):
    for times in ([3, 5], ["2024-01-01", "2024-01-02"], None):
        graph = TemporalGraph.from_edges([0, 1], [1, 2], [0, 1], snapshot_times=times)
        for one in (graph, graph.window(1, 1), graph.window(0, 1), pickle.loads(pickle.dumps(graph))):
            before = hash(one)
            with pytest.raises(ValueError):
                getattr(one, name).flags.writeable = True
            assert hash(one) == before
