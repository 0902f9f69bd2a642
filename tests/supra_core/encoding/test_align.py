"""Windows that agree with the one before: against the definition written out row by row."""

import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy.linalg
from hypothesis import assume, given
from hypothesis import strategies as st

from supra_core import TemporalGraph, TruncationWarning, generators
from supra_core.encoding.align import clusters

from ..encoders import plain

METHODS = ["slpe", "lpe"]
VARIANTS = ["exact", "inexact", "trajectory"]
ALIGNMENTS = ["signs", "rotation"]
NUM_NODES, NUM_SNAPSHOTS = 7, 6
GRAPH = generators.barabasi_albert(40, 6, m=2, rewire=0.2, seed=2)


def graphs(weights: bool = True):
    """Small temporal graphs; random weights keep eigenvalues apart."""

    def build(drawn) -> TemporalGraph:
        seed, density = drawn
        rng = np.random.default_rng(seed)
        size = int(density * NUM_SNAPSHOTS)
        columns = rng.integers(NUM_NODES, size=(2, size)), rng.integers(NUM_SNAPSHOTS, size=size)
        weight = rng.uniform(0.5, 2, size=size) if weights else None
        sizes = {"num_nodes": NUM_NODES, "num_snapshots": NUM_SNAPSHOTS}
        return TemporalGraph.from_edges(*columns[0], columns[1], weight, **sizes)

    return st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 12)).map(build)


def encode_all(encoder, graph):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        return encoder.encode_all(graph)


def rows_of(encoding, t) -> dict[tuple[int, int], np.ndarray]:
    """The last decomposition's rows by snapshot and node, global nodes as node -1, not turned."""
    part = encoding.decompositions[-1]
    first = t + 1 - part.supra.num_snapshots
    return {
        (first + int(time), int(node)): part.vectors[-1][row]
        for row, (time, node) in enumerate(zip(part.supra.time, part.supra.node, strict=True))
    }


def cosine(a, b) -> float:
    sizes = np.linalg.norm(a) * np.linalg.norm(b)
    return float(a @ b / sizes) if sizes > 0 else 0.0


def newest_cosines(encodings, graph, t) -> list[float]:
    """Of what is given out at t and at t - 1, on the nodes that are active at both."""
    if t == 0:
        return []
    both = graph.active(t) & graph.active(t - 1)
    k = encodings[t].k
    now, before = (encodings[s].values[both][:, -k:] for s in (t, t - 1))
    return [cosine(now[:, j], before[:, j]) for j in range(k)]


def products(encodings, t) -> np.ndarray | list:
    """Of the turned channels at t and at t - 1 over the rows that both windows have."""
    if t == 0:
        return []
    now, before = rows_of(encodings[t], t), rows_of(encodings[t - 1], t - 1)
    pairs = [(now[key], before[key]) for key in sorted(now.keys() & before.keys())]
    if len(encodings[t].decompositions) > 1 or not pairs:
        nodes = {node for s, node in now if s == t and node >= 0}
        nodes &= {node for s, node in before if s == t - 1 and node >= 0}
        pairs = [(now[t, node], before[t - 1, node]) for node in sorted(nodes)]
    turns = [encodings[s].turns[-1] for s in (t, t - 1)]
    return sum(((a @ turns[0]) * (b @ turns[1]) for a, b in pairs), start=np.zeros(encodings[t].k))


@pytest.mark.parametrize("method", METHODS)
@given(graph=graphs(), window=st.integers(1, 4), variant=st.sampled_from(VARIANTS))
def test_signs_against_the_definition(method, graph, window, variant):
    """Clearly the same in the newest layers: that sign. Else the sign of the product over shared rows."""
    encoder = plain(method, variant, k=2, window=window, max_steps=3, align="signs")
    encodings = encode_all(encoder, graph)
    for t in range(1, NUM_SNAPSHOTS):
        turn = encodings[t].turns[-1]
        assert np.array_equal(np.abs(turn), np.eye(2))
        for newest, product in zip(newest_cosines(encodings, graph, t), products(encodings, t), strict=True):
            assert newest >= -0.5 - 1e-9
            assert product >= -1e-5 or newest > 0.5 - 1e-9


@given(graph=graphs(), window=st.integers(2, 4))
def test_turns_are_those_of_procrustes_within_clusters(graph, window):
    encoder = plain(k=4, window=window, align="rotation")
    encodings = encode_all(encoder, graph)
    for t in range(1, NUM_SNAPSHOTS):
        now, before = rows_of(encodings[t], t), rows_of(encodings[t - 1], t - 1)
        shared = sorted(now.keys() & before.keys())
        if not shared:
            continue
        X = np.stack([now[key] for key in shared])
        Y = np.stack([before[key] for key in shared]) @ encodings[t - 1].turns[-1]
        parts = [encodings[s].decompositions[-1] for s in (t, t - 1)]
        values = [part.values[-1][: part.num_channels] for part in parts]
        common = min(map(len, values))
        moved = np.abs(values[0][:common] - values[1][:common]).max(initial=0.0)
        residual = max(part.result.residual_norms.max(initial=0.0) for part in parts)
        for part in clusters(values[0], np.maximum(max(moved, residual), 0.01 * values[0][1:])):
            block = X[:, part].T @ Y[:, part]
            if np.linalg.svd(block, compute_uv=False).min() < 1e-3:
                continue  # a direction of which the window before knows too little
            expected, _ = scipy.linalg.orthogonal_procrustes(X[:, part], Y[:, part])
            found = encodings[t].turns[-1][part, part]
            signs = np.sign(np.sum(expected * found, axis=0))  # of channels that match in the newest layer
            np.testing.assert_allclose(found, expected * signs, atol=1e-2)


@pytest.mark.parametrize("align", ALIGNMENTS)
@pytest.mark.parametrize("method", METHODS)
@given(graph=graphs(), window=st.integers(1, 4), variant=st.sampled_from(VARIANTS))
def test_what_is_spanned_stays_the_same(method, align, graph, window, variant):
    encoder = plain(method, variant, k=3, window=window, max_steps=3, align=align)
    aligned, plain_ones = encode_all(encoder, graph), encode_all(replace(encoder, align=None), graph)
    for a, b in zip(aligned, plain_ones, strict=True):
        for turn in a.turns:
            np.testing.assert_allclose(turn.T @ turn, np.eye(3), atol=1e-12)
        X, Y = (e.layers[-1:] if method == "lpe" else e.layers for e in (a, b))
        X, Y = (np.concatenate(list(part))[:, -3:] for part in (X, Y))  # of a trajectory the last step
        np.testing.assert_allclose(X @ X.T, Y @ Y.T, atol=1e-10)


@pytest.mark.parametrize("align", ALIGNMENTS)
@pytest.mark.parametrize("method", METHODS)
@given(
    graph=graphs(),
    variant=st.sampled_from(VARIANTS),
    init=st.sampled_from(["normal", "previous"]),
    cuts=st.sets(st.integers(1, NUM_SNAPSHOTS - 1)),
)
def test_pieces_of_a_walk_are_the_whole_bit_for_bit(method, align, graph, variant, init, cuts):
    settings = {"k": 2, "window": 3, "max_steps": 3, "init": init, "restart_every": 2, "align": align}
    encoder = plain(method, variant, **settings, absent="last")
    whole = encode_all(encoder, graph)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        walked = [
            encoding
            for start, stop in pairwise([0, *sorted(cuts), NUM_SNAPSHOTS])
            for encoding in encoder.walk(graph, start=start, stop=stop)
        ]
    for piece, encoding in zip(walked, whole, strict=True):
        assert piece.layers.tobytes() == encoding.layers.tobytes()


@pytest.mark.parametrize("align", ALIGNMENTS)
@pytest.mark.parametrize("method", METHODS)
@given(graph=graphs(), other=graphs(), t=st.integers(0, NUM_SNAPSHOTS - 2))
def test_nothing_later_is_looked_at(method, align, graph, other, t):
    past, future = graph.time <= t, other.time > t
    columns = [
        np.concatenate([getattr(graph, name)[past], getattr(other, name)[future]])
        for name in ("source", "target", "time", "weight")
    ]
    sizes = {"num_nodes": NUM_NODES, "num_snapshots": NUM_SNAPSHOTS}
    mixed = TemporalGraph.from_edges(*columns, **sizes)
    encoder = plain(method, k=2, window=3, align=align, absent="last")
    first, second = (encode_all(encoder, each) for each in (graph, mixed))
    for s in range(t + 1):
        assert np.array_equal(first[s].layers, second[s].layers)


@pytest.mark.parametrize("align", ALIGNMENTS)
@pytest.mark.parametrize("method", METHODS)
@given(graph=graphs(), empty=st.integers(1, 4))
def test_empty_snapshots_in_front_shift_time_and_nothing_else(method, align, graph, empty):
    shifted = TemporalGraph.from_edges(
        graph.source,
        graph.target,
        graph.time + empty,
        graph.weight,
        num_nodes=NUM_NODES,
        num_snapshots=NUM_SNAPSHOTS + empty,
    )
    encoder = plain(method, k=2, window=3, align=align, absent="last")
    first, second = encode_all(encoder, graph), encode_all(encoder, shifted)
    for t in range(NUM_SNAPSHOTS):
        np.testing.assert_allclose(second[t + empty].values, first[t].values, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(seed=st.integers(0, 2**32 - 1))
def test_relabelled_nodes_give_the_same_rows(method, seed):
    """Up to a sign of each channel in the first window, which is the only one that is free."""
    rng = np.random.default_rng(seed)
    weight = rng.uniform(0.5, 2, size=GRAPH.num_edges)
    names = rng.permutation(GRAPH.num_nodes)
    ends = GRAPH.source, GRAPH.target
    graph = TemporalGraph.from_edges(*ends, GRAPH.time, weight)
    renamed = TemporalGraph.from_edges(*(names[end] for end in ends), GRAPH.time, weight)
    # Strong coupling keeps vectors that vary in time alone, which agree with nothing, out of the first three.
    settings = {"k": 3, "window": 3, "coupling": 30.0, "tol": 1e-10}
    encoder = plain(method, **settings, align="signs", absent="last")
    first, second = encode_all(encoder, graph), encode_all(encoder, renamed)
    gaps = [np.diff(encoding.result.eigenvalues).min() for encoding in first]
    assume(min(gaps) > 1e-3)
    signs = np.sign(np.sum(first[0].values * second[0].values[names], axis=0))
    for t in range(GRAPH.num_snapshots):
        for newest, product in zip(newest_cosines(first, graph, t), products(first, t), strict=True):
            # Where a decision is as close as rounding it may fall either way.
            assume(abs(abs(newest) - 0.5) > 1e-6)
            assume(abs(newest) > 0.5 or abs(product) > 1e-4)
        np.testing.assert_allclose(second[t].values[names] * signs, first[t].values, atol=1e-6)


def test_channels_that_cross_do_not_change_places():
    """Two paths that hardly touch: the slowest vector of each, whose order changes between two snapshots."""
    ends = [(u, v, 1.0) for u, v in pairwise(range(6))] + [(5, 6, 0.001)]
    columns = [
        (*edge, t)
        for t, weight in enumerate((1.06, 0.97))
        for edge in [*ends, *((u, v, weight) for u, v in pairwise(range(6, 12)))]
    ]
    source, target, weights, time = map(np.array, zip(*columns, strict=True))
    graph = TemporalGraph.from_edges(source, target, time, weights)
    found = {}
    for align in ALIGNMENTS:
        values = plain("lpe", align=align, k=3, window=2, global_nodes=False).encode_all(graph).values
        found[align] = [cosine(values[0][:, j], values[1][:, j]) for j in (1, 2)]
    assert min(found["rotation"]) > 0.99
    assert max(found["signs"]) < 0.1


def test_a_double_eigenvalue_keeps_its_directions():
    """A ring's vectors come in pairs of which any turn is as good; a weight that changes turns them."""
    ring = np.arange(30)
    layers = [np.ones(30), np.where(ring == 11, 1.02, 1.0), np.where(ring == 20, 1.02, 1.0)]
    columns = [np.tile(ring, 3), np.tile((ring + 1) % 30, 3), np.repeat(np.arange(3), 30)]
    graph = TemporalGraph.from_edges(*columns, np.concatenate(layers))
    found = {}
    for align in ALIGNMENTS:
        values = plain("lpe", align=align, k=4, window=2, global_nodes=False).encode_all(graph).values
        found[align] = [cosine(values[t][:, j], values[t - 1][:, j]) for t in (1, 2) for j in range(4)]
    assert min(found["rotation"]) > 0.99
    assert min(found["signs"]) < 0.9


def test_trajectories_turn_as_a_whole():
    encoder = plain("slpe", "trajectory", k=3, window=3, max_steps=4, align="rotation")
    turned = 0
    for encoding, raw in zip(
        encoder.encode_all(GRAPH), replace(encoder, align=None).encode_all(GRAPH), strict=True
    ):
        turn = encoding.turns[0]
        turned += not np.array_equal(np.abs(turn), np.eye(3))
        for step in range(4):
            part = slice(3 * step, 3 * step + 3)
            np.testing.assert_allclose(
                encoding.values[:, part], raw.values[:, part] @ raw.turns[0] @ turn, atol=1e-12
            )
    assert turned


def test_eigenvalue_channels_of_turned_vectors_are_their_rayleigh_quotients():
    encoder = plain(k=4, window=3, align="rotation", with_eigenvalues=True, tol=1e-10)
    for t, encoding in enumerate(encoder.encode_all(GRAPH)):
        part = encoding.decompositions[0]
        X = part.vectors[0] @ encoding.turns[0]
        A = part.supra.adjacency.toarray()
        L = np.diag(A.sum(axis=1)) - A
        expected = np.einsum("nj,nm,mj->j", X, L, X)
        active = GRAPH.active(t)
        np.testing.assert_allclose(
            encoding.values[active][:, 4:], np.tile(expected, (active.sum(), 1)), atol=1e-7
        )


def test_a_single_encoding_has_canonical_signs():
    for align in ALIGNMENTS:
        for t in range(6):
            alone = plain(k=3, window=3, align=align).encode(GRAPH, t)
            assert np.array_equal(alone.values, plain(k=3, window=3).encode(GRAPH, t).values)


@given(values=st.lists(st.floats(0, 2), max_size=8).map(sorted), width=st.floats(0, 1))
def test_clusters_are_runs_of_small_gaps(values, width):
    parts = clusters(np.array(values), width)
    assert [j for part in parts for j in range(part.start, part.stop)] == list(range(len(values)))
    for part in parts:
        assert all(b - a <= width for a, b in pairwise(values[part]))
    for left, right in pairwise(parts):
        assert values[right.start] - values[left.stop - 1] > width
