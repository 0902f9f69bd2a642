"""Davis and Kahan's bound on drawn graphs and drawn changes: no channel turns further than it says.

Angles are bounded from above in exact rational arithmetic, so that no tolerance hides a violation.
"""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import InvalidArgumentError, TemporalGraph, TruncationWarning, generators, laplacian
from supra_core.encoding.stability import figure

from ..encoders import plain
from .exact_matrices import Eigenspace, Span, exact, minus, norm_above, num_below, sine_above

pytestmark = pytest.mark.property


@given(
    seed=st.integers(0, 2**32 - 1),
    exponent=st.integers(-6, 0),
    normalization=st.sampled_from([None, "sym"]),
    k=st.integers(1, 5),
    structured=st.booleans(),
)
def test_no_change_turns_a_channel_further_than_the_bound(seed, exponent, normalization, k, structured):
    rng = np.random.default_rng(seed)
    if structured:  # equal weights on a ring: clusters
        ends, weight = (np.arange(9), (np.arange(9) + 1) % 9), np.ones(9)
    else:
        ends, weight = rng.integers(9, size=(2, 25)), rng.uniform(0.5, 2, size=25)
    extra = rng.integers(9, size=(2, 3))
    graphs = [
        TemporalGraph.from_edges(
            *(np.concatenate([a, b]) for a, b in zip(ends, extra, strict=True)),
            np.zeros(len(weight) + 3, dtype=int),
            np.concatenate([weight, np.full(3, amount)]),
            num_nodes=9,
        )
        for amount in (1e-9, 10.0**exponent)
    ]
    settings = {"k": k, "global_nodes": False, "drop_isolated": False, "normalization": normalization}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        before, after = (plain("lpe", **settings).encode(graph, 0) for graph in graphs)
    L, M = (laplacian(e.decompositions[0].supra.adjacency, normalization).toarray() for e in (before, after))
    # Rounded up, so that it is not below the exact norm.
    change = np.nextafter(float(norm_above(minus(exact(L), exact(M)))), np.inf)
    stability = before.stability
    (values, V), (others, W) = np.linalg.eigh(L), np.linalg.eigh(M)
    count = len(stability.eigenvalues)
    for groups in (True, False):
        bounds = stability.bound(change, groups=groups)
        parts = stability.clusters if groups else [slice(j, j + 1) for j in range(count)]
        for part in parts:
            limit = Fraction(float(bounds[part.start]))
            if limit == 1:
                continue
            shifted = slice(part.start + 1, part.stop + 1)  # the trivial one comes first
            after_change = Eigenspace(M, others, W, shifted)
            assert sine_above(Eigenspace(L, values, V, shifted), after_change) <= limit
            # ... and so for the vectors that the encoder has.
            assert sine_above(Span(before.decompositions[0].vectors[0][:, part]), after_change) <= limit


def test_a_ring_has_pairs_and_a_path_has_none():
    ring = plain("lpe", k=4, global_nodes=False).encode(generators.cycle_layers(30, 1), 0).stability
    assert [(part.start, part.stop) for part in ring.clusters] == [(0, 2), (2, 4)]
    assert not ring.alone.any()
    assert ring.groups.tolist() == [0, 0, 1, 1]
    assert (ring.bound(1e-6, groups=False)[:2] == 1).all()
    assert (ring.bound(1e-6)[:2] < 1e-3).all()
    path = plain("lpe", k=4, global_nodes=False).encode(generators.path_layers(30, 1), 0).stability
    assert path.alone.all()
    spectrum = generators.path_spectrum(30)[:5]
    expected = [min(b - a, c - b) for a, b, c in zip(spectrum, spectrum[1:], spectrum[2:], strict=False)]
    np.testing.assert_allclose(path.gaps[:3], expected, atol=1e-9)
    assert path.gaps[3] == 0, "nothing is known of what comes after the last"
    assert "4 of 4 channels alone" in repr(path)


def test_all_pairs_known_have_a_gap_above():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        whole = plain("lpe", k=9, global_nodes=False).encode(generators.path_layers(6, 1), 0).stability
    assert len(whole.eigenvalues) == 5
    assert (whole.bound(1e-6) < 1e-3).all()


def test_bad_changes_and_the_figure():
    stability = plain("lpe", k=3).encode(generators.path_layers(12, 1), 0).stability
    with pytest.raises(InvalidArgumentError, match=r"change=-1\.0"):
        stability.bound(-1.0)
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    assert len(figure(stability).axes) == 1


def test_what_the_proofs_above_rest_on():
    """Matrices whose eigenvalues and angles are known: proved bounds are above them, and near."""
    A = np.diag([1.0, 2.0, 2.0, 5.0])
    assert [num_below(exact(A), Fraction(at, 2)) for at in (1, 3, 5, 9, 11)] == [0, 1, 3, 3, 4]
    turned = np.array(
        [[np.cos(0.3), 0, 0, -np.sin(0.3)], [0, 1, 0, 0], [0, 0, 1, 0], [np.sin(0.3), 0, 0, np.cos(0.3)]]
    )
    for part, angle in ((slice(0, 1), 0.3), (slice(1, 3), 0.0), (slice(0, 3), 0.3), (slice(0, 4), 0.0)):
        sine = float(sine_above(Span(turned[:, part]), Eigenspace(A, np.diag(A), np.eye(4), part)))
        assert np.sin(angle) <= sine <= np.sin(angle) + 1e-9
    with pytest.raises(AssertionError):
        Eigenspace(A, np.array([1.0, 1.2, 2.0, 5.0]), np.eye(4), slice(0, 2))
    assert 3.0 <= norm_above(exact(np.array([[3.0, 0.0], [0.0, -1.0]]))) < 3.0 + 1e-8
