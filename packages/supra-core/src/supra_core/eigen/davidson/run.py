"""One solution by Davidson's method, stage by stage: Lanczos where it does well, single precision, double."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from supra_core.eigen.davidson.iteration import Iteration
from supra_core.eigen.davidson.krylov import KrylovStage
from supra_core.eigen.davidson.search_space import SearchSpace, norm_of
from supra_core.eigen.davidson.settings import FLAT, Settings
from supra_core.eigen.known_products import known_products
from supra_core.eigen.nullspace import NullSpace
from supra_core.eigen.precondition import Jacobi, apply
from supra_core.eigen.result import (
    Approximation,
    Array,
    Spare,
    one_norm,
    residual_target,
    rounding_floor,
    value_tolerance,
)
from supra_core.eigen.sorted_rows import (
    SplitRows,
    as_it_is,
    is_small,
    longest_first,
    single_is_safe,
    without_diagonal,
)
from supra_core.eigen.symmetric import eigh

# A starting vector of which only this part is left beside the null vectors is one of them.
_NULL_SHARE = 0.1
# What is left of rounding in single precision, as a multiple of ‖diag(A) x‖; measured.
_SINGLE_NOISE = 4 * float(np.finfo(np.float32).eps)
# Vectors beside the wanted ones that a restart keeps.
_BESIDE = 5
# Inner steps for each correction. Where the diagonal is flat and does not precondition, corrections take
# longer to be worth the work on the basis.
_INNER_STEPS, _INNER_STEPS_FLAT = 2, 4
# What is drawn at random beside old vectors from whose sum Lanczos starts, as a part of it.
_DRAWN = 0.01
# On a flat diagonal Lanczos comes first, with a basis of so many times the size.
_TIMES_KRYLOV, _TIMES_KRYLOV_SMALL = 3, 8


class Run:
    """One solution by Davidson's method; works on the matrix with its rows sorted by length."""

    def __init__(
        self, settings: Settings, matrix: sp.csr_array, k: int, capacity: int, null: NullSpace | None,
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        n, num_null = matrix.shape[0], 0 if null is None else null.count
        self.settings, self.rng, self.null = settings, rng, null
        self.wanted = k - num_null
        # Vectors of single precision are half as large, and fewer restarts save time. As it is, the whole
        # stays below 60 vectors of double precision for k = 8.
        room = n - num_null
        self.capacity, self.double_capacity = min(capacity + 3, room), min(max(capacity - 2, k + 3), room)
        self.target, self.floor = residual_target(matrix, settings.tol), rounding_floor(matrix)
        self.num_matvecs = self.num_steps = 0
        self.spare: tuple[Array, list[NDArray[Any]]] | None = None
        # With the vectors of the start, where they are known; the first search space takes them over.
        self.products: list[NDArray[Any]] | None = None
        self.matrix = matrix
        self.order: NDArray[np.integer[Any]] = np.arange(n, dtype=matrix.indices.dtype)
        self.operator: Any = settings.preconditioner
        self.jacobi: Jacobi | None = None
        self.first: type[np.floating[Any]] = np.float64
        self.inner_steps = _INNER_STEPS
        self.alone = False  # Lanczos in double precision is all there is to do, as a rule
        self.krylov = settings.begins_with_lanczos(matrix)
        if self.operator is None or isinstance(self.operator, str):
            self.alone = self.krylov and is_small(matrix)
            self.order, self.matrix = as_it_is(matrix) if self.alone else longest_first(matrix)
            self.null = None if null is None else null.reordered(self.order)
            if self.operator is not None:  # a matrix with known null vectors is positive semi-definite
                self.operator, self.jacobi = None, Jacobi(self.matrix, bound=None if null is None else 0.0)
            spread = 1.0 if self.jacobi is None else self.jacobi.spread
            if self.jacobi is not None and spread < FLAT:
                self.inner_steps = _INNER_STEPS_FLAT
            if settings.mixed_precision and single_is_safe(one_norm(matrix), spread) and not self.alone:
                self.first = np.float32
        if settings.inner_steps is not None:
            self.inner_steps = settings.inner_steps

    def solve(self, matrix: sp.csr_array, x0: Array | None) -> Approximation:
        """Single precision as far as it goes, then double."""
        columns = self._columns_of(matrix, x0)
        if self.krylov and not self.products:  # what comes with its products is better taken over
            columns = self._by_lanczos(one_norm(matrix), columns)
            answer = self._at_once(columns) if self.alone else None
            if answer is not None:
                return answer
        if self.first is np.float32:
            columns = self._in_single(columns)
        return self._in_double(matrix, columns)

    def _by_lanczos(self, norm: float, old: list[NDArray[Any]]) -> list[NDArray[Any]]:
        """Vectors to go on from, nearly the answer where Lanczos does well; it starts from the sum of those
        that may be near the wanted ones."""
        start = self.rng.standard_normal(len(self.order))
        if old:
            start *= _DRAWN / norm_of(start)
            start += sum(x / norm_of(x) for x in old[: self.wanted]) / min(len(old), self.wanted) ** 0.5
        null = None if self.null is None else self.null.astype(self.first)
        small, (rest, level) = is_small(self.matrix), without_diagonal(self.matrix)
        times = _TIMES_KRYLOV_SMALL if small else _TIMES_KRYLOV
        capacity = min(times * self.capacity, (len(self.order) - self.capacity) // 2)
        A = rest if small else SplitRows(rest, self.first)
        beside = max(self.settings.spare, 2)
        stage = KrylovStage(A, null, -level, self.wanted, capacity, norm, start, beside)
        found = stage.run(0.9 * self.target, self.settings.max_steps)
        self.num_matvecs, self.num_steps = stage.num_matvecs, stage.num_matvecs
        return stage.columns(self.wanted + (self.settings.spare if found else _BESIDE))

    def _at_once(self, columns: list[NDArray[Any]]) -> Approximation | None:
        """The answer, where these vectors of double precision are one: no search space is needed."""
        if len(columns) < self.wanted:
            return None
        num_null = 0 if self.null is None else self.null.count
        zeros = np.zeros((len(self.order), 0)) if self.null is None else self.null.first(num_null)
        X = np.column_stack(columns)
        X = np.linalg.qr(X - zeros @ (zeros.T @ X))[0]
        X = np.column_stack([zeros, X])
        products = self.matrix @ X
        self.num_matvecs += products.shape[1]
        H = X[:, num_null:].T @ products[:, num_null:]
        values, turn = eigh((H + H.T) / 2)
        X[:, num_null:], products[:, num_null:] = X[:, num_null:] @ turn, products[:, num_null:] @ turn
        values = np.concatenate([np.zeros(num_null), values])
        residuals, k = np.linalg.norm(products - X * values, axis=0), num_null + self.wanted
        if any(residuals[i] > self._tolerance(float(values[i])) for i in range(num_null, k)):
            return None
        return Approximation(
            values[:k],
            np.ascontiguousarray(X[:, :k]),
            self.num_steps,
            self.num_matvecs,
            residual_norms=residuals[:k],
            spare=Spare(values[k:], X[:, k:]) if len(values) > k else None,
        )

    def _columns_of(self, matrix: sp.csr_array, x0: Array | None) -> list[NDArray[Any]]:
        """What is new of a start, in the order of the rows; its products are noted where they are known."""
        if x0 is None:
            return []
        given = [x0[self.order, j] for j in range(min(x0.shape[1], self.double_capacity - 1))]
        new = [j for j, column in enumerate(given) if self._is_new(column)]
        products = known_products(matrix, x0)
        if products is not None:
            self.products = [products[self.order, j] for j in new]
        return [given[j] for j in new]

    def _is_new(self, column: NDArray[Any]) -> bool:
        """Whether most of a vector is left beside the null vectors: the rest of one that they nearly are is
        noise, which would take a place in the search space."""
        if self.null is None:
            return True
        rest = column.copy()
        self.null.project_out(rest)
        return norm_of(rest) > _NULL_SHARE * norm_of(column)

    def _in_single(self, columns: list[NDArray[Any]]) -> list[NDArray[Any]]:
        """Iterate as far as single precision goes; vectors to go on from."""
        iteration = self._iteration(np.float32, columns)
        iteration.run()
        self._keep_spare(iteration)
        columns = self._handover(iteration)
        self._count(iteration)
        return columns

    def _in_double(self, matrix: sp.csr_array, columns: list[NDArray[Any]]) -> Approximation:
        """Iterate until freshly computed residuals agree that it is done."""
        iteration = self._iteration(np.float64, columns)
        finished, fresh = iteration.run(), 0
        self._keep_spare(iteration)
        for _ in range(3):
            if iteration.num_steps == fresh:
                break
            iteration.refresh(self.wanted)
            fresh = iteration.num_steps
            finished = finished and iteration.run()
        self._count(iteration)
        return self._answer(matrix, iteration, iteration.num_steps == fresh)

    def _answer(self, matrix: sp.csr_array, iteration: Iteration, fresh: bool) -> Approximation:
        """Put the pairs into the matrix's own order, after the null vectors."""
        space, values = iteration.space, iteration.values[: self.wanted]
        space.compress(iteration.coordinates[:, : self.wanted])
        del self.matrix, space.matrix
        k = self.wanted + (0 if self.null is None else self.null.count)
        vectors, products = self._placed(space.V, k), self._placed(space.W, k)
        if self.null is not None:
            vectors[self.order, : self.null.count] = self.null.first(self.null.count)
            products[:, : self.null.count] = matrix @ vectors[:, : self.null.count]
            self.num_matvecs += self.null.count
            values = np.concatenate([np.zeros(self.null.count), values])
        return Approximation(
            values,
            vectors,
            self.num_steps,
            self.num_matvecs,
            products=products if fresh else None,
            spare=self._spare(),
        )

    def _placed(self, block: NDArray[Any], k: int) -> NDArray[Any]:
        """The first columns of a block as the last of k, in the matrix's own order; within the same memory,
        since a second block would be the largest thing in it."""
        for j in reversed(range(self.wanted)):
            block[self.order, k - self.wanted + j] = block[:, j].copy()
        return block[:, :k]

    def _keep_spare(self, iteration: Iteration) -> None:
        """Note the Ritz vectors after those wanted, where the space has as many as a restart would keep."""
        stop = min(self.wanted + self.settings.spare, iteration.restart_size)
        if self.wanted < stop <= iteration.space.size:
            columns = _columns(iteration, self.wanted, stop)
            self.spare = iteration.values[self.wanted : stop].copy(), columns

    def _spare(self) -> Spare | None:
        """The same in the matrix's own order."""
        if self.spare is None:
            return None
        values, columns = self.spare
        vectors = np.empty((len(self.order), len(columns)))
        for j, column in enumerate(columns):
            vectors[self.order, j] = column
        return Spare(values, vectors)

    def _iteration(self, dtype: type[np.floating[Any]], columns: list[NDArray[Any]]) -> Iteration:
        single = dtype is np.float32
        plain = self.operator is not None or (is_small(self.matrix) and not single)
        A: Any = self.matrix if plain else SplitRows(self.matrix, dtype)
        long = A.split if single else 0
        capacity = self.capacity if single else self.double_capacity
        diagonal = self.matrix.diagonal().astype(dtype) if single else np.zeros(0)
        noise = noise_of_rest = 0.0
        unit = _SINGLE_NOISE * max(1.0, (self.matrix.shape[0] / 50_000) ** 0.5)  # sums over all rows add up

        def correct(residual: NDArray[Any], value: float) -> NDArray[Any]:
            return residual if self.operator is None else apply(self.operator, residual)

        def accept(value: float, x: NDArray[Any]) -> tuple[float, float]:
            nonlocal noise, noise_of_rest
            tolerance = self._tolerance(value)
            if not single:
                return tolerance, tolerance
            # A basis is as noisy as the worst of its vectors; long rows are much the noisiest, and what is
            # wrong in them is what double precision mends at once.
            scaled = diagonal * x
            noise = max(noise, unit * norm_of(scaled))
            noise_of_rest = max(noise_of_rest, unit * norm_of(scaled[long:]))
            return max(0.9 * tolerance, noise), max(0.9 * tolerance, noise_of_rest)

        null = None if self.null is None else self.null.astype(dtype)
        products, self.products = self.products, None
        return Iteration(
            space=SearchSpace(A, capacity, null, columns, products or None),
            wanted=self.wanted,
            correct=correct if self.jacobi is None else self.jacobi,
            accept=accept,
            first_rows=long,
            inner_steps=self.inner_steps,
            restart_size=max(self.wanted, min(self.wanted + _BESIDE, capacity - (2 if single else 4))),
            max_matvecs=max(self.settings.max_steps - self.num_matvecs, 0),
            patience=4 if single else 20,
            refreshes=0 if single else 2,
            rng=self.rng,
        )

    def _tolerance(self, value: float) -> float:
        """The residual norm that a pair must reach."""
        return 0.99 * max(value_tolerance(value, self.target, self.null is not None), self.floor)

    def _handover(self, iteration: Iteration) -> list[NDArray[Any]]:
        """The vectors to go on from: the answer where it is one, else all that a restart would keep."""
        if iteration.within(self._tolerance):
            return _columns(iteration, 0, self.wanted)
        iteration.restart()
        return [iteration.space.V[:, j].copy() for j in range(iteration.space.size)]

    def _count(self, iteration: Iteration) -> None:
        self.num_matvecs += iteration.space.num_matvecs
        self.num_steps += iteration.num_steps


def _columns(iteration: Iteration, start: int, stop: int) -> list[NDArray[Any]]:
    """Some Ritz vectors as a list, one array each."""
    space = iteration.space
    Y = iteration.coordinates[:, start:stop].astype(space.V.dtype)
    return [np.dot(space.V[:, : space.size], Y[:, j]) for j in range(Y.shape[1])]
