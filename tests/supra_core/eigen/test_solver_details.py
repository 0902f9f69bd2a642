"""What solvers promise beside their answer: proofs that count, fresh products, digits of tiny values."""

import numpy as np
import pytest
import scipy.sparse as sp

from supra_core import LOBPCG, Davidson, Dense, Lanczos, ShiftInvert, eigenpairs, laplacian
from supra_core.eigen import shift_invert
from supra_core.eigen.davidson.iteration import Iteration
from supra_core.eigen.davidson.krylov import KrylovStage
from supra_core.eigen.davidson.search_space import SearchSpace
from supra_core.eigen.lobpcg import starting_block
from supra_core.eigen.nullspace import null_space
from supra_core.generators.adversarial import copies, layers, torus

from .iterating import no_dense_shortcut


@pytest.mark.parametrize(
    "solver",
    [
        *(LOBPCG(max_steps=300, tol=1e-6), Davidson(1e-6), Davidson(1e-6, spare=3), Dense(), Lanczos(1e-6)),
        ShiftInvert(1e-6, max_cost=1e9),
    ],
)
def test_lapacks_fastest_method_may_give_up(solver, monkeypatch):
    """As it does, rarely, on Gram matrices of nearly dependent vectors."""
    matrix = laplacian(torus(9, 9)).astype(float)
    expected = np.linalg.eigvalsh(matrix.toarray())[:5]

    def gives_up(_):
        raise np.linalg.LinAlgError("Eigenvalues did not converge")

    monkeypatch.setattr(np.linalg, "eigh", gives_up)
    with no_dense_shortcut():
        result = eigenpairs(matrix, 5, solver)
    assert result.converged.all()
    np.testing.assert_allclose(result.eigenvalues, expected, atol=1e-6)


def test_shift_invert_counts_what_its_search_has_missed(monkeypatch):
    matrix = laplacian(torus(9, 9)).astype(float)
    values, vectors = np.linalg.eigh(matrix.toarray())
    search, calls = shift_invert._Run._dominant, []

    def misses_some(self, invert, count, start, deflated, rng):
        calls.append(count)
        if len(calls) == 1:
            return vectors[:, 5 : 5 + count]  # pairs, but not the smallest
        return search(self, invert, count, start, deflated, rng)

    monkeypatch.setattr(shift_invert._Run, "_dominant", misses_some)
    result = eigenpairs(matrix, 5, ShiftInvert(max_cost=1e9))
    assert len(calls) > 1
    assert result.verified == "inertia"
    np.testing.assert_allclose(result.eigenvalues, values[:5], atol=1e-9)


def test_shift_invert_without_a_proof_is_looked_at_by_others(monkeypatch):
    matrix = laplacian(torus(9, 9)).astype(float)
    monkeypatch.setattr(shift_invert, "_factor_error", lambda L, U: np.inf)
    result = eigenpairs(matrix, 5, ShiftInvert(max_cost=1e9))
    assert result.verified == "random"


@pytest.mark.parametrize("steps", [1, 5, 40])
def test_davidson_gives_products_only_where_they_are_fresh(steps):
    matrix = laplacian(layers(200, 4, 1.0, np.random.default_rng(0))).astype(float)
    for tol in (1e-9, 1e-4):
        solver = Davidson(tol, basis_size=11, max_steps=40 * steps)
        found = solver.solve(matrix, 8, None, np.random.default_rng(0))
        if found.products is not None:
            exact = matrix @ found.eigenvectors
            assert np.abs(found.products - exact).max() <= 64 * np.finfo(float).eps * abs(matrix).max()


def test_products_of_vectors_that_have_moved_since_are_not_called_fresh(monkeypatch):
    matrix = laplacian(layers(200, 4, 1.0, np.random.default_rng(0))).astype(float)
    run = Iteration.run

    def restless(self):
        finished = run(self)
        self.num_steps += 1
        return finished

    monkeypatch.setattr(Iteration, "run", restless)
    assert Davidson().solve(matrix, 8, None, np.random.default_rng(0)).products is None


@pytest.mark.parametrize("normalization", [None, "sym"])
def test_products_that_drift_through_restarts_are_computed_afresh(normalization, monkeypatch):
    """Whatever restarts have done to the products, the residuals reported are those of the matrix."""
    matrix = laplacian(layers(200, 4, 1.0, np.random.default_rng(0)), normalization).astype(float)
    compress, restarts = SearchSpace.compress, []

    def drifting(self, Z):
        compress(self, Z)
        if Z.shape[1] > 7:  # a restart, and not the answer
            restarts.append(True)
            self.W[:, : Z.shape[1]] *= 1 + 1e-8

    monkeypatch.setattr(SearchSpace, "compress", drifting)
    # Inner steps of one's own leave out the Lanczos stage, which would leave nothing to restart for.
    result = eigenpairs(matrix, 8, Davidson(mixed_precision=False, inner_steps=2))
    X = result.eigenvectors
    assert restarts
    true = np.linalg.norm(matrix @ X - X * result.eigenvalues, axis=0)
    np.testing.assert_allclose(result.residual_norms, true, rtol=1e-6, atol=1e-12)


def test_a_flat_diagonal_takes_longer_corrections_unless_told_otherwise(monkeypatch):
    """It does not precondition; a setting of one's own holds for every matrix."""
    used = []
    real = SearchSpace.corrected

    def noting(self, precondition, residual, value, steps):
        used.append(steps)
        return real(self, precondition, residual, value, steps)

    monkeypatch.setattr(SearchSpace, "corrected", noting)
    monkeypatch.setattr(KrylovStage, "columns", lambda self, count: [])  # as if it had found nothing
    graph = layers(200, 4, 1.0, np.random.default_rng(0))
    for normalization, settings, steps in (
        (None, {}, 2),
        ("sym", {}, 4),
        ("sym", {"preconditioner": None}, 2),
        ("sym", {"inner_steps": 1}, 1),
        (None, {"inner_steps": 0}, 0),
    ):
        used.clear()
        matrix = laplacian(graph, normalization).astype(float)
        assert eigenpairs(matrix, 4, Davidson(**settings)).converged.all()
        assert set(used) == {steps}


@pytest.mark.parametrize("joint", [1e-2, 1e-4, 1e-6])
def test_davidson_gives_digits_of_values_far_below_its_tolerance(joint):
    """Two graphs on one thread: the second eigenvalue is about as small as the thread is thin."""
    graph = copies(layers(120, 2, 1.0, np.random.default_rng(1)), 2, joint)
    matrix = laplacian(graph).astype(float)
    exact = np.linalg.eigvalsh(matrix.toarray())
    result = eigenpairs(matrix, 4, Davidson(1e-3, basis_size=14))
    assert result.converged.all()
    assert result.eigenvalues[1] == pytest.approx(exact[1], rel=0.02)


@pytest.mark.parametrize("off", [1e-13, 1e-10, 1e-6])
@pytest.mark.parametrize("normalization", [None, "sym"])
def test_a_matrix_that_is_nearly_a_laplacian_is_not_taken_for_one(off, normalization):
    matrix = laplacian(layers(40, 2, 2.5, np.random.default_rng(1)), normalization)
    # A copy has lost what it was built from.
    assert null_space(matrix.copy()) is None or normalization is None
    assert null_space(matrix) is not None
    shifted = sp.csr_array(matrix + off * sp.eye_array(matrix.shape[0]))
    assert null_space(shifted) is None
    assert eigenpairs(shifted, 1).eigenvalues[0] == pytest.approx(off, rel=1e-2, abs=2e-14)


def test_a_vector_that_a_matrix_no_longer_maps_to_zero_is_not_believed():
    matrix = laplacian(layers(40, 2, 2.5, np.random.default_rng(1)), "sym")
    matrix.data[matrix.indices == 3] *= 1.5
    matrix.data[matrix.indptr[3] : matrix.indptr[4]] *= 1.5
    assert null_space(matrix) is None


def test_starts_are_drawn_as_they_are_called():
    rng = np.random.default_rng(0)
    draws = {name: starting_block(4000, 3, name, None, rng) for name in ("normal", "rademacher", "uniform")}
    assert set(np.unique(draws["rademacher"])) == {-1.0, 1.0}
    assert np.abs(draws["uniform"]).max() <= 1
    assert draws["uniform"].std() == pytest.approx(3**-0.5, rel=0.05)
    assert np.abs(draws["normal"]).max() > 2
    assert draws["normal"].std() == pytest.approx(1, rel=0.05)
