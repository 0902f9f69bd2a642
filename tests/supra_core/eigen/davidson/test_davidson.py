"""Davidson against closed forms and dense ``eigh``, with bases so small that it has to iterate."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from supra_core import Davidson, InvalidArgumentError, eigenpairs, generators, laplacian, supra_graph
from supra_core.eigen.nullspace import null_space

from ..matrices import TABLE, check_solver, path, star

# n <= 4 * basis_size is solved densely, so a small basis is what makes small matrices a test.
VARIANTS = [
    Davidson(tol=1e-8, basis_size=9),
    Davidson(tol=1e-8, basis_size=12, mixed_precision=False),
    Davidson(tol=1e-8, basis_size=12, preconditioner=None),
    Davidson(tol=1e-8, basis_size=10, inner_steps=0),
    Davidson(tol=1e-8, basis_size=10, inner_steps=6),
    Davidson(tol=1e-8),
]


@pytest.mark.parametrize("solver", VARIANTS, ids=repr)
@pytest.mark.parametrize("graph", TABLE)
def test_agrees_with_the_known_spectrum(graph, solver):
    check_solver(graph, solver)


@st.composite
def symmetric_matrices(draw):
    n = draw(st.integers(20, 70))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    matrix = rng.standard_normal((n, n)) * (rng.random((n, n)) < draw(st.sampled_from([0.0, 0.05, 0.2, 1.0])))
    kind = draw(st.sampled_from(["indefinite", "low rank", "diagonal", "duplicated", "laplacian"]))
    if kind == "low rank":
        matrix[:, n // 3 :] = 0
        matrix = matrix @ matrix.T
    elif kind == "diagonal":
        matrix = np.diag(np.round(np.diag(matrix)))
    elif kind == "duplicated":
        matrix = np.kron(np.eye(2), matrix)
    elif kind == "laplacian":
        weights = np.abs(matrix + matrix.T)
        np.fill_diagonal(weights, 0)
        matrix = laplacian(weights).toarray()
    return (matrix + matrix.T) * draw(st.sampled_from([1e-12, 1.0, 1e12]))


@pytest.mark.filterwarnings("error::RuntimeWarning")
@given(
    matrix=symmetric_matrices(),
    k=st.integers(1, 5),
    columns=st.sampled_from([None, 1, 4, 12]),
    mixed=st.booleans(),
)
def test_any_symmetric_matrix_is_answered_and_the_answer_is_right(matrix, k, columns, mixed):
    x0 = None if columns is None else np.ones((len(matrix), columns))  # as dependent as a block can be
    solver = Davidson(tol=1e-8, basis_size=k + 3, mixed_precision=mixed, max_steps=4000)
    result = eigenpairs(matrix, k, solver, x0=x0)
    np.testing.assert_allclose(result.eigenvectors.T @ result.eigenvectors, np.eye(k), atol=1e-9)
    if result.converged.all():
        size = max(np.abs(matrix).max(), 1e-300)
        exact = np.linalg.eigvalsh(matrix)[:k]
        np.testing.assert_allclose(result.eigenvalues / size, exact / size, atol=1e-6)


def _supra(num_nodes=300, num_snapshots=4, normalization=None):
    graph = generators.barabasi_albert(num_nodes, num_snapshots, seed=5)
    return laplacian(supra_graph(graph).adjacency, normalization).astype(float)


@pytest.mark.parametrize("normalization", [None, "sym"])
@pytest.mark.parametrize("tol", [1e-2, 1e-5, 1e-10])
def test_reaches_the_tolerance_asked_for(normalization, tol):
    matrix = _supra(normalization=normalization)
    result = eigenpairs(matrix, 8, Davidson(tol))
    exact = np.linalg.eigvalsh(matrix.toarray())[:8]
    assert (result.residual_norms <= tol).all()
    assert (np.abs(result.eigenvalues - exact) <= 2 * tol).all()


@pytest.mark.parametrize("skipped", [1, 3, 5, 6])
def test_an_eigenvector_that_the_start_has_no_part_of_is_found(skipped):
    """Exact vectors of all pairs but one are a fixed point of every method that only looks at residuals."""
    matrix = _supra()
    values, vectors = np.linalg.eigh(matrix.toarray())
    start = np.delete(vectors[:, 1:8], skipped - 1, axis=1)  # the zero's vector is known without a start
    solver = Davidson(1e-6, mixed_precision=False)
    misled = solver.solve(matrix, 7, start, np.random.default_rng(0))
    assert misled.eigenvalues[skipped] > values[skipped] + 1e-3
    result = eigenpairs(matrix, 7, solver, x0=start)
    np.testing.assert_allclose(result.eigenvalues, values[:7], atol=1e-6)
    assert result.verified == "random"
    assert 0 < result.miss_probability <= 1e-3


def test_a_warm_start_saves_products_and_the_exact_start_nearly_all():
    matrix = _supra()
    cold = eigenpairs(matrix, 8, Davidson(1e-6))
    nearby = cold.eigenvectors + 1e-3 * np.random.default_rng(0).standard_normal(cold.eigenvectors.shape)
    warm = eigenpairs(matrix, 8, Davidson(1e-6), x0=nearby)
    again = Davidson(1e-4).solve(matrix, 8, cold.eigenvectors, np.random.default_rng(0))
    assert warm.converged.all()
    assert warm.num_matvecs < cold.num_matvecs
    assert again.num_matvecs <= 3 * 8


@pytest.mark.parametrize("kind", ["function", "sparse matrix"])
def test_any_operator_preconditions(kind):
    matrix = _supra()
    inverse = sp.csr_array(sp.diags_array(1 / matrix.diagonal()))
    operator = (lambda r: inverse @ r) if kind == "function" else inverse
    plain = eigenpairs(matrix, 5, Davidson(1e-7, preconditioner=None))
    helped = eigenpairs(matrix, 5, Davidson(1e-7, preconditioner=operator))
    assert helped.converged.all()
    assert helped.num_matvecs < plain.num_matvecs


def test_the_same_seed_gives_the_same_bits():
    first, again, other = (eigenpairs(_supra(), 6, Davidson(), rng=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.eigenvectors, again.eigenvectors)
    assert not np.array_equal(first.eigenvectors, other.eigenvectors)


def test_stopping_early_is_told_and_the_answer_is_orthonormal():
    result = eigenpairs(_supra(), 8, Davidson(1e-10, max_steps=30))
    assert not result.converged.all()
    np.testing.assert_allclose(result.eigenvectors.T @ result.eigenvectors, np.eye(8), atol=1e-10)


@pytest.mark.parametrize(
    ("matrix", "count"),
    [
        (path(30), 1),
        (sp.block_diag([star(5), path(3), sp.csr_array((4, 4))]), 6),
        (_supra(60), 1),
        (_supra(60, normalization="sym"), 1),
        (sp.csr_array((7, 7)), 7),
        (
            sp.csr_array(([1.0, -1.0, 0.0, -1.0, 1.0, 0.0], [0, 1, 2, 0, 1, 0], [0, 3, 5, 6])),
            2,
        ),  # stored zeros
    ],
)
def test_null_vectors_of_laplacians(matrix, count):
    matrix = sp.csr_array(matrix).astype(float)
    space = null_space(matrix)
    vectors = space.first(space.count)
    assert space.count == count == np.sum(np.linalg.eigvalsh(matrix.toarray()) < 1e-10)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(count), atol=1e-12)
    np.testing.assert_allclose(matrix @ vectors, 0, atol=1e-12)
    t = np.random.default_rng(0).standard_normal(matrix.shape[0])
    space.project_out(t)
    np.testing.assert_allclose(vectors.T @ t, 0, atol=1e-12)


@pytest.mark.parametrize(
    "matrix",
    [
        [[1.0, 1.0], [1.0, 1.0]],  # singular, but its null vector changes sign
        [[1.0, -1.0, 0.0], [-1.0, 0.0, 1.0], [0.0, 1.0, -1.0]],  # rows sum to zero, yet indefinite
        [[2.0, -1.0], [-1.0, 2.0]],
        -path(4).toarray(),
    ],
)
def test_no_null_vectors_are_claimed_of_other_matrices(matrix):
    assert null_space(sp.csr_array(matrix)) is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tol": 0}, "tol=0: must be a finite number > 0"),
        ({"tol": float("nan")}, "tol=nan"),
        ({"preconditioner": "ilu"}, "preconditioner='ilu': must be None, 'jacobi' or an operator"),
        ({"preconditioner": 3}, "preconditioner=3"),
        ({"basis_size": 3}, "basis_size=3: must be an integer >= 4"),
        ({"max_steps": 0}, "max_steps=0"),
        ({"inner_steps": -1}, "inner_steps=-1: must be an integer >= 0"),
    ],
)
def test_bad_settings_die_in_the_constructor(settings, message):
    with pytest.raises(InvalidArgumentError, match=message.replace("(", r"\(")):
        Davidson(**settings)


def test_a_basis_without_room_is_refused():
    with pytest.raises(InvalidArgumentError, match="basis_size=10: must be at least k \\+ 3 = 11"):
        eigenpairs(path(200), 8, Davidson(basis_size=10))
