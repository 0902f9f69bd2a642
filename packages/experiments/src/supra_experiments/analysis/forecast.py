"""What to expect of a choice on a graph, from what it did on others or on the graph itself."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from supra_experiments.analysis.choices import PAPER, Tables, Weights

LEVEL = 0.8
"""The share of graphs whose gain should lie in the interval."""

SPREAD_PRIOR = 1
"""The spread over datasets of a typical choice counts as this many datasets beside a choice's own."""

DRAWS = 1000
"""How often seeds are drawn anew to tell which choice is the best."""


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
    summaries = [_over_datasets(tables.gain[:, c], weights) for c in range(len(tables.candidates))]
    typical = float(np.median([part.variance for part in summaries if part.freedom > 0] or [0.0]))
    error = np.sqrt(tables.gain_variance + _other_software(tables, tables.gain_source))
    found = []
    for c, part in enumerate(summaries):
        if weights.own is not None and not math.isnan(tables.gain[weights.own, c]):
            mean = float(tables.gain[weights.own, c])
            half = float(ndtri(0.5 + LEVEL / 2) * error[weights.own, c])
        elif part.size == 0:
            mean = half = math.nan
        else:
            freedom = part.freedom + SPREAD_PRIOR
            variance = (part.freedom * part.variance + SPREAD_PRIOR * typical) / freedom
            mean = part.mean
            half = float(stdtrit(freedom, 0.5 + LEVEL / 2)) * math.sqrt(variance * (1 + 1 / part.size))
        found.append(Interval(mean, mean - half, mean + half))
    return found


def probabilities(
    tables: Tables, weights: Weights, values: NDArray[np.float64]
) -> tuple[list[float], list[float]]:
    """The probability of each choice to beat no encoding, and to be the best encoding of its group.

    Args:
        tables: what was measured.
        weights: of its rows.
        values: the same with its holes filled, (S, C).
    """
    rng = np.random.default_rng(0)
    deviation = _deviations(tables, weights)
    beats, best = np.full(tables.auc.shape, np.nan), np.full(tables.auc.shape, np.nan)
    undecided = np.zeros(len(tables.candidates))
    for columns in tables.groups().values():
        undecided[columns] = 1 / len(columns)
        none = [c for c in columns if tables.candidates[c].pe == "none"]
        for row in range(len(tables.dataset)):
            noise = deviation[row, columns] * rng.standard_normal((DRAWS, len(columns)))
            draws = values[row, columns] + noise
            first = draws == draws.max(axis=1, keepdims=True)
            best[row, columns] = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
            if none:
                other = draws[:, [columns.index(none[0])]]
                beats[row, columns] = ((draws > other) + 0.5 * (draws == other)).mean(axis=0)
    beats[np.isnan(tables.gain)] = best[~tables.known] = np.nan
    return (
        [
            math.nan if candidate.pe == "none" else _share(beats[:, c], weights, 0.5)
            for c, candidate in enumerate(tables.candidates)
        ],
        [_share(best[:, c], weights, undecided[c]) for c in range(len(tables.candidates))],
    )


@dataclass(frozen=True, slots=True)
class _Summary:
    """A weighted sample of datasets; ``size`` is how many equally weighted ones would tell as much."""

    mean: float
    variance: float
    size: float

    @property
    def freedom(self) -> float:
        return max(self.size - 1, 0.0)


def _over_datasets(values: NDArray[np.float64], weights: Weights) -> _Summary:
    """Weighted mean and variance over the datasets that have a value."""
    known = ~np.isnan(values) & (weights.fit > 0)
    if not known.any():
        return _Summary(math.nan, math.nan, 0)
    y, w = values[known], weights.fit[known] / weights.fit[known].sum()
    mean = float(w @ y)
    if len(y) == 1:
        return _Summary(mean, 0.0, 1)
    size = float(1 / (w @ w))
    return _Summary(mean, float(w @ (y - mean) ** 2) / (1 - 1 / size), size)


def _share(votes: NDArray[np.float64], weights: Weights, undecided: float) -> float:
    """Votes as a probability for this graph: its own where it has one, else those of the datasets.

    One dataset is added whose vote is ``undecided``: after so few, the next may well be different.
    """
    if weights.own is not None and not math.isnan(votes[weights.own]):
        return float(votes[weights.own])
    found = _over_datasets(votes, weights)
    return (found.size * found.mean + undecided) / (found.size + 1) if found.size else undecided


def _deviations(tables: Tables, weights: Weights) -> NDArray[np.float64]:
    """How far each AUC may be off, (S, C): by seeds if measured, as datasets differ if filled."""
    seeds = tables.seed_variance
    if weights.own is not None:
        # An AUC has half of the variance that a gain, the difference of two, has.
        seeds = seeds + _other_software(tables, tables.source) / 2
    known = tables.known
    centred = tables.auc - np.nanmean(tables.auc, axis=1, keepdims=True)
    several = known.sum(axis=0) > 1
    between = np.zeros(len(tables.candidates))
    if several.any():
        between[several] = np.nanstd(centred[:, several], axis=0, ddof=1)
        between[~several] = np.median(between[several])
    return np.where(known, np.sqrt(seeds), between)


def _other_software(tables: Tables, source: NDArray[np.int64]) -> NDArray[np.float64]:
    """What figures of the paper do not tell of this software, as a variance of gains, (S, C).

    That of the same features where two sources measured some, else the largest; 0 where nobody knows.
    """
    otherwise = max(tables.carry_over.values(), default=0.0)
    apart = [tables.carry_over.get(candidate.features, otherwise) for candidate in tables.candidates]
    return np.where(source == PAPER, np.square(apart), 0.0)
