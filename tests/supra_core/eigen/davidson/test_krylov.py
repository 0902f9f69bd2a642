"""The Lanczos stage against dense decompositions: its answers are right, and its basis stays orthogonal."""

import numpy as np
import pytest
import scipy.sparse as sp

from supra_core import Davidson, eigenpairs, generators, laplacian
from supra_core.eigen.davidson.krylov import KrylovStage
from supra_core.eigen.nullspace import find_null_space
from supra_core.generators.adversarial import copies, layers

GRAPHS = {
    "preferential attachment": lambda: generators.barabasi_albert(700, 1, m=4, seed=1).adjacency(0),
    # Four values far below all others, which converge, and are lost, within a few steps.
    "blocks": lambda: generators.block_model(
        600, 1, num_blocks=5, p_in=0.2, p_out=0.004, seed=0, persistence=1.0, edge_persistence=1.0
    ).adjacency(0),
    "layers": lambda: layers(150, 4, 1.0, np.random.default_rng(0)),
    "two graphs": lambda: sp.block_diag(
        [generators.barabasi_albert(n, 1, m=4, seed=n).adjacency(0) for n in (300, 400)], format="csr"
    ),
}


def drawn(matrix):
    return np.random.default_rng(0).standard_normal(matrix.shape[0])


def stage_of(name, dtype, capacity=60, wanted=6):
    L = laplacian(GRAPHS[name](), "sym").astype(np.float64)
    null = find_null_space(L)
    A = sp.csr_array(L.astype(dtype))
    stage = KrylovStage(A, null.astype(dtype), 0.0, wanted, capacity, norm=2.0, start=drawn(A))
    return L.toarray(), null.count, stage


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", GRAPHS)
def test_pairs_that_are_found_are_the_smallest(name, dtype):
    L, num_null, stage = stage_of(name, dtype)
    target = 2e-6
    assert stage.run(target, 5_000)
    expected = np.linalg.eigvalsh(L)[num_null : num_null + stage.wanted]
    X = np.linalg.qr(np.column_stack(stage.columns(stage.wanted)).astype(np.float64))[0]
    values, turn = np.linalg.eigh(X.T @ L @ X)
    X = X @ turn
    np.testing.assert_allclose(values, expected, atol=1e-9)
    # What rounding in single precision adds is of the size of its eps.
    assert np.linalg.norm(L @ X - X * values, axis=0).max() <= target + 8 * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", GRAPHS)
def test_the_basis_stays_orthogonal_long_after_pairs_have_converged(name, dtype):
    """Without cleaning, a pair comes back as soon as rounding along it has grown."""
    L, num_null, stage = stage_of(name, dtype)
    stage.run(1e-9, 300)
    V = stage.V[:, : stage.size].astype(np.float64)
    assert np.abs(V.T @ V - np.eye(stage.size)).max() < 0.01
    null = np.linalg.eigh(L)[1][:, :num_null]
    assert np.abs(null.T @ V).max() < 0.01
    values = np.linalg.eigvalsh(L)[num_null : num_null + stage.wanted]
    np.testing.assert_allclose(stage.values[: stage.wanted], values, atol=1e-4)


def test_it_gives_up_where_it_is_slow_and_keeps_to_its_products():
    cycle = laplacian(generators.cycle_layers(2_000, 1).adjacency(0), "sym").astype(np.float64)
    null = find_null_space(cycle)
    for most, spent in ((100, range(100, 148)), (100_000, range(100, 1_000))):
        stage = KrylovStage(cycle, null, 0.0, 6, 40, norm=2.0, start=drawn(cycle))
        assert not stage.run(1e-6, most)
        assert stage.num_matvecs in spent


@pytest.mark.parametrize("max_steps", [10, 24, 30, 60])
def test_few_products_still_give_vectors(max_steps):
    """Also where the products run out between two looks at the Ritz values."""
    L = laplacian(GRAPHS["preferential attachment"](), "sym")
    result = eigenpairs(L, 4, Davidson(1e-8, max_steps=max_steps))
    assert not result.converged.all()
    np.testing.assert_allclose(result.eigenvectors.T @ result.eigenvectors, np.eye(4), atol=1e-9)


def test_a_space_that_is_invariant_too_early_is_handed_on():
    """Each vector is one of the identity's: the first is all that Lanczos can find."""
    matrix = sp.csr_array(3.0 * sp.eye_array(90))
    stage = KrylovStage(matrix, None, 0.0, 5, 30, norm=3.0, start=drawn(matrix))
    assert not stage.run(1e-8, 1_000)
    assert len(stage.columns(5)) == stage.size == 1
    result = eigenpairs(matrix, 5, Davidson(1e-8))
    assert result.converged.all()
    np.testing.assert_allclose(result.eigenvalues, [3.0] * 5, atol=1e-8)


def test_copies_that_a_krylov_space_cannot_have_are_found_in_the_end():
    graph = copies(generators.barabasi_albert(150, 1, m=3, seed=0).adjacency(0), 4, 1e-9)
    L = laplacian(graph, "sym").astype(np.float64)
    result = eigenpairs(L, 9, Davidson(1e-7))
    assert result.converged.all()
    np.testing.assert_allclose(result.eigenvalues, np.linalg.eigvalsh(L.toarray())[:9], atol=1e-6)
