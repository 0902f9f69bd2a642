"""``Auto`` picks by size and shape, never raises on a symmetric matrix, and says who answered."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from supra_core import Auto, Davidson, eigenpairs
from supra_core.eigen import auto
from supra_core.eigen.result import Approximation

from . import spectra_oracles as oracles


@pytest.mark.parametrize(
    ("matrix", "solver"),
    [
        (oracles.path(100)[0], "Dense"),
        (oracles.path(3000)[0], "ShiftInvert"),
        (oracles.random_tree(3000), "ShiftInvert"),
        (oracles.grid(40, 40)[0], "ShiftInvert"),
        (oracles.chain_of_cliques(100, 30), "ShiftInvert"),
        (oracles.expander(3000), "Davidson"),
        (oracles.dense_layers(300), "Davidson"),
    ],
)
def test_picks_by_size_and_shape(matrix, solver):
    result = eigenpairs(matrix, 5)
    assert f"-> {solver}(" in result.solver
    assert result.converged.all()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([1, 2, 30, 451, 460]),
    k=st.integers(1, 9),
    kind=st.sampled_from(["zero", "diagonal", "indefinite", "negative", "tiny", "huge", "one entry"]),
)
def test_any_symmetric_matrix_is_answered(seed, n, k, kind):
    rng = np.random.default_rng(seed)
    k = min(k, n)
    matrix = sp.random_array((n, n), density=min(1.0, 4 / n), rng=rng, data_sampler=rng.standard_normal)
    matrix = {
        "zero": lambda: 0 * matrix,
        "diagonal": lambda: sp.diags_array(np.round(rng.standard_normal(n), 1)),
        "indefinite": lambda: matrix + matrix.T,
        "negative": lambda: -(matrix @ matrix.T),
        "tiny": lambda: 1e-9 * (matrix + matrix.T),
        "huge": lambda: 1e9 * (matrix + matrix.T),
        "one entry": lambda: sp.coo_array(([2.0], ([n - 1], [n - 1])), shape=(n, n)),
    }[kind]()
    result = eigenpairs(matrix, k)
    assert result.k == k
    assert result.converged.all()
    dense = matrix.toarray()
    size = max(float(np.abs(dense).max()), 1e-300)
    np.testing.assert_allclose(result.eigenvalues / size, np.linalg.eigvalsh(dense)[:k] / size, atol=1e-5)


@pytest.mark.parametrize("k", [1, 400, 700])
def test_any_number_of_pairs(k):
    matrix = oracles.expander(700)
    result = eigenpairs(matrix, k)
    np.testing.assert_allclose(result.eigenvalues, np.linalg.eigvalsh(matrix.toarray())[:k], atol=1e-6)


def test_goes_on_to_the_next_solver_where_one_does_not_converge(monkeypatch):
    def stuck(self, matrix, k, x0, rng):
        return Approximation(np.ones(k), np.linalg.qr(rng.standard_normal((matrix.shape[0], k)))[0])

    monkeypatch.setattr(auto.Davidson, "solve", stuck)
    matrix = oracles.expander(800)
    result = eigenpairs(matrix, 4)
    assert "Davidson" not in result.solver
    assert result.converged.all()


def test_what_no_solver_reaches_is_told(monkeypatch):
    def stuck(self, matrix, k, x0, rng):
        return Approximation(np.ones(k), np.linalg.qr(rng.standard_normal((matrix.shape[0], k)))[0])

    for solver in (auto.Davidson, auto.ShiftInvert, auto.Dense, auto.Lanczos):
        monkeypatch.setattr(solver, "solve", stuck)
    result = eigenpairs(oracles.expander(800), 4)
    assert not result.converged.any()


def test_starts_from_given_vectors():
    matrix = oracles.expander(2000)
    cold = eigenpairs(matrix, 6)
    warm = eigenpairs(matrix, 6, Auto(1e-4), x0=cold.eigenvectors)
    assert warm.num_matvecs < eigenpairs(matrix, 6, Davidson(1e-4)).num_matvecs / 2
