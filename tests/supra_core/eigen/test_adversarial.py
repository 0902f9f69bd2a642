"""Graphs made to mislead eigensolvers, against the full decomposition: nothing is skipped, nothing raises."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from supra_core import (
    LOBPCG,
    Auto,
    Davidson,
    Dense,
    Encoder,
    Lanczos,
    ShiftInvert,
    eigenpairs,
    generators,
    laplacian,
)
from supra_core.eigen.result import residual_target
from supra_core.generators import adversarial as adv

SOLVERS = {
    "Auto": Auto,
    "Davidson": Davidson,
    "Lanczos": Lanczos,
    "ShiftInvert": lambda tol: ShiftInvert(tol, max_cost=1e9),
    "LOBPCG": lambda tol: LOBPCG(max_steps=400, tol=tol),
}
# One graph a family, of a fixed size above that of the full decomposition.
TABLE = {
    "hypercube": lambda: adv.hypercube(9),
    "cycle": lambda: adv.cycle(501),
    "path": lambda: adv.path(480),
    "wheel": lambda: adv.wheel(500),
    "torus": lambda: adv.torus(22, 23),
    "square torus": lambda: adv.torus(22, 22),
    "complete bipartite": lambda: adv.complete_bipartite(200, 280),
    "windmill": lambda: adv.windmill(20, 25),
    "ring of cliques": lambda: adv.ring_of_cliques(10, 50),
    "long lollipop": lambda: adv.lollipop(60, 420),
    "barbell": lambda: adv.barbell(210, 60),
    "copies of a tree": lambda: adv.copies(adv.random_tree(60, np.random.default_rng(0)), 8),
    "weakly joined copies": lambda: adv.copies(adv.random_tree(60, np.random.default_rng(0)), 8, 1e-6),
    "communities": lambda: adv.communities(120, 4, 7, 2.0, np.random.default_rng(0)),
    "layers": lambda: adv.layers(120, 4, 2.5, np.random.default_rng(0)),
    "spread weights": lambda: adv.spread_weights(480, 4, np.random.default_rng(0)),
}


@functools.cache
def decomposed(family, normalization):
    """A matrix of the table, and LAPACK's values and vectors of it."""
    matrix = laplacian(TABLE[family](), normalization).astype(float)
    assert matrix.shape[0] > 450  # above the size of the full decomposition
    return matrix, *np.linalg.eigh(matrix.toarray())


def check(matrix, k, solver, exact, x0=None, seed=0):
    """An answer that says converged is right: each value, and each residual, computed here."""
    result = eigenpairs(matrix, k, solver, x0=x0, rng=seed)
    assert np.isfinite(result.eigenvectors).all()
    np.testing.assert_allclose(result.eigenvectors.T @ result.eigenvectors, np.eye(k), atol=1e-9)
    assert result.converged.all() == bool(result.verified and result.converged.any())
    target = residual_target(matrix, solver.tol)
    products = matrix @ result.eigenvectors
    true = np.linalg.norm(products - result.eigenvectors * result.eigenvalues, axis=0)
    np.testing.assert_allclose(result.residual_norms, true, rtol=1e-3, atol=0.1 * target)
    if result.converged.all():
        assert true.max() <= 1.1 * target
        off = np.abs(result.eigenvalues - exact[:k]).max()
        assert off <= 4 * target, result
    return result


def around_a_cluster(exact):
    """Numbers of pairs that end below, inside and at the end of the first cluster; any three without one."""
    close = np.diff(exact[:26]) <= 1e-8 * max(1.0, exact[25])
    close[0] = False  # zeros of components are known without any search
    if not close.any():
        return 5, 12, 24
    first = int(np.argmax(close))
    last = first + 1 + int(np.argmin(np.append(close[first + 1 :], False)))
    return max(first, 1), first + 1, min(last + 1, 24)


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
@pytest.mark.parametrize("normalization", [None, "sym"])
@pytest.mark.parametrize("family", TABLE)
def test_auto_is_right_and_sure_on_every_family(family, normalization, tol):
    """Below, inside and at the end of a cluster, from a random start and from one that misses a vector."""
    matrix, exact, vectors = decomposed(family, normalization)
    for k in around_a_cluster(exact):
        for start in (None, np.delete(vectors[:, : k + 1], k // 2, axis=1)):
            assert check(matrix, k, Auto(tol), exact, start).converged.all()
            check(matrix, k, Davidson(tol), exact, start)


def test_the_table_ends_below_inside_and_at_clusters():
    exact = np.array([0, 1, 1 + 1e-12, 1, 2, *range(3, 40)], dtype=float)
    assert around_a_cluster(exact) == (1, 2, 4)
    assert around_a_cluster(np.arange(40.0)) == (5, 12, 24)
    hypercube = np.linalg.eigvalsh(laplacian(adv.hypercube(9)).toarray().astype(float))
    assert around_a_cluster(hypercube) == (1, 2, 10)


@pytest.mark.parametrize("solver", ["Lanczos", "ShiftInvert", "LOBPCG"])
@pytest.mark.parametrize("family", TABLE)
def test_other_solvers_are_right_where_they_are_sure(family, solver):
    for normalization, k, tol in ((None, 5, 1e-6), ("sym", 17, 1e-3)):
        matrix, exact, _ = decomposed(family, normalization)
        check(matrix, k, SOLVERS[solver](tol), exact)


@pytest.mark.property
@given(number=st.integers(0, 2**31), seed=st.integers(0, 2**31))
def test_no_drawn_matrix_misleads_a_solver(number, seed):
    """The same as `supra bench exactness`, one matrix at a time."""
    case = adv.drawn_case(number, seed)
    matrix = case.matrix.astype(float)
    exact, vectors = np.linalg.eigh(matrix.toarray())
    start = adv.start_of(case, vectors, np.random.default_rng(seed))
    check(case.matrix, case.k, Auto(case.tol), exact, start, seed)
    check(case.matrix, case.k, Davidson(case.tol), exact, start, seed)


@pytest.mark.parametrize("k", [4, 6, 7, 8, 12])
def test_no_community_is_lost_at_any_coupling(k):
    """Seven communities without an edge between them are seven zeros, whatever the weights."""
    for seed in range(4):
        graph = generators.block_model(180, 4, num_blocks=7, p_in=0.5, p_out=0.0, persistence=1.0, seed=seed)
        encoder = Encoder(k=k, window=4, coupling=2.0, normalization="sym", global_nodes=False)
        result = encoder.encode(graph, 3).result
        zeros = min(7, result.k)
        assert result.converged.all()
        np.testing.assert_allclose(result.eigenvalues[:zeros], 0, atol=1e-12)
        assert (result.eigenvalues[zeros:] > 1e-3).all()


@pytest.mark.parametrize("weights", ["random", "over twelve decades", "integers", "one coupling"])
@pytest.mark.parametrize("normalization", [None, "sym"])
def test_the_zeros_of_any_weighted_laplacian_are_known_without_iterating(weights, normalization):
    rng = np.random.default_rng(3)
    tree = adv.copies(adv.random_tree(70, rng), 9)
    upper = sp.coo_array(sp.triu(tree, k=1))
    draw = {
        "random": lambda m: rng.random(m) + 1e-3,
        "over twelve decades": lambda m: 10.0 ** rng.uniform(-6, 6, m),
        "integers": lambda m: rng.integers(1, 1000, m),
        "one coupling": lambda m: np.where(np.arange(m) % 3, 1.0, 2.5),
    }[weights]
    upper.data = draw(upper.nnz)
    matrix = laplacian(sp.csr_array(upper + upper.T), normalization)
    result = eigenpairs(matrix, 9)
    assert result.verified == "components"
    assert result.num_matvecs == 9
    assert np.array_equal(result.eigenvalues, np.zeros(9))
    assert (result.residual_norms <= 1e-14 * max(1.0, abs(matrix).max())).all()


def extreme_matrices():
    """Valid matrices of more than 450 rows that are no graph's, or at the ends of what floats can hold."""
    matrix = laplacian(adv.layers(115, 4, 1.0, np.random.default_rng(0))).astype(float)
    n = matrix.shape[0]
    values = np.random.default_rng(1).standard_normal((2, n))
    yield from (matrix * scale for scale in (1e140, 1e20, 1e-20, 1e-140, -1.0))
    yield from (sp.eye_array(n) * scale for scale in (0.0, 1.0, -1.0))
    yield sp.csr_array(-np.ones((n, n)))
    yield sp.diags_array(values[0] * 10.0 ** (8 * values[1]))
    yield sp.block_diag([matrix * 1e12, matrix * 1e-12])


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_solver_raises_at_the_ends_of_what_floats_can_hold(solver):
    for matrix in extreme_matrices():
        matrix = sp.csr_array(matrix)
        check(matrix, 5, SOLVERS[solver](1e-6), np.linalg.eigvalsh(matrix.toarray()))


def test_lanczos_on_a_multiple_of_the_identity():
    result = eigenpairs(3 * np.eye(90), 2, Lanczos())
    np.testing.assert_allclose(result.eigenvalues, [3, 3])
    assert result.converged.all()


@pytest.mark.parametrize("solver", [Auto(), Lanczos(1e-6), ShiftInvert(1e-6, max_cost=1e9)], ids=repr)
def test_arpack_gives_up_and_the_solver_does_not(solver):
    for normalization in (None, "sym"):
        matrix = laplacian(adv.ring_of_cliques(10, 50), normalization).astype(float)
        exact = np.linalg.eigvalsh(matrix.toarray())
        check(matrix, 24, solver, exact)


def test_a_budget_that_ends_early_is_no_proof():
    """One restart of Lanczos cannot have looked for the copies of a multiple eigenvalue."""
    matrix = laplacian(adv.hypercube(9)).astype(float)
    exact = np.linalg.eigvalsh(matrix.toarray())
    for steps in (1, 2, 3, 5, 8):
        check(matrix, 8, Lanczos(1e-6, max_steps=steps), exact)


@pytest.mark.parametrize("decades", [4, 8, 12])
def test_inertia_is_no_proof_where_rounding_hides_the_count(decades):
    """Indefinite matrices whose entries span many orders of magnitude."""
    for seed in range(12):
        rng = np.random.default_rng([decades, seed])
        n = 120
        band = sp.diags_array(
            [
                10.0 ** rng.uniform(-decades / 2, decades / 2, n - i) * rng.choice([-1, 1], n - i)
                for i in (0, 1)
            ],
            offsets=[0, 1],
        )
        matrix = sp.csr_array(band + band.T)
        exact = np.linalg.eigvalsh(matrix.toarray())
        for solver in (ShiftInvert(1e-9), Auto(1e-9)):
            check(matrix, 5, solver, exact)


def test_a_gap_below_a_millionth_of_the_value_is_not_overlooked():
    """Two eigenvalues near a thousand, apart by less than a millionth of it; the start has the upper one."""
    values = np.concatenate([[1000.0, 1000.0005], np.linspace(1001, 2000, 298)])
    rng = np.random.default_rng(0)
    order = rng.permutation(300)
    matrix = sp.csr_array(sp.diags_array(values[order]))
    start = (order == 1).astype(float)
    for solver in (ShiftInvert(1e-7), Auto(1e-7), Davidson(1e-7)):
        result = check(matrix, 1, solver, values, start)
        assert result.eigenvalues[0] == pytest.approx(1000.0, abs=4e-7)


@pytest.mark.parametrize("columns", [1, 3, 5, 9])
def test_a_start_of_zeros_is_no_start(columns):
    matrix = laplacian(adv.layers(150, 4, 1.0, np.random.default_rng(0))).astype(float)
    exact = np.linalg.eigvalsh(matrix.toarray())
    zeros = np.zeros((len(exact), columns))
    half = np.column_stack([zeros, np.ones((len(exact), 2))])
    for start in (zeros, half):
        assert check(matrix, 5, LOBPCG(max_steps=1000, tol=1e-6), exact, start).converged.all()


def test_the_full_decomposition_is_the_same_on_any_number_of_threads():
    from threadpoolctl import threadpool_limits

    matrix = laplacian(adv.layers(100, 4, 1.0, np.random.default_rng(0))).astype(float)
    with threadpool_limits(1):
        one = eigenpairs(matrix, 8, Dense())
    with threadpool_limits(2):
        two = eigenpairs(matrix, 8, Dense())
    assert np.array_equal(one.eigenvectors, two.eigenvectors)


def test_the_gallery_is_what_it_says():
    assert adv.windmill(5, 4).shape == (16, 16)
    np.testing.assert_allclose(
        np.linalg.eigvalsh(laplacian(adv.windmill(5, 4)).toarray())[:6], [0, 1, 1, 1, 1, 4], atol=1e-12
    )
    np.testing.assert_allclose(
        np.linalg.eigvalsh(laplacian(adv.complete_bipartite(3, 4)).toarray()),
        [0, 3, 3, 3, 4, 4, 7],
        atol=1e-12,
    )
    for case in adv.cases(len(adv.FAMILIES)):
        assert case.matrix.shape[0] > 450
        assert abs(case.matrix - case.matrix.T).max() == 0
        assert 1 <= case.k <= 24
