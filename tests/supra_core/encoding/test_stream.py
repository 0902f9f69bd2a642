"""Snapshots pushed one by one: the numbers of a walk, also after a restart in the middle."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import Encoder, InvalidArgumentError, TemporalGraph, TruncationWarning, generators

from ..encoders import plain
from .test_align import NUM_NODES, NUM_SNAPSHOTS, encode_all, graphs

ENCODERS = st.builds(
    lambda method, variant, align, absent, init: plain(
        method,
        variant,
        k=2,
        window=3,
        max_steps=3,
        align=align,
        absent=absent,
        with_age=True,
        init=init,
        restart_every=4,
    ),
    st.sampled_from(["slpe", "lpe"]),
    st.sampled_from(["exact", "inexact", "trajectory"]),
    st.sampled_from([None, "signs", "rotation"]),
    st.sampled_from(["last", "zeros"]),
    st.sampled_from(["normal", "previous"]),
)


@given(encoder=ENCODERS, graph=graphs(), stop=st.integers(0, NUM_SNAPSHOTS), as_graph=st.booleans())
def test_pushing_all_is_encoding_all_also_when_restored_in_the_middle(encoder, graph, stop, as_graph):
    expected = encode_all(encoder, graph)
    stream = encoder.stream(NUM_NODES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        for t in range(NUM_SNAPSHOTS):
            if t == stop:
                state = stream.state_dict()
                assert all(isinstance(array, np.ndarray) for array in state.values())
                stream = encoder.stream(NUM_NODES)
                stream.load_state_dict(state)
            found = stream.push(graph.window(t, 1)) if as_graph else stream.push(*graph.snapshot(t))
            assert found.layers.tobytes() == expected[t].layers.tobytes()
            assert np.array_equal(found.age, expected[t].age)
    assert stream.num_pushed == NUM_SNAPSHOTS


def check_new_nodes_change_nothing_else(encoder, graph, restored):
    """Nodes that are known from the snapshot on in which one of them first has an edge."""
    expected = encode_all(encoder, graph)
    stream, known = encoder.stream(1), 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        for t in range(graph.num_snapshots):
            source, target, weight = graph.snapshot(t)
            known = max(known, int(target.max(initial=0)) + 1)
            found = stream.push(source, target, weight, num_nodes=known)
            assert found.layers.shape[1] == known
            assert np.array_equal(found.layers, expected[t].layers[:, :known])
            if restored:
                state, stream = stream.state_dict(), encoder.stream(known)
                stream.load_state_dict(state)


@given(encoder=ENCODERS, graph=graphs(), restored=st.booleans())
def test_new_nodes_change_nothing_else(encoder, graph, restored):
    check_new_nodes_change_nothing_else(encoder, graph, restored)


@pytest.mark.parametrize("restored", [False, True])
@pytest.mark.parametrize("align", [None, "signs", "rotation"])
@pytest.mark.parametrize("method", ["slpe", "lpe"])
def test_a_node_that_comes_with_every_snapshot(method, align, restored):
    """A path that grows at its end: six nodes at first, then one more each time."""
    edges = [(i, i + 1, t) for t in range(6) for i in range(5 + t)]
    encoder = plain(method, "exact", k=2, window=3, align=align, absent="last", init="previous")
    check_new_nodes_change_nothing_else(
        encoder, TemporalGraph.from_edges(*zip(*edges, strict=True)), restored
    )


def test_memory_does_not_grow():
    graph = generators.barabasi_albert(30, 40, m=2, rewire=0.2, seed=1)
    for method in ("slpe", "lpe"):
        stream = Encoder(method, k=3, window=4).stream(30)
        sizes = []
        for t in range(40):
            stream.push(*graph.snapshot(t))
            sizes.append(sum(array.nbytes for array in stream.state_dict().values()))
        assert max(sizes[20:]) <= max(sizes[:20])


def test_files(tmp_path):
    graph = generators.barabasi_albert(30, 6, m=2, rewire=0.2, seed=1)
    encoder, path = Encoder(k=3, window=3), tmp_path / "stream.npz"
    expected, stream = encoder.encode_all(graph), encoder.stream(30)
    for t in range(6):
        assert np.array_equal(stream.push(*graph.snapshot(t)).values, expected[t].values)
        stream.save(path)
        stream = encoder.stream(1)
        stream.load(path)
    assert list(tmp_path.iterdir()) == [path]
    other = Encoder(k=4, window=3).stream(30)
    with pytest.raises(InvalidArgumentError, match=r"state\['encoder'\]"):
        other.load(path)
    for damage in (b"", b"PK\x03\x04 not a zip", path.read_bytes()[:-200]):
        path.write_bytes(damage)
        with pytest.raises(InvalidArgumentError, match="must be a saved stream"):
            stream.load(path)
    with pytest.raises(FileNotFoundError):
        stream.load(tmp_path / "none.npz")
    with pytest.raises(InvalidArgumentError, match="must be what state_dict gave"):
        stream.load_state_dict({})


def test_bad_snapshots_leave_the_stream_as_it_was():
    graph = generators.path_layers(6, 3)
    encoder = Encoder(k=2, window=2)
    stream = encoder.stream(6)
    stream.push(*graph.snapshot(0))
    for bad in (
        lambda: stream.push([0, 7], [1, 2]),
        lambda: stream.push([0], [1], [-1.0]),
        lambda: stream.push([0], [1], num_nodes=3),
        lambda: stream.push(graph),
    ):
        with pytest.raises(ValueError, match=r"source|weight|num_nodes"):
            bad()
    found = stream.push(TemporalGraph.from_edges(*graph.snapshot(1)[:2], np.zeros(5, dtype=int)))
    assert np.array_equal(found.values, encoder.encode_all(graph)[1].values)
