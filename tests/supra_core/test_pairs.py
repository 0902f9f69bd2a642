"""Features of pairs against the formulae, read out slowly, edge by edge."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import Encoder, InvalidArgumentError, TemporalGraph, generators, pair_features
from supra_core.pairs import HISTORY

from .strategies import raw_edges, temporal_graphs

GRAPHS = st.sampled_from(["integer", "float"]).flatmap(lambda kind: temporal_graphs(kind=kind))


def literal(graph, t, u, v, decay):
    """Every feature of one pair by its definition."""
    n, snapshots = graph.num_nodes, range(t + 1)
    edges = []
    for s in snapshots:
        source, target, weight = graph.snapshot(s)
        kept = zip(source.tolist(), target.tolist(), weight.tolist(), strict=True)
        edges.append({frozenset((a, b)) for a, b, _ in kept})
    links = {
        (a, b): [s for s in snapshots if frozenset((a, b)) in edges[s]]
        for a in range(n)
        for b in range(n)
        if a != b
    }
    count = lambda a, b: len(links.get((a, b), []))  # noqa: E731
    decayed = lambda a, b: sum(decay ** (t - s) for s in links.get((a, b), []))  # noqa: E731
    neighbours = lambda a: {b for b in range(n) if count(a, b)}  # noqa: E731
    strength = lambda a: sum(decayed(a, b) for b in range(n))  # noqa: E731
    both = neighbours(u) & neighbours(v)
    now = {node for edge in edges[t] for node in edge}
    return {
        "links": count(u, v),
        "links_decayed": decayed(u, v),
        "linked_now": float(frozenset((u, v)) in edges[t]) if u != v else 0.0,
        "since": t - max(links[u, v]) if count(u, v) else t + 1,
        "common": len(both),
        "common_decayed": sum(decayed(u, w) * decayed(v, w) for w in both),
        "adamic_adar": sum(1 / math.log(len(neighbours(w))) for w in both if len(neighbours(w)) > 1),
        "degree_sum": len(neighbours(u)) + len(neighbours(v)),
        "degree_product": len(neighbours(u)) * len(neighbours(v)),
        "degree_decayed_sum": strength(u) + strength(v),
        "degree_decayed_product": strength(u) * strength(v),
        "active_now": (u in now) + (v in now),
    }


@given(GRAPHS, st.data())
def test_every_feature_is_its_formula(graph, data):
    t = data.draw(st.integers(0, graph.num_snapshots - 1))
    decay = data.draw(st.sampled_from([0.5, 0.9, 1.0]))
    n = graph.num_nodes
    pairs = np.stack([grid.ravel() for grid in np.meshgrid(np.arange(n), np.arange(n))])
    found = pair_features(graph, t, pairs, decay=decay)
    assert found.names == HISTORY
    assert found.values.shape == (n * n, len(HISTORY))
    for row, (u, v) in zip(found.values, pairs.T.tolist(), strict=True):
        expected = literal(graph, t, u, v, decay)
        np.testing.assert_allclose(row, [expected[name] for name in HISTORY], rtol=1e-12, atol=1e-12)


@given(raw_edges(kind="integer"), raw_edges(kind="integer"), st.data())
def test_nothing_after_t_is_looked_at(before, after, data):
    """Two graphs with the same snapshots up to t, whatever comes later."""
    n = max(before.num_nodes, after.num_nodes)
    t = before.num_snapshots - 1
    first = list(before.edges)
    later = [(u, v, s + before.num_snapshots, w) for u, v, s, w in after.edges]

    def build(edges, num_snapshots):
        columns = np.array([(u, v, s) for u, v, s, _ in edges], dtype=int).reshape(-1, 3).T
        return TemporalGraph.from_edges(*columns, num_nodes=n, num_snapshots=num_snapshots)

    pairs = data.draw(st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), max_size=8))
    pairs = np.array(pairs, dtype=int).reshape(-1, 2).T
    one = pair_features(build(first, t + 1), t, pairs)
    two = pair_features(build([*first, *later], t + 1 + after.num_snapshots), t, pairs)
    np.testing.assert_array_equal(one.values, two.values)


@given(GRAPHS)
def test_both_directions_and_repeated_pairs_are_alike(graph):
    n, t = graph.num_nodes, graph.num_snapshots - 1
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, n, size=(2, 10))
    x = rng.normal(size=(n, 3))
    forth, back = (pair_features(graph, t, p, encoding=x).values for p in (pairs, pairs[::-1]))
    np.testing.assert_allclose(forth, back, rtol=1e-12)
    np.testing.assert_array_equal(
        pair_features(graph, t, np.tile(pairs, 3), encoding=x).values, np.tile(forth, (3, 1))
    )


def test_chunks_change_nothing(monkeypatch):
    graph = generators.barabasi_albert(60, 4, seed=1)
    pairs = np.random.default_rng(0).integers(0, 60, size=(2, 400))
    whole = pair_features(graph, 3, pairs).values
    for size in (1, 7, 100):
        monkeypatch.setattr("supra_core.pairs._CHUNK", size)
        np.testing.assert_array_equal(pair_features(graph, 3, pairs).values, whole)


def test_columns_of_an_encoding():
    graph = generators.block_model(20, 4, num_blocks=2, p_in=0.5, p_out=0.1)
    encoding = Encoder(k=3, window=2).encode(graph, 2)
    pairs = np.array([[0, 3, 7], [1, 3, 19]])
    found = pair_features(graph, 2, pairs, encoding=encoding)
    assert found.names == (*HISTORY, "distance", "inner", "apart_0", "apart_1", "apart_2")
    x = encoding.values
    for i, (u, v) in enumerate(pairs.T):
        assert found.column("distance")[i] == pytest.approx(math.dist(x[u], x[v]))
        assert found.column("inner")[i] == pytest.approx(float(x[u] @ x[v]))
        np.testing.assert_allclose(found.values[i, -3:], np.abs(x[u] - x[v]))
    np.testing.assert_array_equal(pair_features(graph, 2, pairs, encoding=x).values, found.values)


def test_nothing_has_no_features():
    empty = TemporalGraph.from_edges([], [], [], num_nodes=3, num_snapshots=2)
    assert pair_features(empty, 1, np.zeros((2, 0))).values.shape == (0, len(HISTORY))
    found = pair_features(empty, 1, [[0], [2]])
    assert dict(zip(found.names, found.values[0], strict=True)) == {
        name: 2.0 * (name == "since") for name in HISTORY
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"t": 2}, r"t=2: must be in 0 \.\. 1"),
        ({"t": -1}, r"t=-1: must be in"),
        ({"pairs": [0, 1]}, r"pairs\.shape=\(2,\): must be \(2, m\)"),
        ({"pairs": [[0], [3]]}, r"pairs=3: must be node ids in 0 \.\. 2"),
        ({"pairs": [[-1], [0]]}, r"pairs=-1: must be node ids"),
        ({"pairs": [[0.5], [1.0]]}, r"pairs\.dtype='float64': must be integers"),
        ({"decay": 0.0}, r"decay=0\.0: must be above 0 and at most 1"),
        ({"decay": 1.5}, r"decay=1\.5: must be a number in 0 \.\. 1"),
        ({"encoding": np.zeros((2, 4))}, r"encoding\.shape=\(2, 4\): must be \(3, dim\)"),
        ({"encoding": np.full((3, 1), np.nan)}, "encoding='float64': must be finite numbers"),
    ],
)
def test_mistakes(changes, message):
    graph = TemporalGraph.from_edges([0, 1], [1, 2], [0, 1])
    with pytest.raises(InvalidArgumentError, match=message):
        pair_features(**{"graph": graph, "t": 1, "pairs": [[0], [1]]} | changes)


def test_an_unknown_column_is_named():
    graph = TemporalGraph.from_edges([0, 1], [1, 2], [0, 1])
    with pytest.raises(InvalidArgumentError, match="name='link': must be one of 'links', "):
        pair_features(graph, 1, [[0], [1]]).column("link")
