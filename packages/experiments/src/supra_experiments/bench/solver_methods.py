"""What a user could pick to compute the smallest eigenpairs: this project's solvers and everybody else's."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from numpy.typing import NDArray

from supra_core import LOBPCG, Davidson, eigenpairs

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """A matrix, and what a careful user knows about it before choosing a tolerance.

    Attributes:
        matrix: symmetric, shape (n, n).
        k: pairs wanted.
        start: a random block, shape (n, k): the same for every method that takes one.
        largest: the largest eigenvalue, roughly; PRIMME's tolerance is relative to it.
        last: the k-th smallest eigenvalue; ARPACK's tolerance is relative to the eigenvalue.
    """

    matrix: sp.csr_array
    k: int
    start: Array
    largest: float
    last: float


@dataclass(frozen=True, eq=False)
class Answer:
    """Approximate eigenvectors, shape (n, any), and the products they took where that is known."""

    vectors: Array
    num_matvecs: int | None = None


Run = Callable[[Problem], Answer]


@dataclass(frozen=True, eq=False)
class Method:
    """One way to compute eigenpairs.

    Attributes:
        name: what ``--methods`` calls it.
        about: a few words for the table's legend.
        run: the work that is timed.
        rehearse: the same with as much memory but less work, where ``run`` takes long; else None.
        max_rows: larger matrices are left out: it would take too long, or not fit.
        sees_memory: whether its memory is allocated where it can be measured.
        only: ``sym`` or ``combinatorial`` where it can do one of them only.
        needs: a module that must be installed.
    """

    name: str
    about: str
    run: Run
    rehearse: Run | None = None
    max_rows: int = 2_000_000
    sees_memory: bool = True
    only: str | None = None
    needs: str = "numpy"

    @property
    def installed(self) -> bool:
        """Whether what it needs is there."""
        return importlib.util.find_spec(self.needs) is not None


def _full(problem: Problem) -> Answer:
    return Answer(scipy.linalg.eigh(problem.matrix.toarray(), driver="evd")[1][:, : problem.k])


def _arpack(residual: float, restarts: int = 10**7) -> Run:
    def run(problem: Problem) -> Answer:
        A, count = problem.matrix, 0

        def product(x: Array) -> Array:
            nonlocal count
            count += 1
            return np.asarray(A @ x)

        operator = sla.LinearOperator(A.shape, matvec=product, dtype=np.float64)
        tol = 0.9 * residual / problem.last if problem.last > 0 else 0.0
        try:
            _, X = sla.eigsh(
                operator, problem.k, which="SA", tol=tol, maxiter=restarts, v0=problem.start[:, 0].copy()
            )
        except sla.ArpackNoConvergence:
            X = np.zeros((A.shape[0], 0))
        return Answer(X, count)

    return run


def _scipy_lobpcg(problem: Problem) -> Answer:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns that twenty steps were not enough; that is the point
        _, X = sla.lobpcg(problem.matrix, problem.start.copy(), largest=False, maxiter=20, tol=1e-12)
    return Answer(np.asarray(X, dtype=np.float64), 21 * problem.k)


def _ours(solver: Any, *, start: bool = False) -> Run:
    def run(problem: Problem) -> Answer:
        result = eigenpairs(problem.matrix, problem.k, solver, x0=problem.start if start else None)
        return Answer(result.eigenvectors, result.num_matvecs)

    return run


def _primme(residual: float) -> Run:
    def run(problem: Problem) -> Answer:
        import primme

        A = problem.matrix
        diagonal = A.diagonal()
        inverse = sp.diags_array(1 / np.where(diagonal > 0, diagonal, 1))
        _, X, stats = primme.eigsh(
            A, problem.k, which="SA", tol=residual / problem.largest, OPinv=inverse, return_stats=True
        )
        return Answer(X, int(stats["numMatvecs"]))

    return run


def _torch_lobpcg(problem: Problem) -> Answer:
    import torch

    A = problem.matrix
    crow, column = torch.from_numpy(A.indptr), torch.from_numpy(A.indices)
    rows = torch.repeat_interleave(torch.arange(A.shape[0]), crow.diff().long())
    places = torch.stack([rows, column.long()])
    tensor = torch.sparse_coo_tensor(places, torch.from_numpy(A.data), A.shape, check_invariants=False)
    start = torch.from_numpy(problem.start.copy())
    _, X = torch.lobpcg(tensor.coalesce(), problem.k, X=start, niter=20, largest=False, method="ortho")
    return Answer(X.numpy())


def _pyg(problem: Problem) -> Answer:
    import torch
    from torch_geometric.data import Data
    from torch_geometric.transforms import AddLaplacianEigenvectorPE

    A = sp.coo_array(problem.matrix)
    rows, columns = A.coords
    off = rows != columns
    edges = torch.from_numpy(np.stack([rows[off], columns[off]]).astype(np.int64))
    data = Data(edge_index=edges, num_nodes=A.shape[0])
    # It leaves the first vector out itself, so it computes as many as the others.
    transform = AddLaplacianEigenvectorPE(problem.k - 1, attr_name="pe", is_undirected=True)
    return Answer(transform(data).pe.numpy().astype(np.float64))


METHODS = {
    method.name: method
    for method in (
        Method("full", "LAPACK, all eigenpairs", _full, max_rows=2_500),
        Method("arpack-1e-3", "SciPy eigsh, which='SA'", _arpack(1e-3), _arpack(1e-3, 2), max_rows=60_000),
        Method("arpack-1e-6", "SciPy eigsh, which='SA'", _arpack(1e-6), _arpack(1e-6, 2), max_rows=60_000),
        Method("scipy-lobpcg-20", "SciPy lobpcg, 20 steps", _scipy_lobpcg),
        Method("lobpcg-20", "ours, 20 steps", _ours(LOBPCG(20), start=True)),
        Method("davidson-1e-3", "ours", _ours(Davidson(1e-3))),
        Method("davidson-1e-6", "ours", _ours(Davidson(1e-6))),
        Method("primme-1e-3", "PRIMME, Jacobi", _primme(1e-3), sees_memory=False, needs="primme"),
        Method("primme-1e-6", "PRIMME, Jacobi", _primme(1e-6), sees_memory=False, needs="primme"),
        Method(
            "torch-lobpcg-20", "torch.lobpcg, 20 steps", _torch_lobpcg, max_rows=200_000, sees_memory=False,
            needs="torch",
        ),
        Method(
            "pyg", "PyG AddLaplacianEigenvectorPE", _pyg, max_rows=60_000, only="sym", needs="torch_geometric"
        ),
    )
}  # fmt: skip
