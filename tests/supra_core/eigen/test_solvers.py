"""Every solver against closed forms and dense ``eigh``, on one table of graphs."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from supra_core import LOBPCG, Auto, Davidson, Dense, Lanczos, ShiftInvert, TruncationWarning, eigenpairs

from .iterating import no_dense_shortcut
from .matrices import TABLE, check_solver, path, star

CONVERGING = [Dense(), Lanczos(), ShiftInvert(max_cost=1e9), LOBPCG(max_steps=2000, tol=1e-8), Auto(tol=1e-8)]
CUT_SHORT = [
    LOBPCG(max_steps=5),
    LOBPCG(max_steps=30, preconditioner="jacobi", init="rademacher"),
    LOBPCG(max_steps=8, init="uniform", trajectory=True),
    Lanczos(max_steps=1),
]


def _name(value: object) -> str:
    return value if isinstance(value, str) else repr(value)


@pytest.mark.parametrize("solver", CONVERGING, ids=_name)
@pytest.mark.parametrize("graph", TABLE)
def test_converging_solvers_agree_with_the_known_spectrum(graph, solver):
    check_solver(graph, solver)
    if not isinstance(solver, Dense):
        with no_dense_shortcut():
            check_solver(graph, solver)


@pytest.mark.parametrize("solver", CUT_SHORT, ids=_name)
@pytest.mark.parametrize("graph", TABLE)
def test_a_solver_cut_short_is_finite_orthonormal_and_honest(graph, solver):
    matrix = TABLE[graph][0]()
    k = min(6, matrix.shape[0])
    result = eigenpairs(matrix, k, solver)
    assert np.isfinite(result.eigenvectors).all()
    np.testing.assert_allclose(result.eigenvectors.T @ result.eigenvectors, np.eye(k), atol=1e-10)
    residuals = np.linalg.norm(
        matrix @ result.eigenvectors - result.eigenvectors * result.eigenvalues, axis=0
    )
    np.testing.assert_allclose(result.residual_norms, residuals, atol=1e-10)
    assert not result.converged[residuals > 1e-6].any()
    # Courant–Fischer: Ritz values lie above the eigenvalues they stand for.
    exact = np.linalg.eigvalsh(matrix.toarray())
    assert (result.eigenvalues >= exact[:k] - 1e-9).all()


@st.composite
def symmetric_matrices(draw):
    n = draw(st.integers(1, 40))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((n, n)) * (rng.random((n, n)) < draw(st.sampled_from([0.0, 0.1, 0.5, 1.0])))
    scale = draw(st.sampled_from([1e-12, 1e-3, 1.0, 1e5, 1e12]))
    kind = draw(st.sampled_from(["indefinite", "low rank", "diagonal", "duplicated"]))
    if kind == "low rank":
        matrix[:, n // 3 :] = 0
        matrix = matrix @ matrix.T
    elif kind == "diagonal":
        matrix = np.diag(np.round(np.diag(matrix)))
    elif kind == "duplicated":
        matrix = np.kron(np.eye(2), matrix)
    return (matrix + matrix.T) * scale


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("solver", [*CONVERGING[1:], Davidson(1e-8, basis_size=33), *CUT_SHORT], ids=_name)
@given(matrix=symmetric_matrices(), k=st.integers(1, 30), data=st.data())
def test_no_solver_raises_or_gives_nan_on_any_symmetric_matrix(solver, matrix, k, data):
    k = min(k, len(matrix))
    columns = data.draw(st.sampled_from([None, 1, k, k + 3]))
    x0 = None if columns is None else np.ones((len(matrix), columns))  # as dependent as a block can be
    with no_dense_shortcut():
        result = eigenpairs(matrix, k, solver, x0=x0)
    assert result.eigenvectors.shape == (len(matrix), k)
    assert np.isfinite(result.eigenvectors).all()
    assert np.isfinite(result.eigenvalues).all()
    np.testing.assert_allclose(result.eigenvectors.T @ result.eigenvectors, np.eye(k), atol=1e-9)
    if result.converged.all():
        size = max(np.abs(matrix).max(), 1e-300)
        exact = np.linalg.eigvalsh(matrix)[:k]
        np.testing.assert_allclose(result.eigenvalues / size, exact / size, atol=1e-6)


@pytest.mark.parametrize("init", ["normal", "rademacher", "uniform", "previous"])
def test_lobpcg_is_deterministic_and_starts_as_told(init):
    matrix = path(80)
    solver = LOBPCG(max_steps=4, init=init)
    first, again, other = (eigenpairs(matrix, 4, solver, rng=seed) for seed in (7, 7, 8))
    assert np.array_equal(first.eigenvectors, again.eigenvectors)
    assert not np.allclose(first.eigenvectors, other.eigenvectors)


def test_lobpcg_from_the_exact_vectors_has_nothing_to_do():
    matrix = path(80)
    exact = eigenpairs(matrix, 4, Dense()).eigenvectors
    result = eigenpairs(matrix, 4, LOBPCG(init="previous"), x0=exact)
    assert result.num_steps == 0
    assert result.converged.all()


def test_trajectory_is_monotone_and_ends_at_the_answer():
    matrix = TABLE["supra"][0]()
    result = eigenpairs(matrix, 5, LOBPCG(max_steps=60, trajectory=True, preconditioner="jacobi"))
    steps = result.trajectory
    assert steps.eigenvalues.shape == (60, 5)
    assert steps.eigenvectors.shape == (60, matrix.shape[0], 5)
    energy = steps.eigenvalues.sum(axis=1)
    assert (np.diff(energy) <= 1e-9).all()
    for values, vectors in zip(steps.eigenvalues, steps.eigenvectors, strict=True):
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-8)
        np.testing.assert_allclose(np.diag(vectors.T @ (matrix @ vectors)), values, atol=1e-8)
    # One sign a vector: neighbouring steps, and the last and the answer, point the same way.
    overlaps = np.einsum("snk,snk->sk", steps.eigenvectors[1:], steps.eigenvectors[:-1])
    assert (overlaps >= 0).all()
    assert (np.einsum("nk,nk->k", steps.eigenvectors[-1], result.eigenvectors) > 0.99).all()


@pytest.mark.parametrize("kind", ["function", "sparse matrix"])
def test_any_operator_preconditions(kind):
    matrix = star(500) * 1.0 + sp.diags_array(np.linspace(0, 50, 500))
    inverse = sp.diags_array(1 / matrix.diagonal())
    operator = (lambda block: inverse @ block) if kind == "function" else sp.csr_array(inverse)
    plain = eigenpairs(matrix, 3, LOBPCG(max_steps=200, tol=1e-8))
    helped = eigenpairs(matrix, 3, LOBPCG(max_steps=200, tol=1e-8, preconditioner=operator))
    assert helped.converged.all()
    assert helped.num_steps < plain.num_steps


def test_more_pairs_than_exist_gives_what_exists_and_says_so():
    with pytest.warns(TruncationWarning, match=r"k=9.*5"):
        result = eigenpairs(path(5), 9)
    assert result.k == 5


def test_a_matrix_without_rows_has_no_pairs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        assert eigenpairs(sp.csr_array((0, 0)), 3).k == 0


def test_lanczos_converges_where_plain_arpack_gives_up():
    import scipy.sparse.linalg as sla

    matrix = path(1500)
    with pytest.raises(sla.ArpackNoConvergence):
        sla.eigsh(matrix, 6, which="SA", maxiter=300)
    result = eigenpairs(matrix, 6, Lanczos(tol=1e-7))
    assert result.converged.all()


@pytest.mark.parametrize("solver", [Lanczos(), LOBPCG(), Auto()], ids=_name)
def test_a_result_explains_itself(solver):
    result = eigenpairs(TABLE["supra"][0](), 4, solver)
    assert type(solver).__name__ in result.solver
    assert "largest residual" in repr(result)
