"""The search for skipped eigenvalues: what it finds, what it rules out, and how often it may be wrong."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from supra_core import LOBPCG, Approximation, Davidson, Lanczos, eigenpairs, laplacian
from supra_core.eigen import verify
from supra_core.eigen.verify import look_below
from supra_core.generators.adversarial import hypercube, layers


@st.composite
def matrices(draw):
    """Symmetric matrices of any kind, with their decompositions."""
    n = draw(st.integers(4, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["dense", "laplacian", "clusters", "diagonal"]))
    if kind == "laplacian":
        weights = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.2), 1)
        A = laplacian(weights + weights.T).toarray()
    elif kind == "clusters":
        Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
        A = Q @ np.diag(rng.integers(-2, 4, n) + 1e-3 * rng.integers(0, 2, n)) @ Q.T
    else:
        A = rng.standard_normal((n, n)) if kind == "dense" else np.diag(np.round(rng.standard_normal(n), 1))
    A = (A + A.T) / 2
    return sp.csr_array(A), *np.linalg.eigh(A)


@st.composite
def guards_of(draw, vectors):
    """None, or some vectors: eigenvectors, such with an error, random ones, copies of each other, zeros."""
    n, count = len(vectors), draw(st.integers(0, 6))
    if count == 0:
        return None
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    guards = vectors[:, draw(st.lists(st.integers(0, n - 1), min_size=count, max_size=count))]
    return guards * draw(st.sampled_from([0.0, 1.0])) + draw(
        st.sampled_from([0.0, 1e-6, 0.1, 1.0])
    ) * rng.standard_normal((n, count))


@given(matrix=matrices(), data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_what_lies_below_is_found_and_what_does_not_is_not(matrix, data, seed):
    A, values, vectors = matrix
    n = len(values)
    taken = data.draw(st.sets(st.integers(0, n - 1), max_size=n))
    X = vectors[:, sorted(taken)]
    rest = np.delete(values, sorted(taken))
    sigma = data.draw(st.sampled_from([*values, values[0] - 1, values[-1] + 1])) + data.draw(
        st.sampled_from([-0.3, -1e-4, 1e-4, 0.2])
    )
    if rest.size and abs(rest - sigma).min() < 1e-6:
        return
    guards = data.draw(guards_of(vectors))
    found = look_below(A, X, sigma, 1e-9, np.random.default_rng(seed), guards=guards)
    assert found.clear == (not np.any(rest < sigma))
    if not found.clear:
        y = found.skipped
        assert y @ (A @ y) < sigma
        assert np.linalg.norm(y) == pytest.approx(1)
        np.testing.assert_allclose(X.T @ y, 0, atol=1e-9)


def test_the_stated_probability_holds_and_is_not_empty():
    """An eigenvalue a hair below σ is missed about as rarely as said, and with few steps it is missed."""
    n, asked, draws = 300, 0.3, 1500
    values = np.concatenate([[1 - 1e-9], np.linspace(1.02, 9, n - 1)])
    A, X = sp.csr_array(sp.diags_array(values)), np.zeros((n, 0))
    missed = sum(
        look_below(A, X, 1.0, 1e-12, np.random.default_rng(i), lower=0.0, probability=asked).clear
        for i in range(draws)
    )
    spread = np.sqrt(asked * (1 - asked) * draws)
    assert 0.3 * asked * draws < missed < asked * draws + 4 * spread


@pytest.mark.parametrize("error", [0.0, 0.01, 0.1])
def test_guards_spare_the_search_products_and_hide_nothing(error):
    """Near the next eigenvectors they save products; the vector that was skipped is seen all the same."""
    matrix = laplacian(layers(200, 4, 1.0, np.random.default_rng(0)), "sym").astype(float)
    values, vectors = np.linalg.eigh(matrix.toarray())
    rng = np.random.default_rng(1)
    guards = vectors[:, 8:13] + error * rng.standard_normal((len(values), 5)) / np.sqrt(len(values))
    plain, guarded = (
        look_below(
            matrix, vectors[:, :8], values[7] - 1e-6, 1e-6, np.random.default_rng(2), guards=each, lower=0.0
        )
        for each in (None, guards)
    )
    assert plain.clear
    assert guarded.clear
    assert guarded.num_matvecs < plain.num_matvecs
    for skipped in range(8):
        X = np.delete(vectors[:, :8], skipped, axis=1)
        for own in (guards, np.column_stack([guards[:, :2], vectors[:, skipped] + guards[:, 2]])):
            found = look_below(matrix, X, values[skipped] + 4e-6, 1e-6, rng, guards=own, lower=0.0)
            assert not found.clear
            assert found.skipped @ (matrix @ found.skipped) < values[skipped] + 4e-6
            np.testing.assert_allclose(X.T @ found.skipped, 0, atol=1e-9)


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("normalization", [None, "sym"])
def test_single_and_double_precision_see_a_skipped_vector(single, normalization, monkeypatch):
    matrix = laplacian(layers(200, 4, 1.0, np.random.default_rng(0)), normalization).astype(float)
    values, vectors = np.linalg.eigh(matrix.toarray())
    used = []
    real = verify.SplitRows
    monkeypatch.setattr(
        verify, "SplitRows", lambda A, dtype: used.append(dtype is np.float32) or real(A, dtype)
    )
    monkeypatch.setattr(verify, "_single_is_enough", lambda *_: single)
    monkeypatch.setattr(verify, "is_small", lambda _: False)
    for skipped in range(8):
        X = np.delete(vectors[:, :8], skipped, axis=1)
        # The skipped value lies as little below σ as a tolerance of 1e-6 asks for.
        for sigma, clear in ((values[skipped] + 4e-6, False), (values[skipped] - 4e-6, True)):
            missed = np.delete(values, [i for i in range(8) if i != skipped]) < sigma
            found = look_below(matrix, X, sigma, 1e-6, np.random.default_rng(skipped), lower=0.0)
            assert found.clear == clear == (not missed.any())
    assert any(used) == single


@pytest.mark.parametrize("solver", [Davidson(1e-6), Davidson(1e-3), Lanczos(1e-6)], ids=repr)
def test_true_values_lie_where_the_check_says(solver):
    """λ_i is at most the Ritz value, and at least the smaller of it and σ, less the residual."""
    matrix = laplacian(hypercube(9), "sym").astype(float)
    exact = np.linalg.eigvalsh(matrix.toarray())
    result = eigenpairs(matrix, 12, solver)
    residual = np.linalg.norm(matrix @ result.eigenvectors - result.eigenvectors * result.eigenvalues, ord=2)
    assert result.verified == "random"
    assert (exact[:12] <= result.eigenvalues + 1e-12).all()
    assert (exact[:12] >= result.eigenvalues - 2 * solver.tol - 3 * residual).all()


class Skips:
    """A solver that always leaves out the second pair, unless its start has it."""

    tol = 1e-6

    def __init__(self, vectors, values):
        self.vectors, self.values, self.starts = vectors, values, []

    def solve(self, matrix, k, x0, rng):
        self.starts.append(x0)
        keep = [0, *range(2, k + 1)]
        if x0 is not None and np.linalg.norm(self.vectors[:, 1] @ x0) > 0.05:
            keep = list(range(k))
        return Approximation(self.values[keep], self.vectors[:, keep])


def test_a_solver_is_handed_what_it_has_skipped_and_goes_on():
    matrix = laplacian(layers(150, 4, 0.5, np.random.default_rng(1))).astype(float)
    values, vectors = np.linalg.eigh(matrix.toarray())
    solver = Skips(vectors, values)
    result = eigenpairs(matrix, 5, solver)
    assert len(solver.starts) == 2
    assert solver.starts[1].shape[1] == 6
    np.testing.assert_allclose(result.eigenvalues, values[:5], atol=1e-9)
    assert result.converged.all()


def test_a_solver_that_cannot_be_helped_has_not_converged():
    class Stubborn(Skips):
        def solve(self, matrix, k, x0, rng):
            return super().solve(matrix, k, None, rng)

    matrix = laplacian(layers(150, 4, 0.5, np.random.default_rng(1))).astype(float)
    values, vectors = np.linalg.eigh(matrix.toarray())
    result = eigenpairs(matrix, 5, Stubborn(vectors, values))
    assert (result.residual_norms < 1e-9).all()
    assert not result.converged.any()
    assert (result.verified, result.miss_probability) == ("", 1.0)


def test_steps_alone_are_not_added_to():
    """LOBPCG without a tolerance makes the steps that were asked for, and claims nothing it does not know."""
    matrix = laplacian(layers(150, 4, 0.5, np.random.default_rng(1))).astype(float)
    result = eigenpairs(matrix, 5, LOBPCG(max_steps=7))
    assert result.num_steps == 7
    assert result.num_matvecs <= 5 * 10
    assert not result.converged.any()
    vectors = np.linalg.eigh(matrix.toarray())[1]
    misled = eigenpairs(matrix, 5, LOBPCG(), x0=np.delete(vectors[:, :6], 1, axis=1))
    assert (misled.residual_norms < 1e-6).all()
    assert not misled.converged.any()


@pytest.mark.parametrize(("sigma", "clear"), [(2.9, True), (3.5, False)])
def test_guards_that_fill_the_space_answer_by_themselves(sigma, clear):
    """With eigenvalues 1 … 4 and the first two given, the guards are all that is left: 3 and 4."""
    matrix, vectors = sp.csr_array(np.diag([1.0, 2.0, 3.0, 4.0])), np.eye(4)
    found = look_below(matrix, vectors[:, :2], sigma, 0.1, np.random.default_rng(0), guards=vectors[:, 2:])
    assert found.clear == clear
    if not clear:
        assert found.skipped @ (matrix @ found.skipped) < sigma
