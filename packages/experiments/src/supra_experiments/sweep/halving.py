"""Successive halving: of the trials that come to a milestone, those behind are stopped."""

import itertools
import math
from collections import defaultdict
from collections.abc import Hashable, Iterable

from supra_experiments.config.training import Training

Reached = tuple[Hashable, Hashable, int, float]
"""A cell, one of its trials, a milestone, and the best score of the trial there, larger being better."""

GRACE, REDUCTION = 0.1, 3
"""Halving begins after this share of the epochs that every run has, and keeps one in so many trials."""


def milestones(limits: Training) -> tuple[int, ...]:
    """The epochs after which trials are compared: a tenth of the fewest, and thrice as many each time.

    A run may have many epochs and end after few, out of patience. A share of the many would come when most
    of its work is done.

    Args:
        limits: of the trial: ``min_epochs`` and ``max_epochs`` count.

    Example:
        >>> milestones(Training(min_epochs=100, max_epochs=500))
        (10, 30, 90, 270)
    """
    last = limits.max_epochs
    first = max(1, math.ceil(GRACE * min(limits.min_epochs, last)))
    return tuple(itertools.takewhile(last.__gt__, (first * REDUCTION**n for n in itertools.count())))


class Halving:
    """The scores of all trials at their milestones; cells do not compete with each other.

    Nobody waits: a trial goes on if it is among the best third of those that came to the milestone so far
    (asynchronous successive halving, Li et al., MLSys 2020).

    Args:
        known: what trials came to before.

    Example:
        >>> halving = Halving()
        >>> [halving.goes_on("cell", run, 50, score) for run, score in enumerate([0.5, 0.6, 0.4, 0.55])]
        [True, True, False, True]
    """

    def __init__(self, known: Iterable[Reached] = ()) -> None:
        self._scores: defaultdict[Hashable, dict[Hashable, float]] = defaultdict(dict)
        for cell, run, epoch, score in known:
            self._scores[cell, epoch][run] = score

    def goes_on(self, cell: Hashable, run: Hashable, epoch: int, score: float) -> bool:
        """Whether a trial goes on after a milestone; that it was there is remembered.

        Args:
            cell: where it competes.
            run: which it is; one that comes again, after a kill say, counts once.
            epoch: the milestone.
            score: the best so far, larger being better.
        """
        scores = self._scores[cell, epoch]
        scores[run] = score
        num_better = sum(other > score for other in scores.values())
        return num_better < len(scores) / REDUCTION
