import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import TemporalGraph
from supra_experiments.config.data import NEGATIVES
from supra_experiments.datasets import load
from supra_experiments.datasets.splits import LastSnapshots, Split
from supra_experiments.protocol.negatives import (
    edge_keys,
    evaluation_links,
    new_links,
    sample_non_edges,
)

from ..helpers import REAL, edge_set, graphs, needs_data, pair_set


@given(graphs(max_nodes=12), st.integers(0, 40), st.integers(0, 2**32 - 1), st.data())
def test_non_edges_are_never_edges_never_repeat_and_as_many_as_exist(graph, count, seed, data):
    among = data.draw(st.none() | st.sets(st.integers(0, graph.num_nodes - 1)))
    ids = sorted(range(graph.num_nodes) if among is None else among)
    edges = edge_set(graph, 0)
    everything = {(a, b) for a in ids for b in ids if a < b} - edges
    drawn = sample_non_edges(
        edge_keys(graph, 0),
        graph.num_nodes,
        count,
        np.random.default_rng(seed),
        None if among is None else np.array(ids, dtype=np.int64),
    )
    assert len(pair_set(drawn)) == drawn.shape[1] == min(count, len(everything))
    assert pair_set(drawn) <= everything


@pytest.mark.parametrize("count", [2, 5])  # by trial, and from the list of all
def test_every_non_edge_is_as_likely(count):
    path = TemporalGraph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], [0, 0, 0, 0])
    rng = np.random.default_rng(0)
    seen: dict[tuple[int, int], int] = {}
    rounds = 6000
    for _ in range(rounds):
        for pair in pair_set(sample_non_edges(edge_keys(path, 0), 5, count, rng)):
            seen[pair] = seen.get(pair, 0) + 1
    assert len(seen) == 6
    # Six pairs, each expected rounds * count / 6 times; five standard deviations of a binomial.
    share = count / 6
    for hits in seen.values():
        assert abs(hits - rounds * share) < 5 * np.sqrt(rounds * share * (1 - share))


@given(graphs(min_snapshots=2, max_snapshots=5, max_nodes=10), st.sampled_from(NEGATIVES), st.integers(0, 99))
def test_each_kind_of_test_negative_is_what_it_says(graph, kind, seed):
    split = LastSnapshots(test=1).split(graph.num_snapshots)
    t = split.test[0]
    links = evaluation_links(graph, split, t, kind, seed)
    negatives, edges = pair_set(links.negatives), edge_set(graph, t)
    assert pair_set(links.positives) == edges
    assert len(negatives) == links.negatives.shape[1] <= len(edges)
    assert not negatives & edges
    assert links.labels.tolist() == [True] * len(edges) + [False] * len(negatives)
    earlier = set().union(*(edge_set(graph, s) for s in range(t)))
    if kind == "historical":
        assert negatives <= earlier
        assert len(negatives) == min(len(edges), len(earlier - edges))
    if kind == "active":
        active = {node for pair in earlier for node in pair}
        assert {node for pair in negatives for node in pair} <= active


@given(graphs(min_snapshots=3, max_snapshots=5, max_nodes=10), st.integers(0, 99))
def test_new_links_are_those_absent_before(graph, seed):
    split = LastSnapshots(test=2).split(graph.num_snapshots)
    last_seen, t = split.train[-1], split.test[1]
    since_training = new_links(graph, split, t, seed=seed)
    assert pair_set(since_training.positives) == edge_set(graph, t) - edge_set(graph, last_seen)
    assert not pair_set(since_training.negatives) & edge_set(graph, t)
    since_step = new_links(graph, split, t, seed=seed, since=t - 1)
    assert pair_set(since_step.positives) == edge_set(graph, t) - edge_set(graph, t - 1)


@given(graphs(min_snapshots=4, max_snapshots=5, max_nodes=10), st.sampled_from(NEGATIVES), st.data())
def test_later_snapshots_do_not_change_the_links_of_earlier_ones(graph, kind, data):
    split = Split(graph.num_snapshots - 2, 0, 2)
    t = split.test[0]
    later = data.draw(st.lists(st.tuples(*[st.integers(0, graph.num_nodes - 1)] * 2), max_size=6))
    before = graph.time <= t
    changed = TemporalGraph.from_edges(
        [*graph.source[before], *(a for a, _ in later)],
        [*graph.target[before], *(b for _, b in later)],
        [*graph.time[before], *[t + 1] * len(later)],
        num_nodes=graph.num_nodes,
        num_snapshots=graph.num_snapshots,
    ).unweighted()
    for make in (evaluation_links, new_links):
        old, new = make(graph, split, t, kind), make(changed, split, t, kind)
        np.testing.assert_array_equal(old.pairs, new.pairs)


@needs_data
@pytest.mark.parametrize(
    ("name", "digest"),
    [("enron10", "145f541864362573"), ("dblp", "ca77a8a80198eb95")],
)
def test_the_published_datasets_have_one_test_set_on_every_machine(name, digest):
    dataset = load(name, root=REAL)
    split = dataset.split_rule.split(dataset.graph.num_snapshots)
    content = hashlib.sha256()
    for t in split.test:
        content.update(evaluation_links(dataset.graph, split, t).pairs.astype("<i8").tobytes())
    assert content.hexdigest()[:16] == digest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"negatives": "random"}, "negatives='random': must be one of 'uniform', 'active', 'historical'"),
        ({"seed": -1}, "test_seed=-1: must be an integer >= 0"),
    ],
)
def test_bad_arguments(arguments, message):
    graph = TemporalGraph.from_edges([0, 1], [1, 2], [0, 1])
    with pytest.raises(ValueError, match=message):
        evaluation_links(graph, Split(1, 0, 1), 1, **arguments)
