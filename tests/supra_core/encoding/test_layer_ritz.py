"""The mixtures of layers against a dense Rayleigh–Ritz step in the span of all layers of all vectors."""

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from supra_core.encoding.layer_ritz import layer_ritz


def drawn(seed, sizes, columns, *, dependent):
    """A symmetric matrix whose entries join rows of one layer or of neighbouring ones, and vectors."""
    rng = np.random.default_rng(seed)
    layer = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    A = rng.standard_normal((len(layer), len(layer)))
    A = (A + A.T) * (np.abs(layer[:, None] - layer) <= 1) * (rng.random(A.shape) < 0.7)
    A = np.triu(A) + np.triu(A, 1).T
    X = rng.standard_normal((len(layer), columns))
    if dependent and columns > 1:
        X[:, -1] = X[:, 0] * np.where(layer == 0, -2.0, 1.0)
    return A, X, layer


@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.lists(st.integers(0, 6), min_size=1, max_size=4).filter(any),
    columns=st.integers(1, 4),
    dependent=st.booleans(),
)
def test_mixtures_are_the_ritz_vectors_of_the_span_of_all_layers(seed, sizes, columns, dependent):
    A, X, layer = drawn(seed, sizes, columns, dependent=dependent)
    cut = np.column_stack([X * (layer == each)[:, None] for each in range(len(sizes))])
    span = scipy.linalg.orth(cut, rcond=1e-8)
    expected = np.linalg.eigvalsh(span.T @ A @ span)
    values, vectors, products = layer_ritz(sp.csr_array(A), X.copy(), layer)
    assert len(values) == min(columns, len(expected))
    np.testing.assert_allclose(values, expected[: len(values)], atol=1e-6)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-6)
    np.testing.assert_allclose(products, A @ vectors, atol=1e-6)
    np.testing.assert_allclose(vectors.T @ products, np.diag(values), atol=1e-6)


def test_vectors_of_zeros_have_no_mixtures():
    values, vectors, products = layer_ritz(sp.csr_array(np.eye(3)), np.zeros((3, 2)), np.array([0, 1, 1]))
    assert len(values) == 0
    assert vectors.shape == products.shape == (3, 0)
