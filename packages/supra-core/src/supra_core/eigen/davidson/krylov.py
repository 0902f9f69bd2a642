"""A first stage for matrices with a flat diagonal: Lanczos with thick restarts, whose steps cost little.

Where the diagonal says nothing, a correction of Davidson's method is a residual like any other, and the
search space grows as a Krylov space would. Lanczos gets that space from a recurrence of three terms, without
work on the whole basis, and can therefore hold a larger one.

What the recurrence loses is orthogonality, and only along Ritz vectors that have converged (Paige). In single
precision those are set aside: every few steps two vectors in a row are made orthogonal to them again (Parlett
and Scott). Double precision loses it so late that two vectors in a row are made orthogonal to the whole basis
now and then (Grcar), which spares it to work out which pairs have converged.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal, get_blas_funcs

from supra_core.eigen.davidson.search_space import CHUNK, norm_of
from supra_core.eigen.nullspace import NullSpace
from supra_core.eigen.symmetric import eigh

# Steps before the first look at the Ritz values, all of whose vectors are made orthogonal, and the most from
# one look to the next in single and in double precision. Isolated pairs, which are lost within a few steps,
# have converged by the first.
_FIRST, _STEPS, _FEW_LOOKS = 24, 16, 48
# Above this part of the norm a residual does not tell yet how fast it will fall.
_FAR = 1e-3
# How large a part along a pair that has converged may become, and the most steps until it is taken out.
_ORTHOGONAL, _INTERVAL = 3e-4, 16
# The same along the whole basis, and how much faster than ever it is taken to grow.
_SEMIORTHOGONAL, _CAUTION = 1e-8, 1.25
# Restarts within which residuals must halve, in the geometric mean.
_PATIENCE = 4


class KrylovStage:
    """Lanczos in one precision, until the wanted pairs are found or it turns out to be slow.

    A Krylov space of one vector has one copy of a multiple eigenvalue; the others are for the verification to
    notice.

    Args:
        matrix: symmetric, shape (n, n), of the precision to work in.
        null: eigenvectors, all of the smallest eigenvalue, that every vector is kept orthogonal to.
        null_value: that eigenvalue.
        wanted: how many of the smallest pairs to find.
        capacity: the most vectors of the basis; at least four more than wanted.
        norm: a bound of the matrix's norm.
        start: the first vector, shape (n,).
        beside: pairs after the wanted ones that are looked at as well, to be asked for in :meth:`columns`.

    Attributes:
        num_matvecs: products with the matrix, one for each step.
    """

    def __init__(
        self, matrix: Any, null: NullSpace | None, null_value: float, wanted: int, capacity: int, norm: float,
        start: NDArray[np.float64], beside: int = 2,
    ) -> None:  # fmt: skip
        self.null_value = math.inf if null is None else null_value
        n, self.dtype = matrix.shape[0], np.dtype(matrix.dtype)
        self.matrix, self.null, self.wanted, self.capacity, self.norm = matrix, null, wanted, capacity, norm
        self.looked_at = wanted + beside
        self.kept = max(capacity // 3, wanted + 2)
        self.eps = float(np.finfo(self.dtype).eps)
        self.double = self.dtype == np.float64
        # Vectors lose as much orthogonality to those of a pair with this residual (Paige).
        self.loss = self.eps * norm / _ORTHOGONAL
        self.V = np.empty((n, capacity + 1), dtype=self.dtype, order="F")
        self.H = np.zeros((capacity, capacity))
        # The vectors of the basis, and of these the Ritz vectors of the last restart.
        self.size = self.left = self.num_matvecs = 0
        # The Ritz vectors set aside, and how often others are made orthogonal to them.
        self.aside: NDArray[Any] = self.V[:, :0]
        self.interval, self._since, self._beta = _INTERVAL, 0, norm
        # The largest residual of the wanted pairs at the last look, that of the first pair, and the products
        # until then; the most by which a step has brought the first pair nearer, in logarithms.
        self._seen, self._fastest = (math.inf, norm, 0), 0.0
        self._axpy, self._gemv = get_blas_funcs(("axpy", "gemv"), dtype=self.dtype)
        self._begin(start.astype(self.dtype))

    def run(self, target: float, max_matvecs: int) -> bool:
        """Go on until all wanted pairs have residuals below the target, by estimate; False where it stopped
        before."""
        progress: list[float] = []
        steps = _FIRST
        while self.num_matvecs < max_matvecs:
            grown = self._grow(min(steps, self.capacity - self.size))
            last = not grown or self.num_matvecs >= max_matvecs
            if last or not (self.double and self._is_early(target)):
                self._look()
            first = self.residuals[: self.wanted]
            worst = float(first.max()) if self.size >= self.wanted else math.inf
            if worst <= target or not grown:
                return worst <= target
            if self.size < self.capacity:
                self._set_aside()
                steps = self._steps_to_next_look(worst, target)
                continue
            progress.append(float(np.mean(np.log(np.maximum(first, max(target, self.eps**2))))))
            if len(progress) > _PATIENCE and progress[-1] > progress[-1 - _PATIENCE] - math.log(2):
                return False
            self._restart()
            steps = self._steps_to_next_look(worst, target)
        return False

    def columns(self, count: int) -> list[NDArray[Any]]:
        """The first Ritz vectors, at most as many as there are, one array each."""
        return list(np.dot(self.coordinates[:, :count].T.astype(self.dtype), self.V[:, : self.size].T))

    def _grow(self, steps: int) -> bool:
        """Take up the next vector so many times; False where none is left, since the space is invariant."""
        V, H, matrix, axpy = self.V, self.H, self.matrix, self._axpy
        for j in range(self.size, self.size + steps):
            v = V[:, j]
            w = np.asarray(matrix @ v)
            if j > self.left:
                axpy(V[:, j - 1], w, a=-self._beta)
            elif j:
                self._subtract(V[:, :j], H[:j, j].astype(self.dtype), w)
            H[j, j] = alpha = np.dot(v, w)
            axpy(v, w, a=-alpha)
            self.num_matvecs += 1
            if self.num_matvecs <= _FIRST or (self.double and self._since < 2):
                self._clean(w, V[:, :j])
            elif self._since % self.interval < 2:
                self._clean(w, self.aside)
            self._since += 1
            self._beta = norm_of(w)
            if not self._beta <= 2 * self.norm:  # so long only where orthogonality is lost after all
                return False
            self.size = j + 1
            if self._beta <= self.eps * self.norm:
                return False
            np.multiply(w, 1 / self._beta, out=V[:, j + 1])
            if j + 1 < self.capacity:
                H[j + 1, j] = H[j, j + 1] = self._beta
        return True

    def _clean(self, w: NDArray[Any], beside: NDArray[Any]) -> None:
        """Make a vector orthogonal to the null vectors and to the columns of ``beside``, in place."""
        if self.null is not None:
            self.null.project_out(w)
        if beside.shape[1]:
            self._subtract(beside, np.dot(beside.T, w), w)

    def _begin(self, w: NDArray[Any]) -> None:
        """Put the direction of a vector after those of the basis."""
        self._clean(w, self.V[:, : self.size])
        np.multiply(w, 1 / norm_of(w), out=self.V[:, self.size])

    def _subtract(self, block: NDArray[Any], along: NDArray[Any], w: NDArray[Any]) -> None:
        """w −= block along, in place."""
        self._gemv(-1.0, block, along, beta=1.0, y=w, overwrite_y=True)

    def _is_early(self, target: float) -> bool:
        """Whether the last of the wanted pairs has not converged; looks only at that and at the first."""
        if self.left or not self.wanted < self.size < self.capacity:
            return False
        ends = [self._pairs(place, place) for place in (0, self.wanted - 1)]
        self.values, coordinates = (np.concatenate(parts, axis=-1) for parts in zip(*ends, strict=True))
        self.residuals = self._beta * np.abs(coordinates[-1])
        return bool(self.residuals[1] > target)

    def _look(self, *, all_pairs: bool = False) -> None:
        """Ritz values and estimates of their residuals; of the first ones alone, where that does."""
        if self.double and self.left == 0 and self.looked_at < self.size and not all_pairs:
            self.values, self.coordinates = self._pairs(0, self.looked_at - 1)
        else:
            self.values, self.coordinates = eigh(self.H[: self.size, : self.size])
        self.residuals = self._beta * np.abs(self.coordinates[-1:].ravel())

    def _pairs(self, first: int, last: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Some Ritz values and the coordinates of their vectors, before any restart: H is tridiagonal."""
        H = self.H[: self.size, : self.size]
        some: Any = {
            "select": "i",
            "select_range": (first, last),
            "lapack_driver": "stemr",
            "check_finite": False,
        }
        values, coordinates = eigh_tridiagonal(H.diagonal(), H.diagonal(1), **some)
        return values, coordinates

    def _restart(self) -> None:
        """Compress the basis to the first Ritz vectors and the vector that comes next."""
        if len(self.values) < self.size:
            self._look(all_pairs=True)
        m, s = self.size, min(self.kept, self.size // 2 + 1)
        couplings = self._beta * self.coordinates[-1, :s]
        Z = np.ascontiguousarray(self.coordinates[:, :s].T, dtype=self.dtype)
        rows = self.V.T
        for start in range(0, rows.shape[1], CHUNK):
            part = slice(start, start + CHUNK)
            rows[:s, part] = Z @ rows[:m, part]
        self.H[:] = 0.0
        np.fill_diagonal(self.H[:s, :s], self.values[:s])
        self.size = self.left = s
        self._begin(self.V[:, m].copy())
        self.H[s, :s] = self.H[:s, s] = couplings
        self.aside = self.V[:, : self._num_converging()]
        self._since = 0

    def _steps_to_next_look(self, worst: float, target: float) -> int:
        """Before orthogonality is lost; in single precision that may be soon. How often to clean as well."""
        lowest = min(self.null_value, float(self.values[0]))
        self.interval = _between(2, self._safe_steps(lowest, _ORTHOGONAL), _INTERVAL)
        if not self.double:
            known = min(self.aside.shape[1], len(self.values) - 1)
            return _between(4, self._safe_steps(float(self.values[known]), _ORTHOGONAL), _STEPS)
        (worst_then, first_then, then), steps = self._seen, self.num_matvecs - self._seen[2]
        first = max(float(self.residuals[0]), self.eps**2)
        self._seen, self._since = (worst, first, self.num_matvecs), 0
        # Rounding along the first pair grows as fast as its residual falls; at first that is not known.
        self._fastest = max(self._fastest, math.log(max(first_then / first, 1.0)) / steps)
        safe = math.log(_SEMIORTHOGONAL / self.eps) / max(_CAUTION * self._fastest, self.eps)
        if then == 0:
            safe = min(safe, self._safe_steps(float(self.values[0]), _SEMIORTHOGONAL))
        # By the rate of late, it is done after so many steps.
        rate = math.log(worst_then / worst) / steps if worst < worst_then < math.inf else 0.0
        left = math.log(worst / target) / rate if rate > 0 and worst < _FAR * self.norm else math.inf
        return _between(4, min(safe, left + 1), _FEW_LOOKS)

    def _set_aside(self) -> None:
        """Take Ritz vectors out of the way of which the next ones would get too much."""
        if self.double or self.residuals[self.aside.shape[1] : self.kept].min(initial=math.inf) > self.loss:
            return
        Y = self.coordinates[:, : self._num_converging()].astype(self.dtype)
        self.aside = np.asfortranarray(self.V[:, : self.size] @ Y)
        self._since = 0

    def _num_converging(self) -> int:
        """All up to the last one that has begun to converge, at the lower end."""
        converging = np.flatnonzero(self.residuals[: self.kept] < 3 * self.loss)
        return int(converging[-1]) + 1 if len(converging) else 0

    def _safe_steps(self, lowest: float, much: float) -> float:
        """Steps until rounding along a vector of this value has grown so much. It grows as a Chebyshev
        polynomial does outside the interval of the values beside the wanted ones."""
        low = float(self.values[min(max(self.aside.shape[1], self.looked_at), len(self.values) - 1)])
        high = float(self.values[-1]) if len(self.values) == self.size else self._upper_end()
        x = max((high + low - 2 * lowest) / max(high - low, self.eps * self.norm), 1.0)
        rate = math.log(x + math.sqrt(x * x - 1))
        return math.log(much / self.eps) / max(rate, self.eps)

    def _upper_end(self) -> float:
        """A bound of the Ritz values, of which only the first are known: Gershgorin's. H is tridiagonal."""
        H = self.H[: self.size, : self.size]
        beside = H.diagonal(1)
        return float(np.max(H.diagonal() + np.append(beside, 0.0) + np.append(0.0, beside)))


def _between(low: int, value: float, high: int) -> int:
    return int(min(max(low, value), high))
