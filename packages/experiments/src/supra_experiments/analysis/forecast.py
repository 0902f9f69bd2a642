"""What to expect of a choice on a graph, from what it did on others or on the graph itself."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from supra_experiments.analysis.choices import Tables, Weights, datasets_of

LEVEL = 0.8
"""The share of graphs whose gain should lie in the interval."""

SPREAD_PRIOR = 1
"""The spread over datasets of a typical choice counts as this many datasets beside a choice's own."""

DRAWS = 1000
"""How often seeds are drawn anew to tell which choice is the best."""


def carry_over(tables: Tables) -> float:
    """How far gains of two sources on one dataset are apart, as a root mean square; NaN where none are."""
    gains, differences = tables.gains(), []
    for rows in datasets_of(tables, range(len(tables.dataset))).values():
        for i, a in enumerate(rows):
            differences += [gains[a] - gains[b] for b in rows[:i]]
    apart = np.concatenate(differences) if differences else np.zeros(0)
    apart = apart[~np.isnan(apart)]
    return float(np.sqrt((apart**2).mean())) if len(apart) else math.nan


# ── gains ──────────────────────────────────────────────────────────────────────────────────────────────────


class Interval(NamedTuple):
    """A gain to expect, and the interval that should hold it."""

    mean: float
    low: float
    high: float


def gain_intervals(tables: Tables, weights: Weights) -> list[Interval]:
    """The gain over no encoding to expect of each choice, NaN where nothing is known.

    A gain measured on the graph itself is off by its seeds (and, if the paper measured it, by what another
    software does). Any other is that of a further dataset: Student's t about the weighted mean, the variance
    over datasets steadied by that of a typical choice.
    """
    gains = tables.gains()
    summaries = [_over_datasets(tables, gains[:, c], weights) for c in range(len(tables.candidates))]
    typical = float(np.median([part.variance for part in summaries if part.freedom > 0] or [0.0]))
    found = []
    for c, part in enumerate(summaries):
        if weights.direct and not math.isnan(own := _focus_mean(gains[:, c], weights)):
            mean, half = own, ndtri(0.5 + LEVEL / 2) * _own_error(tables, weights, c)
        elif part.size == 0:
            mean = half = math.nan
        else:
            freedom = part.freedom + SPREAD_PRIOR
            variance = (part.freedom * part.variance + SPREAD_PRIOR * typical) / freedom
            mean = part.mean
            half = stdtrit(freedom, 0.5 + LEVEL / 2) * math.sqrt(variance * (1 + 1 / part.size))
        found.append(Interval(mean, float(mean - half), float(mean + half)))
    return found


@dataclass(frozen=True, slots=True)
class _Summary:
    """A weighted sample of datasets; ``size`` is how many equally weighted ones would tell as much."""

    mean: float
    variance: float
    size: float

    @property
    def freedom(self) -> float:
        return max(self.size - 1, 0.0)


def _over_datasets(tables: Tables, values: NDArray[np.float64], weights: Weights) -> _Summary:
    """Mean and variance over datasets, the sources of one dataset averaged first."""
    known = np.flatnonzero(~np.isnan(values) & (weights.fit > 0)).tolist()
    rows = datasets_of(tables, known)
    if not rows:
        return _Summary(math.nan, math.nan, 0)
    y = np.array([values[part].mean() for part in rows.values()])
    w = np.array([weights.fit[part].sum() for part in rows.values()])
    w = w / w.sum()
    mean, size = float(w @ y), float(1 / (w @ w))
    variance = float(w @ (y - mean) ** 2) / (1 - 1 / size) if len(y) > 1 else 0.0
    return _Summary(mean, variance, size if len(y) > 1 else 1.0)


def _focus_mean(values: NDArray[np.float64], weights: Weights) -> float:
    """The mean over the rows of the forecast that have a value."""
    known = (weights.focus > 0) & ~np.isnan(values)
    return float(values[known].mean()) if known.any() else math.nan


def _own_error(tables: Tables, weights: Weights, c: int) -> float:
    """The standard error of a gain that was measured on the graph itself."""
    variance = tables.gain_variance()[:, c]
    known = (weights.focus > 0) & ~np.isnan(variance)
    error = variance[known].sum() / known.sum() ** 2
    return math.sqrt(error + _other_software(tables, weights))


def _other_software(tables: Tables, weights: Weights) -> float:
    """What figures of the paper do not tell of this software, as a variance of gains; 0 where not known."""
    ours = [source != "paper" for source, share in zip(tables.source, weights.focus, strict=True) if share]
    return 0.0 if any(ours) or math.isnan(apart := carry_over(tables)) else apart**2


# ── probabilities ──────────────────────────────────────────────────────────────────────────────────────────


def probabilities(
    tables: Tables, weights: Weights, values: NDArray[np.float64]
) -> tuple[list[float], list[float]]:
    """The probability of each choice to beat no encoding, and to be the best encoding of its group."""
    rng = np.random.default_rng(0)
    known = ~np.isnan(tables.auc)
    deviation = _deviations(tables, weights)
    beats, best = np.full(tables.auc.shape, np.nan), np.full(tables.auc.shape, np.nan)
    for row in range(len(tables.dataset)):
        draws = values[row] + deviation[row] * rng.standard_normal((DRAWS, len(tables.candidates)))
        for columns in tables.groups().values():
            part = draws[:, columns]
            first = (part == part.max(axis=1, keepdims=True)).astype(float)
            first /= first.sum(axis=1, keepdims=True)
            best[row, columns] = first.mean(axis=0)
            names = [tables.candidates[c].pe for c in columns]
            if "none" in names:
                none = part[:, [names.index("none")]]
                beats[row, columns] = ((part > none) + 0.5 * (part == none)).mean(axis=0)
    groups = tables.groups()
    sizes = {c: len(columns) for columns in groups.values() for c in columns}
    pairs = known & ~np.isnan(tables.gains())
    return (
        [
            math.nan if candidate.pe == "none" else _share(tables, weights, beats[:, c], pairs[:, c], 0.5)
            for c, candidate in enumerate(tables.candidates)
        ],
        [
            _share(tables, weights, best[:, c], known[:, c], 1 / sizes[c])
            for c in range(len(tables.candidates))
        ],
    )


def _share(
    tables: Tables,
    weights: Weights,
    votes: NDArray[np.float64],
    known: NDArray[np.bool_],
    undecided: float,
) -> float:
    """Votes as a probability for this graph: its own where there are any, else those of the datasets.

    One dataset is added whose vote is ``undecided``: after so few, the next may well be different.
    """
    if weights.direct and not math.isnan(own := _focus_mean(np.where(known, votes, np.nan), weights)):
        return own
    found = _over_datasets(tables, np.where(known, votes, np.nan), weights)
    return (found.size * found.mean + undecided) / (found.size + 1) if found.size else undecided


def _deviations(tables: Tables, weights: Weights) -> NDArray[np.float64]:
    """How far each AUC may be off, (S, C): by seeds if measured, as rows differ if filled."""
    # An AUC carries over half of the variance that a gain, the difference of two, does.
    seeds = np.sqrt(tables.seed_variance + _other_software(tables, weights) / 2)
    centred = tables.auc - np.nanmean(tables.auc, axis=1, keepdims=True)
    several = (~np.isnan(centred)).sum(axis=0) > 1
    between = np.zeros(len(tables.candidates))
    if several.any():
        between[several] = np.nanstd(centred[:, several], axis=0, ddof=1)
        between[~several] = np.median(between[several])
    return np.where(np.isnan(tables.auc), between[None, :], seeds)
