"""AUC and average precision of scores, ties counted fairly."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supra_core import InvalidArgumentError


@dataclass(frozen=True, slots=True)
class Metrics:
    """How well scores tell links from non-links, in 0 .. 1; NaN where there is nothing to tell apart.

    Attributes:
        auc: the chance that a random link is scored above a random non-link, ties counting half.
        ap: average precision.
    """

    auc: float
    ap: float


def score_metrics(labels: ArrayLike, scores: ArrayLike) -> Metrics:
    """Both metrics of one set of links.

    Args:
        labels: which are links, bool (m,).
        scores: higher for links, finite, (m,). Raw scores: a sigmoid would merge those that saturate.

    Returns:
        The metrics; both are NaN where there are only links, only non-links, or a score is not finite.

    Raises:
        InvalidArgumentError: shapes that do not fit.

    Example:
        >>> score_metrics([True, True, False, False], [3.0, 1.0, 1.0, 0.0])
        Metrics(auc=0.875, ap=0.8333333333333333)
    """
    truth, values = np.asarray(labels, dtype=bool), np.asarray(scores, dtype=np.float64)
    if truth.ndim != 1 or truth.shape != values.shape:
        raise InvalidArgumentError(
            f"labels.shape={truth.shape}, scores.shape={values.shape}: must be equal and (m,)"
        )
    num_links = int(truth.sum())
    num_others = len(truth) - num_links
    if num_links == 0 or num_others == 0 or not np.isfinite(values).all():
        return Metrics(float("nan"), float("nan"))
    links, others = _by_threshold(truth, values)
    # Trapezoids under the ROC curve: a tie between a link and a non-link counts one half.
    found, rejected = np.cumsum(links), np.cumsum(others)
    auc = float(np.sum(others * (found - links / 2))) / (num_links * num_others)
    ap = float(np.sum(links * (found / (found + rejected)))) / num_links
    return Metrics(auc, ap)


def mean_metrics(parts: list[Metrics]) -> Metrics:
    """The mean over snapshots; those with nothing to tell apart are left out.

    Example:
        >>> mean_metrics([Metrics(0.5, 0.25), Metrics(1.0, 0.75), Metrics(float("nan"), float("nan"))])
        Metrics(auc=0.75, ap=0.5)
    """
    known = [part for part in parts if not np.isnan(part.auc)]
    if not known:
        return Metrics(float("nan"), float("nan"))
    return Metrics(float(np.mean([part.auc for part in known])), float(np.mean([part.ap for part in known])))


def _by_threshold(
    truth: NDArray[np.bool_], values: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Links and non-links at each distinct score, from the highest down."""
    _, group = np.unique(-values, return_inverse=True)
    size = int(group.max()) + 1
    return np.bincount(group[truth], minlength=size), np.bincount(group[~truth], minlength=size)
