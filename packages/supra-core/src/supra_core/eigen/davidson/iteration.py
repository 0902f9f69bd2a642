"""The generalised Davidson iteration with thick restarts that keep previous directions: GD+k."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supra_core.eigen.davidson.search_space import SearchSpace, norm_of

# A direction that a restart keeps beside the Ritz vectors must have at least this much outside their span.
_NEGLIGIBLE = 1e-10


class _Accepted(NamedTuple):
    """A pair that was found, as it was then."""

    value: float
    tolerance: float
    norm: float


@dataclass(eq=False)
class Iteration:
    """Extends a search space by one correction at a time until the wanted pairs are found.

    Attributes:
        space: where to search.
        wanted: how many of the smallest pairs to find.
        correct: turns the residual of a Ritz value into a new direction; may overwrite it.
        accept: given a Ritz value and vector, the residual norm at which the pair counts as found; and the
            same for the residual without its first rows.
        first_rows: how many those are.
        inner_steps: conjugate-gradient steps for each correction.
        restart_size: Ritz vectors that survive a restart.
        max_matvecs: stop once the space has made as many products.
        patience: restarts without progress after which the space is recomputed.
        refreshes: how often that is done before giving up.
        rng: for vectors that fill the space, and replace corrections which bring nothing new.
    """

    space: SearchSpace
    wanted: int
    correct: Callable[[NDArray[Any], float], NDArray[Any]]
    accept: Callable[[float, NDArray[Any]], tuple[float, float]]
    first_rows: int
    inner_steps: int
    restart_size: int
    max_matvecs: int
    patience: int
    refreshes: int
    rng: np.random.Generator
    num_steps: int = 0
    values: NDArray[np.float64] = field(init=False)
    coordinates: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        while self.space.size < self.wanted and self._append_random():
            pass
        self._project()
        self._residual = np.empty(len(self.space.V), dtype=self.space.V.dtype)
        self._previous: NDArray[np.float64] | None = None
        self._accepted: list[_Accepted] = []

    def run(self) -> bool:
        """Iterate until all wanted pairs are found; False where it stopped before."""
        best, idle = (0, math.inf), 0
        while True:
            norm = self._seek()
            found = len(self._accepted)
            if found == self.wanted:
                return True
            if found > best[0] or norm < 0.9 * best[1]:
                best, idle = (found, norm), 0
            if self.space.num_matvecs >= self.max_matvecs:
                return False
            if self.space.size == self.space.capacity:
                self.restart()
                idle += 1
            if idle > self.patience:
                if self.refreshes == 0:
                    return False
                best, idle, self.refreshes = (0, math.inf), 0, self.refreshes - 1
                self._append_random()  # breaks a deadlock, where drift was not the cause
                self.refresh(self.space.size)
                continue
            if not self._extend(found):
                return False

    def within(self, tolerance: Callable[[float], float]) -> bool:
        """Whether all wanted pairs were found, and with residuals below this tolerance of their values."""
        return len(self._accepted) == self.wanted and all(
            p.norm <= tolerance(p.value) for p in self._accepted
        )

    def restart(self) -> None:
        """Compress the space to the first Ritz vectors and the direction that the target came from.

        That direction, the "+k" of the method's name, lets it behave nearly as if it had never restarted,
        like the direction that conjugate gradients carry along.
        """
        Z = self.coordinates[:, : self.restart_size]
        if self._previous is not None:
            y = np.zeros(len(Z))
            y[: len(self._previous)] = self._previous
            for _ in range(2):
                y -= Z @ (Z.T @ y)
            norm = norm_of(y)
            if norm > _NEGLIGIBLE:
                Z = np.column_stack([Z, y / norm])
            self._previous = None
        self.space.compress(Z)
        self._project()

    def refresh(self, count: int) -> None:
        """Keep the first Ritz vectors only, with all products computed afresh."""
        self.space.compress(self.coordinates[:, :count])
        self.space.refresh()
        self._accepted.clear()
        self._project()

    def _extend(self, target: int) -> bool:
        """Append the correction of the target, whose residual is at hand."""
        self._previous = self.coordinates[:, target]
        value = float(self.values[target])
        t = self.space.corrected(self.correct, self._residual, value, self.inner_steps)
        if not (self.space.append(t) or self._append_random()):
            return False  # nothing is left outside the space
        self.num_steps += 1
        self._project()
        return True

    def _append_random(self) -> bool:
        return self.space.append(self.rng.standard_normal(len(self.space.V)).astype(self.space.V.dtype))

    def _project(self) -> None:
        self.values, self.coordinates = self.space.ritz()

    def _seek(self) -> float:
        """Leave the residual of the first pair that is not found yet; its norm."""
        # A value that has dropped below an accepted one is another pair, found late: look at it first.
        for i, pair in enumerate(self._accepted):
            if self.values[i] < pair.value - pair.tolerance:
                del self._accepted[i:]
                break
        norm = 0.0
        while len(self._accepted) < min(self.wanted, self.space.size):
            target = len(self._accepted)
            value = float(self.values[target])
            x = self.space.residual(value, self.coordinates[:, target], self._residual)
            tolerance, tolerance_of_rest = self.accept(value, x)
            norm = norm_of(self._residual)
            if not norm <= tolerance or norm_of(self._residual[self.first_rows :]) > tolerance_of_rest:
                break
            self._accepted.append(_Accepted(value, tolerance, norm))
        return norm
