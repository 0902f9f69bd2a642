"""Run a solver, measure its answer, and let it go on where a smaller eigenvalue turns out to be missing."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from supra_core.eigen.known_products import carry_products
from supra_core.eigen.nullspace import null_space
from supra_core.eigen.result import Approximation, Array, margin, residual_target
from supra_core.eigen.solver import Solver, one_blas_thread
from supra_core.eigen.symmetric import eigh
from supra_core.eigen.verify import look_below

# The accuracy at which pairs count as converged where a solver stops by steps alone.
DEFAULT_TOL = 1e-6
# How often a solver goes on beyond one attempt for each pair it may have skipped.
_MORE_ATTEMPTS = 2


class Answer(NamedTuple):
    """What a solver found, ascending, and what is known of it.

    Attributes:
        found: the pairs; ``verified`` says how it is known that none was skipped, "" that it is not known.
        residual_norms: shape (k,).
        converged: accurate enough in a verified answer, shape (k,).
    """

    found: Approximation
    residual_norms: Array
    converged: NDArray[np.bool_]


def solve_verified(
    solver: Solver, matrix: sp.csr_array, k: int, x0: Array | None, rng: np.random.Generator
) -> Answer:
    """The pairs of ``solver``, with evidence that no smaller one is missing.

    A solver that proves its own answer is taken at its word. For all others :func:`look_below` searches from
    a fresh random vector. What it finds is added to the solver's vectors, from which the solver goes on.
    Where some pairs are not accurate, there is no answer yet that could be verified.
    """
    target = residual_target(matrix, DEFAULT_TOL if solver.tol is None else solver.tol)
    steps = matvecs = 0
    for attempts_left in reversed(range(k + _MORE_ATTEMPTS)):
        found, residuals = _measured(matrix, solver.solve(matrix, k, x0, rng))
        steps, matvecs = steps + found.num_steps, matvecs + found.num_matvecs
        accurate = residuals <= target
        if found.verified is not None or not accurate.all():
            break
        skipped, spent = _look(matrix, found, float(residuals.max()), target, rng)
        matvecs += spent
        # Where steps alone say when to stop, as many are made as asked for and no more.
        if skipped is None or solver.tol is None or attempts_left == 0:
            break
        with one_blas_thread():
            x0, products = _lowest_first(matrix, np.column_stack([found.eigenvectors, skipped]))
        carry_products(matrix, x0, products)
        matvecs += k + 1
    found.num_steps, found.num_matvecs, found.verified = steps, matvecs, found.verified or ""
    return Answer(found, residuals, accurate & bool(found.verified))


def _look(
    matrix: sp.csr_array, found: Approximation, residual: float, target: float, rng: np.random.Generator
) -> tuple[Array | None, int]:
    """Note in ``found`` how it is verified; a vector that it has skipped, if any, and the products spent."""
    null, last = null_space(matrix), float(found.eigenvalues[-1])
    delta = margin(matrix, last, target, residual, semidefinite=null is not None)
    if null is not None and last - delta <= 0:  # no eigenvalue is negative
        found.verified = "components"
        return None, 0
    lower = None if null is None else 0.0
    guards = None if found.spare is None else found.spare.vectors
    with one_blas_thread():
        clear, skipped, matvecs = look_below(
            matrix, found.eigenvectors, last - delta, delta, rng, guards=guards, lower=lower
        )
    found.verified = "random" if clear else None
    return skipped, matvecs


def _measured(matrix: sp.csr_array, found: Approximation) -> tuple[Approximation, Array]:
    """The same pairs in ascending order, and the norms of their residuals."""
    if found.residual_norms is not None:  # by a solver that is made of others
        return found, found.residual_norms
    order = np.argsort(found.eigenvalues, kind="stable")
    found.eigenvalues = found.eigenvalues[order]
    found.eigenvectors = _in_order(found.eigenvectors, order)
    if found.products is None:
        found.products = matrix @ found.eigenvectors
        found.num_matvecs += len(order)
    else:
        found.products = _in_order(found.products, order)
    residuals = found.products - found.eigenvectors * found.eigenvalues
    found.products, found.residual_norms = None, np.linalg.norm(residuals, axis=0)
    return found, found.residual_norms


def _in_order(block: Array, order: NDArray[np.intp]) -> Array:
    """A copy of the columns in this order, row by row in memory; a second one only where they are not yet."""
    columns = block if np.all(np.diff(order) > 0) else block[:, order]
    return np.array(columns, order="C")


def _lowest_first(matrix: sp.csr_array, X: Array) -> tuple[Array, Array]:
    """Ritz vectors within the span of X, ascending, and the products with them."""
    X = np.linalg.qr(X)[0]
    products = matrix @ X
    H = X.T @ products
    turn = eigh((H + H.T) / 2)[1]
    return X @ turn, products @ turn
