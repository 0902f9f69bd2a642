"""The smallest pairs alone against all of them, where eigenvalues are multiple, far apart or all the same."""

import numpy as np
import pytest
import scipy.linalg

from supra_core import generators, laplacian
from supra_core.eigen.symmetric import smallest


def rotated(values):
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((len(values), len(values))))[0]
    return Q * values @ Q.T


MATRICES = {
    "preferential attachment": lambda: laplacian(
        generators.barabasi_albert(200, 1, seed=0).adjacency(0), "sym"
    ).toarray(),
    "path": lambda: laplacian(generators.path_layers(300, 1).adjacency(0)).toarray().astype(float),
    "complete graph": lambda: 120 * np.eye(120) - np.ones((120, 120)),
    "many components": lambda: np.kron(np.eye(60), [[1.0, -1.0], [-1.0, 1.0]]),
    "zeros": lambda: np.zeros((100, 100)),
    "identity": lambda: np.eye(100),
    "clusters": lambda: rotated(np.repeat([0.0, 1e-12, 1e-6, 1.0], 30)),
    "far apart": lambda: rotated(np.logspace(-12, 12, 100)),
    "as small as floats get": lambda: 1e-300 * rotated(np.arange(100.0)),
    "as large as floats get": lambda: 1e300 * rotated(np.arange(100.0)),
}


@pytest.mark.parametrize("k", [1, 9, 25])
@pytest.mark.parametrize("name", MATRICES)
def test_the_smallest_pairs_are_those_of_the_full_decomposition(name, k):
    A = MATRICES[name]()
    A = (A + A.T) / 2
    values, X = smallest(A, k)
    norm = np.abs(A).max() * len(A)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(A)[:k], atol=1e-14 * norm)
    np.testing.assert_allclose(X.T @ X, np.eye(k), atol=1e-12)
    if norm < 1e200:  # squares of larger numbers are not numbers
        assert np.linalg.norm(A @ X - X * values, axis=0).max() <= 1e-14 * norm


def test_where_lapack_gives_up_the_full_decomposition_answers(monkeypatch):
    A, plain = rotated(np.arange(100.0)), scipy.linalg.eigh

    def gives_up(matrix, **settings):
        if "subset_by_index" in settings:
            raise np.linalg.LinAlgError("no convergence")
        return plain(matrix, **settings)

    monkeypatch.setattr(scipy.linalg, "eigh", gives_up)
    np.testing.assert_allclose(smallest((A + A.T) / 2, 4)[0], np.arange(4.0), atol=1e-12)
