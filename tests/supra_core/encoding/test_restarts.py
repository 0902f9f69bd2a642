"""Chains of warm starts that begin anew at fixed windows: any stretch can be computed by itself."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import Encoder, InvalidArgumentError, TemporalGraph, TruncationWarning, generators

from ..encoders import plain

METHODS = ["slpe", "lpe"]
VARIANTS = ["exact", "inexact", "trajectory"]
NUM_SNAPSHOTS = 7
GRAPH = generators.barabasi_albert(40, NUM_SNAPSHOTS, m=2, rewire=0.1, seed=4)


def build(edges) -> TemporalGraph:
    columns = np.array(edges, dtype=int).reshape(-1, 3).T
    return TemporalGraph.from_edges(*columns, num_nodes=6, num_snapshots=NUM_SNAPSHOTS)


def edge_lists():
    return st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, NUM_SNAPSHOTS - 1)), max_size=30
    )


@pytest.mark.parametrize("method", METHODS)
@given(
    variant=st.sampled_from(VARIANTS),
    init=st.sampled_from(["previous", "normal"]),
    edges=edge_lists(),
    cuts=st.sets(st.integers(1, NUM_SNAPSHOTS - 1)),
    every=st.integers(1, 4),
)
def test_pieces_put_together_are_the_whole_bit_for_bit(method, variant, init, edges, cuts, every):
    graph = build(edges)
    encoder = plain(method, variant, k=2, window=3, max_steps=3, init=init, restart_every=every)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        whole = encoder.encode_all(graph)
        pieces = [
            encoding
            for start, stop in pairwise([0, *sorted(cuts), NUM_SNAPSHOTS])
            for encoding in encoder.walk(graph, start=start, stop=stop)
        ]
    assert len(pieces) == len(whole)
    for piece, encoding in zip(pieces, whole, strict=True):
        assert np.array_equal(piece.layers, encoding.layers)


@pytest.mark.parametrize("method", METHODS)
@given(variant=st.sampled_from(VARIANTS), edges=edge_lists(), earlier=edge_lists())
def test_nothing_before_a_restart_is_seen_after_it(method, variant, edges, earlier):
    """Replace all edges that no window from the restart on looks at: not one bit changes."""
    every, window = 4, 2
    first = every if method == "lpe" else every - window + 1
    other = [edge for edge in edges if edge[2] >= first] + [edge for edge in earlier if edge[2] < first]
    encoder = plain(method, variant, k=2, window=window, max_steps=3, init="previous", restart_every=every)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        one, two = (encoder.encode_all(build(each)).values[every:] for each in (edges, other))
    assert np.array_equal(one, two)


@pytest.mark.parametrize("every", [1, 3, 100])
@pytest.mark.parametrize("variant", VARIANTS)
def test_against_a_chain_by_hand(variant, every):
    encoder = plain("slpe", variant, k=3, window=2, max_steps=4, init="previous", restart_every=every)
    last = None
    for t, encoding in enumerate(encoder.encode_all(GRAPH)):
        window = GRAPH.window(t, 2)
        last = encoder.decompose(window, last if t % every else None)
        assert np.array_equal(encoding.values, encoder.combine([last]).values)
        if t % every == 0:
            assert np.array_equal(encoding.values, encoder.encode(GRAPH, t).values)


def test_restarts_are_seen_in_inexact_encodings():
    """Otherwise the tests above would hold for any code."""
    often, never = (
        plain("slpe", "inexact", k=3, max_steps=4, init="previous", restart_every=every).encode_all(GRAPH)
        for every in (3, 100)
    )
    assert np.array_equal(often.values[:3], never.values[:3])
    assert all(not np.array_equal(often.values[t], never.values[t]) for t in range(3, NUM_SNAPSHOTS))


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Encoder(init="previous", restart_every=0), "restart_every=0"),
        (lambda: Encoder(init="previous", restart_every=2.5), "restart_every=2.5"),
        (lambda: Encoder().walk(GRAPH, start=-1), "start=-1"),
        (lambda: Encoder().walk(GRAPH, start=NUM_SNAPSHOTS + 1), f"start={NUM_SNAPSHOTS + 1}"),
        (lambda: Encoder().walk(GRAPH, stop=NUM_SNAPSHOTS + 1), f"stop={NUM_SNAPSHOTS + 1}"),
    ],
)
def test_bad_settings(make, name):
    with pytest.raises(InvalidArgumentError, match=name):
        make()


def test_an_empty_stretch_is_empty():
    assert list(Encoder().walk(GRAPH, start=3, stop=3)) == []
    assert list(Encoder().walk(GRAPH, start=NUM_SNAPSHOTS)) == []
