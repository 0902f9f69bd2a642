"""Features and labels: what they mean, and what is refused."""

import numpy as np
import pytest

from supra_core import InvalidArgumentError, InvalidGraphError, SupraError, TemporalGraph
from wl_tests import distinguishes, layer_wl, relabel, supra_wl
from wl_tests.inputs import initial_colours, interned_labels

from .oracles import make

G = make([(0, 1, 0), (1, 2, 1)], 3, 2)
LONGER = make([(0, 1, 0)], 3, 3)
EMPTY = make([], 2, 1)

BAD = {
    "zero graphs": (lambda t: t(), "graphs=()"),
    "no graph": (lambda t: t(G, "edges.csv"), "graphs[1]='edges.csv'"),
    "snapshots": (lambda t: t(G, LONGER), "graphs[1].num_snapshots=3: must be 2"),
    "rounds": (lambda t: t(G, max_rounds=-1), "max_rounds=-1"),
    "rounds float": (lambda t: t(G, max_rounds=1.5), "max_rounds=1.5"),
    "rounds bool": (lambda t: t(G, max_rounds=True), "max_rounds=True"),
    "feature shape": (lambda t: t(G, node_features=[np.zeros((3, 2))]), "node_features[0].shape=(3, 2)"),
    "feature rank": (lambda t: t(G, node_features=[np.zeros((2, 3, 1, 1))]), "node_features[0].shape"),
    "feature of one": (
        lambda t: t(G, G, node_features=[np.zeros((2, 3))]),
        "len(node_features)=1: must be 2",
    ),
    "feature widths": (
        lambda t: t(G, G, node_features=[np.zeros((2, 3, 1)), np.zeros((2, 3, 2))]),
        "row shapes",
    ),
    "feature NaN": (lambda t: t(G, node_features=[np.full((2, 3), np.nan)]), "NaN"),
    "feature objects": (lambda t: t(G, node_features=[np.full((2, 3), None)]), "node_features[0]"),
    "feature ragged": (lambda t: t(G, node_features=[[[1, 2, 3], [1]]]), "node_features[0]"),
    "feature NaN beside text": (lambda t: t(G, node_features=[[[1, float("nan"), "a"]] * 2]), "NaN"),
    "feature masked": (
        lambda t: t(G, node_features=[np.ma.array(np.zeros((2, 3)), mask=np.eye(2, 3))]),
        "must be free of masked entries",
    ),
    "feature complex": (lambda t: t(G, node_features=[[[1, 2, 1j]] * 2]), "without any complex"),
    "label that is no value": (lambda t: t(G, edge_labels=[[1, None]]), "without any NoneType"),
    "label ragged": (lambda t: t(G, edge_labels=[[[1, 2], 1]]), "rows of equal length"),
    "feature scalar": (lambda t: t(G, node_features=3), "node_features=3"),
    "label of a missing edge": (
        lambda t: t(G, edge_labels=[{(0, 1, 0): 1, (1, 2, 1): 1, (0, 2, 0): 5}]),
        "edge_labels[0] key=(0, 2, 0)",
    ),
    "label missing": (lambda t: t(G, edge_labels=[{(0, 1, 0): 1}]), "edge_labels[0][(1, 2, 1)]"),
    "label twice": (
        lambda t: t(G, edge_labels=[{(0, 1, 0): 1, (1, 0, 0): 2, (1, 2, 1): 1}]),
        "as given for its reverse",
    ),
    "label key": (lambda t: t(G, edge_labels=[{(0, 1): 1}]), "edge_labels[0] key=(0, 1)"),
    "label count": (lambda t: t(G, edge_labels=[[1, 2, 3]]), "edge_labels[0].shape=(3,)"),
    "label name": (lambda t: t(G, edge_labels="colour"), "edge_labels='colour'"),
    "labels of one": (lambda t: t(G, G, edge_labels=[[1, 2]]), "len(edge_labels)=1: must be 2"),
}


@pytest.mark.parametrize("test", [supra_wl, layer_wl])
@pytest.mark.parametrize(("call", "says"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_by_name(test, call, says):
    with pytest.raises(SupraError) as caught:
        call(test)
    assert says in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_different_numbers_of_snapshots_are_a_graph_error():
    with pytest.raises(InvalidGraphError):
        distinguishes(supra_wl, G, LONGER)


@pytest.mark.parametrize("test", [3, "wl", None])
def test_an_unknown_test_is_refused(test):
    with pytest.raises(InvalidArgumentError, match="test="):
        distinguishes(test, G, G)


def test_features_are_the_start():
    features = np.array([[5, 5, 7], [7, 5, 9]])
    colours = supra_wl(G, node_features=features).rounds[0][0]
    np.testing.assert_array_equal(colours, [[0, 0, 1], [1, 0, 2]])
    vectors = np.stack([features, features[::-1] * 0], axis=-1)
    np.testing.assert_array_equal(supra_wl(G, node_features=[vectors]).rounds[0][0], colours)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [(1, 1.0, True), (0.0, -0.0, True), (True, 1, True), ("x", "x", True), (1, 2, False), ("x", "y", False)],
)
def test_features_are_compared_by_value(a, b, same):
    ids = initial_colours([G, G], [np.full((2, 3), a), np.full((2, 3), b)])
    assert (ids.max() == 0) == same


def test_features_part_graphs_at_round_zero():
    zeros, ones = np.zeros((2, 3)), np.ones((2, 3))
    for test in (supra_wl, layer_wl):
        assert distinguishes(test, G, G, node_features=[zeros, ones]).round == 0
        assert distinguishes(test, G, G, node_features=[zeros, zeros]).inconclusive


def test_labels_matter_and_follow_their_edges():
    g = make([(0, 1, 0), (2, 3, 0)], 4, 1)
    for test in (supra_wl, layer_wl):
        assert distinguishes(test, g, g, edge_labels=[["a", "b"], ["a", "a"]]).round == 1
        assert distinguishes(test, g, g, edge_labels=[["a", "b"], ["b", "a"]]).inconclusive
    h = relabel(g, [3, 2, 1, 0])
    named = {(3, 2, 0): "a", (0, 1, 0): "b"}
    assert distinguishes(layer_wl, g, h, edge_labels=[["a", "b"], named]).inconclusive
    np.testing.assert_array_equal(interned_labels([g, h], [["a", "b"], named]), [0, 1, 1, 0])


def test_weights_are_read_only_when_asked_for():
    light = TemporalGraph.from_edges([0], [1], [0], [1])
    heavy = TemporalGraph.from_edges([0], [1], [0], [2.5])
    assert not distinguishes(supra_wl, light, heavy)
    assert distinguishes(supra_wl, light, heavy, edge_labels="weight").round == 1


def test_labels_may_be_rows():
    g = make([(0, 1, 0), (2, 3, 0)], 4, 1)
    rows = [[[1, 2], [1, 3]]]
    assert layer_wl(g, edge_labels=rows).num_colours() == 2


def test_graphs_without_edges_take_empty_labels():
    for labels in ([[], []], [{}, {}], "weight"):
        assert distinguishes(supra_wl, EMPTY, EMPTY, edge_labels=labels).inconclusive
    assert distinguishes(layer_wl, EMPTY, make([(0, 1, 0)], 2, 1), edge_labels=[[], ["x"]]).round == 1
