"""What a temporal graph is like, and how alike two of them are."""

import dataclasses
import itertools
import json
import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import InvalidArgumentError, TemporalGraph
from supra_core.generators import block_model
from supra_experiments.analysis.graph_statistics import (
    NAMES,
    graph_statistics,
    similarity,
    write_reference_statistics,
)
from supra_experiments.datasets import load

from ..helpers import REAL, edge_set, graphs, needs_data
from ..made_up import REFERENCES


def mean(values):
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def oracle(graph: TemporalGraph) -> dict[str, float]:
    nx = pytest.importorskip("networkx")
    layers = [nx.Graph(list(edge_set(graph, t))) for t in range(graph.num_snapshots)]
    busy = [layer for layer in layers if len(layer)]
    edges = [edge_set(graph, t) for t in range(graph.num_snapshots)]
    repeated, seen_before, new_nodes = [], [], []
    for t in range(1, graph.num_snapshots):
        if edges[t]:
            past = set().union(*edges[:t])
            known = {node for edge in past for node in edge}
            repeated.append(len(edges[t] & edges[t - 1]) / len(edges[t]))
            seen_before.append(len(edges[t] & past) / len(edges[t]))
            new_nodes.append(len(set(layers[t]) - known) / len(layers[t]))
    components = [[len(part) for part in nx.connected_components(layer)] for layer in busy]
    paths = [sum(d * (d - 1) for _, d in layer.degree) for layer in busy]
    degrees = [[d for _, d in layer.degree] for layer in busy]
    points = list(range(graph.num_snapshots)), [math.log(1 + len(part)) for part in edges]
    return {
        "num_nodes": graph.num_nodes,
        "num_snapshots": graph.num_snapshots,
        "density": mean([nx.density(layer) for layer in busy]),
        "active": mean([len(layer) / graph.num_nodes for layer in layers]),
        "silent": 1 - len(set().union(*layers)) / graph.num_nodes,
        "repeated": mean(repeated),
        "seen_before": mean(seen_before),
        "new_nodes": mean(new_nodes),
        "degree_gini": mean(
            [
                sum(abs(a - b) for a, b in itertools.product(part, part)) / (2 * len(part) * sum(part))
                for part in degrees
            ]
        ),
        "clustering": mean(
            [nx.transitivity(layer) if some else math.nan for layer, some in zip(busy, paths, strict=True)]
        ),
        "largest_component": mean([max(part) / sum(part) for part in components]),
        "components": mean([len(part) / sum(part) for part in components]),
        "growth": statistics.linear_regression(*points).slope if graph.num_snapshots > 1 else math.nan,
    }


@given(graph=graphs(max_nodes=9))
def test_statistics_are_those_of_networkx(graph):
    found, expected = dataclasses.asdict(graph_statistics(graph)), oracle(graph)
    assert list(found) == list(NAMES)
    for name in NAMES:
        assert found[name] == pytest.approx(expected[name], abs=1e-12, nan_ok=True), name


def test_statistics_of_a_larger_graph_with_hubs():
    graph = block_model(60, 4, num_blocks=3, p_in=0.3, p_out=0.02, seed=3).unweighted()
    hub = TemporalGraph.from_edges(
        np.concatenate([graph.source, np.zeros(59, dtype=int)]),
        np.concatenate([graph.target, np.arange(1, 60)]),
        np.concatenate([graph.time, np.full(59, 2)]),
    ).unweighted()
    found, expected = dataclasses.asdict(graph_statistics(hub)), oracle(hub)
    assert found == pytest.approx(expected)


@given(graph=graphs(min_snapshots=2), data=st.data())
def test_statistics_see_neither_the_test_nor_names(graph, data):
    num_train = data.draw(st.integers(1, graph.num_snapshots - 1))
    expected = graph_statistics(graph, num_train).compared()
    np.testing.assert_array_equal(
        graph_statistics(graph.window(num_train - 1, num_train)).compared(), expected
    )
    names = np.array(data.draw(st.permutations(range(graph.num_nodes))))
    renamed = TemporalGraph.from_edges(
        names[graph.source],
        names[graph.target],
        graph.time,
        num_nodes=graph.num_nodes,
        num_snapshots=graph.num_snapshots,
    )
    np.testing.assert_allclose(graph_statistics(renamed, num_train).compared(), expected, atol=1e-12)


def test_statistics_refuse_snapshots_that_are_not_there():
    with pytest.raises(InvalidArgumentError, match="num_train=0"):
        graph_statistics(load("demo").graph, 0)
    with pytest.raises(InvalidArgumentError, match="stop=10"):
        graph_statistics(load("demo").graph, 11)


@needs_data
def test_the_packaged_statistics_are_those_of_the_data(tmp_path):
    write_reference_statistics(tmp_path / "found.json", REAL)
    found = json.loads((tmp_path / "found.json").read_text())
    assert found == {name: dataclasses.asdict(part) for name, part in REFERENCES.items()}


def test_similarity_by_hand():
    # Three graphs that differ in one statistic only: at 0, 1 and 3 units.
    base = REFERENCES["dblp"]
    known = {name: dataclasses.replace(base, active=x) for name, x in (("a", 0.0), ("b", 0.1), ("c", 0.3))}
    # Distances between them are 1, 2, 3 tenths of whatever unit: the median is 2, and 1 / (1 + 1/4) = 0.8.
    found = similarity(known["a"], known)
    assert found == pytest.approx({"a": 1.0, "b": 1 / (1 + 1 / 4), "c": 1 / (1 + 9 / 4)})
    assert similarity(known["a"], known, skip="a").keys() == {"b", "c"}
    assert similarity(base, {}) == {}


def test_similarity_uses_what_both_have_and_far_is_far_from_all():
    unknown = dataclasses.replace(REFERENCES["dblp"], repeated=math.nan, growth=math.nan)
    found = similarity(unknown, REFERENCES)
    assert found["dblp"] == 1.0
    assert all(0 < value <= 1 for value in found.values())
    far = dataclasses.replace(REFERENCES["dblp"], growth=1e6)
    values = list(similarity(far, REFERENCES).values())
    assert max(values) < 1e-6
    assert max(values) == pytest.approx(min(values), rel=1e-3)
