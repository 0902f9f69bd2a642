"""LOBPCG, the locally optimal block preconditioned conjugate gradient method of Knyazev (2001).

Ours, because SciPy's keeps no history of eigenvectors (which the trajectory encodings are made of) and breaks
down on linearly dependent residuals. Three choices make it safe on every symmetric matrix:

* The search space [X, W, P] is whitened through the eigenvalues of its Gram matrix, and directions that
  depend on the others are left out. A rank-deficient space is a smaller space, not a failure.
* W is projected against X before the Gram matrix is formed, so what is left out is noise.
* Columns whose residual has reached rounding add nothing to W.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from supra_core import checks
from supra_core.eigen.precondition import check_preconditioner
from supra_core.eigen.result import Approximation, Array, Trajectory, residual_target, rounding_floor
from supra_core.eigen.solver import one_blas_thread
from supra_core.eigen.symmetric import eigh

Initialization = Literal["normal", "rademacher", "uniform", "previous"]
INITIALIZATIONS = ("normal", "rademacher", "uniform", "previous")


@dataclass(frozen=True)
class LOBPCG:
    """At most ``max_steps`` steps of LOBPCG with a block of k vectors.

    Args:
        max_steps: conjugate steps; one step of steepest descent comes before them, as in SciPy's ``maxiter``.
        tol: stop once every residual norm is this small; ``None`` runs all the steps.
        preconditioner: ``None``, ``"jacobi"`` (the inverse diagonal), or an operator: a function of a block,
            or anything that has ``@``.
        init: how the starting block is drawn where no ``x0`` is given. ``"previous"`` says that one is
            expected, as in a window that starts from the last one's vectors; without it, normal.
        trajectory: keep the Ritz pairs of every step.
    """

    max_steps: int = 20
    tol: float | None = None
    preconditioner: Any = None
    init: Initialization = "normal"
    trajectory: bool = False

    def __post_init__(self) -> None:
        checks.check_count("max_steps", self.max_steps)
        if self.tol is not None:
            checks.check_nonnegative("tol", self.tol, positive=True)
        checks.check_choice("init", self.init, INITIALIZATIONS)
        check_preconditioner(self.preconditioner)

    def solve(
        self, matrix: sp.csr_array, k: int, x0: Array | None, rng: np.random.Generator
    ) -> Approximation:
        """The k smallest pairs after the steps asked for."""
        X = starting_block(matrix.shape[0], k, self.init, x0, rng)
        # Half of what is asked: products carried along through the steps drift a little from true ones.
        target = rounding_floor(matrix) if self.tol is None else residual_target(matrix, self.tol) / 2
        apply = _jacobi(matrix) if isinstance(self.preconditioner, str) else self.preconditioner
        with one_blas_thread():
            return lobpcg(matrix, X, self.max_steps, target, apply, self.trajectory)


def starting_block(n: int, k: int, init: str, x0: Array | None, rng: np.random.Generator) -> Array:
    """k columns to start from: those of ``x0`` first, the rest drawn as ``init`` says."""
    if init == "rademacher":
        drawn = rng.choice([-1.0, 1.0], size=(n, k))
    elif init == "uniform":
        drawn = rng.uniform(-1.0, 1.0, size=(n, k))
    else:
        drawn = rng.standard_normal((n, k))
    if x0 is not None:
        given = _independent(x0[:, :k])
        drawn[:, : given.shape[1]] = given
    return drawn


def _independent(columns: Array) -> Array:
    """The columns without those that depend on others: a block of zeros leads nowhere."""
    lengths = np.linalg.norm(columns, axis=0)
    columns = columns[:, lengths > 0] / lengths[lengths > 0]
    if columns.shape[1] == 0 or np.linalg.eigvalsh(columns.T @ columns)[0] > 1e-10:
        return columns
    _, R, order = scipy.linalg.qr(columns, mode="economic", pivoting=True)
    keep = np.abs(np.diagonal(R)) > 1e-8
    return columns[:, np.sort(order[: len(keep)][keep])]


def lobpcg(
    matrix: Any,
    X: Any,
    max_steps: int,
    target: float = 0.0,
    preconditioner: Any = None,
    trajectory: bool = False,
) -> Approximation:
    """The iteration itself.

    Args:
        matrix: symmetric, anything for which ``matrix @ block`` works.
        X: the starting block, shape (n, k), k <= n; not necessarily orthonormal or of full rank.
        max_steps: the most conjugate steps to take, after one of steepest descent.
        target: columns whose residual norm is below this rest; all resting ends the iteration.
        preconditioner: ``None``, a function of a block, or an operator with ``@``.
        trajectory: keep the Ritz pairs of every step.

    Returns:
        The Ritz pairs and counts.
    """
    k = X.shape[1]
    X = _orthonormal(X)
    AX = matrix @ X
    values, C = eigh(_symmetric(X.T @ AX))
    X, AX = X @ C, AX @ C
    P = AP = X[:, :0]
    steps, matvecs = -1, k  # the step that has no P yet is number zero
    best, best_norm = X, float("inf")
    history: list[tuple[Any, Any]] = []
    while True:
        W = AX - X * values
        norms = _norms(W)
        active = norms > target
        # Residuals of a method cut short rise and fall; the best block seen is the one to give back.
        if float(norms.max()) < best_norm:
            best, best_norm = X, float(norms.max())
        if steps == max_steps or not bool(active.any()):
            break
        W = _precondition(preconditioner, W if bool(active.all()) else W[:, active])
        W = W - X @ (X.T @ W)
        matvecs += W.shape[1]
        Q, AQ = np.concatenate([W, P], axis=1), np.concatenate([matrix @ W, AP], axis=1)
        projected = _rayleigh_ritz(X, AX, Q, AQ)
        if projected is None:
            break
        values, C, D = projected
        P, AP = Q @ D, AQ @ D
        X, AX = X @ C + P, AX @ C + AP
        steps += 1
        if trajectory and steps > 0:
            history.append((values, X))
    X = _orthonormal(best)
    AX = matrix @ X
    values, C = eigh(_symmetric(X.T @ AX))
    kept = _history_of(history, values, X @ C) if trajectory else None
    return Approximation(values, X @ C, max(steps, 0), matvecs + k, kept, products=AX @ C)


def _orthonormal(X: Any) -> Any:
    """An orthonormal basis that spans X, and as many columns whatever the rank of X.

    A well-conditioned block is whitened through its Gram matrix, in a tenth of the time of a QR.
    """
    G = X.T @ X
    if bool(np.isfinite(G).all()):
        d, V = eigh(_symmetric(G))
        if float(d[0]) > 1e-2 * float(d[-1]):
            return X @ (V / np.sqrt(d))
    return np.linalg.qr(X)[0]


def _rayleigh_ritz(X: Any, AX: Any, Q: Any, AQ: Any) -> tuple[Any, Any, Any] | None:
    """The best block within span[X, Q]: its Ritz values, and C, D such that it is X C + Q D.

    ``None`` where nothing is finite: the caller keeps what it has.
    """
    k = X.shape[1]
    XQ, XAQ = X.T @ Q, X.T @ AQ
    G = _blocks(X.T @ X, XQ, Q.T @ Q)
    H = _blocks(X.T @ AX, XAQ, Q.T @ AQ)
    length = np.sqrt(np.diagonal(G))
    usable = np.isfinite(length) & (length > 1e-150)  # a zero residual, or one beyond what floats can hold
    if not bool(usable[:k].all()):
        return None
    G, H = G[usable][:, usable], H[usable][:, usable]
    scale = 1.0 / length[usable]
    G, H = G * scale[:, None] * scale, H * scale[:, None] * scale
    if not bool(np.isfinite(G).all() and np.isfinite(H).all()):
        return None
    d, V = eigh(_symmetric(G))
    # What the Gram matrix (unit diagonal) cannot tell from dependent: about 2e-12 in double precision.
    keep = d > float(np.finfo(d.dtype).eps) ** 0.75 * d[-1]
    if int(keep.sum()) < k:
        return None
    T = V[:, keep] / np.sqrt(d[keep])  # [X, Q]·scale·T is orthonormal
    values, Y = eigh(_symmetric(T.T @ H @ T))
    C = np.zeros((len(length), k))
    C[usable] = scale[:, None] * (T @ Y[:, :k])
    return values[:k], C[:k], C[k:]


def _blocks(top: Any, corner: Any, bottom: Any) -> Any:
    """The symmetric matrix [top, corner; cornerᵀ, bottom]."""
    upper, lower = np.concatenate([top, corner], axis=1), np.concatenate([corner.T, bottom], axis=1)
    return _symmetric(np.concatenate([upper, lower], axis=0))


def _precondition(preconditioner: Any, R: Any) -> Any:
    if preconditioner is None:
        return R
    return preconditioner(R) if callable(preconditioner) else preconditioner @ R


def _jacobi(matrix: sp.csr_array) -> Any:
    diagonal = np.abs(matrix.diagonal())
    inverse = np.divide(1.0, diagonal, out=np.ones_like(diagonal), where=diagonal > 0)[:, None]
    return lambda R: inverse * R


def _norms(block: Any) -> Any:
    return np.sqrt(np.einsum("ij,ij->j", block, block))


def _symmetric(M: Any) -> Any:
    return (M + M.T) / 2


def _history_of(history: list[tuple[Any, Any]], values: Any, X: Any) -> Trajectory:
    """The steps' pairs, each with the sign that agrees with the step after it, the last with the answer."""
    if not history:
        history = [(values, X)]
    vectors, following = [], X
    for _, step in reversed(history):
        overlap = np.einsum("ij,ij->j", step, following)
        following = step * np.where(overlap < 0, -1.0, 1.0)
        vectors.append(following)
    return Trajectory(np.stack([step for step, _ in history]), np.stack(vectors[::-1]))
