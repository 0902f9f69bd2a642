"""Features and labels keep their identity: equal ones share a colour, different ones never do."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import TemporalGraph
from wl_tests import layer_wl, supra_wl
from wl_tests.inputs import initial_colours, interned_labels

from .oracles import make, same_partition

BIG = 2**53
NUMBERS = [
    0,
    1,
    BIG,
    BIG + 1,
    -BIG - 1,
    2**63,
    2**64 + 1,
    2**200,
    0.0,
    -0.0,
    0.5,
    1.0,
    float(BIG),
    2.0**64,
    1e300,
]
TEXT = ["", "0", "1", "1.0", "True", "a", "a\0", "ä", b"", b"1", b"a"]
VALUES = st.sampled_from(
    [*NUMBERS, *TEXT, True, False, float("inf"), -float("inf"), np.float32(0.1), np.int8(1)]
)


def identity(value):
    """What makes a value itself: what kind it is of, and for a number its exact value."""
    if isinstance(value, (str, bytes)):
        return (type(value), value)
    value = int(value) if isinstance(value, np.integer) else value
    return ("number", Fraction(*value.as_integer_ratio()) if np.isfinite(float(value)) else float(value))


def edges_apart(count):
    """A graph whose ``count`` edges share no node."""
    return make([(2 * i, 2 * i + 1, 0) for i in range(count)], 2 * count, 1)


@given(labels=st.lists(VALUES, min_size=1, max_size=12), cut=st.integers(0, 12), as_mapping=st.booleans())
def test_labels_are_interned_by_identity(labels, cut, as_mapping):
    """In one list, in the lists of two graphs, in a mapping."""
    parts = [part for part in (labels[:cut], labels[cut:]) if part]
    graphs = [edges_apart(len(part)) for part in parts]
    if as_mapping:
        parts = [{(2 * i + 1, 2 * i, 0): label for i, label in enumerate(part)} for part in parts]
    ids = interned_labels(graphs, parts)
    assert same_partition(ids.tolist(), [identity(label) for label in labels])
    assert sorted(set(ids.tolist())) == list(range(ids.max() + 1))


@given(
    rows=st.integers(1, 3).flatmap(
        lambda d: st.lists(st.lists(VALUES, min_size=d, max_size=d), min_size=1, max_size=9)
    )
)
def test_rows_are_interned_as_rows(rows):
    """Columns are paired, not added up: (0, 1) is not (1, 0)."""
    graph = make([], len(rows), 1)
    ids = initial_colours([graph], [[rows]])
    assert same_partition(ids.tolist(), [tuple(map(identity, row)) for row in rows])


@given(
    rows=st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=20), dtype=st.sampled_from("ilfd")
)
def test_rows_of_arrays_are_interned_as_rows(rows, dtype):
    graph = make([], len(rows), 1)
    ids = initial_colours([graph], [np.array([rows], dtype=dtype)])
    order = {row: rank for rank, row in enumerate(sorted(set(rows)))}
    assert ids.tolist() == [order[row] for row in rows]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1, "1", False),
        ("1", b"1", False),
        (BIG, BIG + 1, False),
        (BIG + 1, float(BIG), False),
        (2**70, 2**70 + 1, False),
        (2**70, 2.0**70, True),
        (np.uint64(2**64 - 1), np.int64(-1), False),
        (np.longdouble(2**60) + 1, 2**60 + 1, True),
        ("a", "a\0", False),
    ],
)
@pytest.mark.parametrize("beside", [None, 0.5, "x"])
def test_two_labels(a, b, same, beside):
    """In one list, beside others, and as arrays of two graphs."""
    one = [a, b] if beside is None else [a, b, beside]
    ids = interned_labels([edges_apart(len(one))], [one])
    assert (ids[0] == ids[1]) == same
    for test in (layer_wl, supra_wl):
        colouring = test(edges_apart(len(one)), edge_labels=[one])
        assert colouring.num_colours() == len(one) - same
    if not (isinstance(b, str) and b.endswith("\0")):  # NumPy's own text has no NUL at its end
        ids = interned_labels([edges_apart(1)] * 2, [np.array([a]), np.array([b])])
        assert (ids[0] == ids[1]) == same


@pytest.mark.parametrize("test", [layer_wl, supra_wl])
def test_numbers_of_one_value_are_one_label_and_all_else_stays_apart(test):
    """In one list: 1, 1.0 and True are the number one; text, and neighbours beyond 2**53, are not."""
    labels = [1, "1", 1.0, True, BIG, BIG + 1, float(BIG), b"1", str(BIG)]
    colours = test(edges_apart(len(labels)), edge_labels=[labels]).rounds[-1][0][0]
    assert same_partition(colours[::2].tolist(), [0, 1, 0, 0, 2, 3, 2, 4, 5])
    assert np.array_equal(colours[::2], colours[1::2])


def test_weights_of_two_graphs_are_compared_exactly():
    exact = TemporalGraph.from_edges([0], [1], [0], [BIG + 1])
    rounded = TemporalGraph.from_edges([0], [1], [0], [float(BIG + 1)])
    assert layer_wl(exact, rounded, edge_labels="weight").parting_round(0, 1) == 1
    assert layer_wl(rounded, rounded, edge_labels="weight").parting_round(0, 1) is None
