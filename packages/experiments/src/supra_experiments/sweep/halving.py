"""Successive halving: of the trials that come to a milestone, those behind are stopped."""

import itertools
import math
from collections import defaultdict
from collections.abc import Hashable

GRACE, REDUCTION = 0.1, 3
"""Halving begins after this share of the epochs, and keeps one in so many trials."""


def milestones(max_epochs: int) -> tuple[int, ...]:
    """The epochs after which trials are compared: a tenth of all, and thrice as many each time.

    Example:
        >>> milestones(500)
        (50, 150, 450)
    """
    first = max(1, math.ceil(GRACE * max_epochs))
    return tuple(itertools.takewhile(max_epochs.__gt__, (first * REDUCTION**n for n in itertools.count())))


class Halving:
    """The scores of all trials at their milestones; cells do not compete with each other.

    Nobody waits: a trial goes on if it is among the best third of those that came to the milestone so far
    (asynchronous successive halving, Li et al., MLSys 2020).

    Example:
        >>> halving = Halving()
        >>> [halving.goes_on("cell", run, 50, score) for run, score in enumerate([0.5, 0.6, 0.4, 0.55])]
        [True, True, False, True]
    """

    def __init__(self) -> None:
        self._scores: defaultdict[Hashable, dict[Hashable, float]] = defaultdict(dict)

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
