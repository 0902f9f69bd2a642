"""Measured cells as a table of datasets by choices, weighted by how much each tells of one graph."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from supra_experiments.analysis.evidence import SOURCES

PAPER = SOURCES.index("paper")
UNMEASURED = len(SOURCES)

SEED_PRIOR = 2
"""The spread over seeds of a typical cell counts as this many runs beside a cell's own."""

BESIDE_DIRECT = 0.01
"""The weight of other graphs where the graph itself was run: they only fill what was not."""


POOLED = 3
"""What an encoding costs over all models and features counts as so many datasets beside its cost with one."""


class Candidate(NamedTuple):
    """Something to try."""

    model: str
    features: str
    pe: str


@dataclass(frozen=True, eq=False)
class Tables:
    """One row for each dataset, one column for each choice; S rows, C columns, NaN where nobody measured.

    Where several sources measured a cell, the first of :data:`~supra_experiments.analysis.evidence.SOURCES`
    counts: the user's own runs before this project's, these before those of another software.

    Attributes:
        dataset: of each row.
        candidates: of each column.
        auc: in percent, (S, C).
        seed_variance: of the mean over a cell's seeds, (S, C).
        source: who measured it, as an index; the number of sources for nobody, (S, C).
        gain: AUC minus that of the same source, model and features without encoding, (S, C).
        gain_variance, gain_source: as for the AUC, (S, C).
        carry_over: how far gains of two sources on one dataset are apart, as a root mean square, by kind of
            features; only those that two sources measured.
    """

    dataset: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    auc: NDArray[np.float64]
    seed_variance: NDArray[np.float64]
    source: NDArray[np.int64]
    gain: NDArray[np.float64]
    gain_variance: NDArray[np.float64]
    gain_source: NDArray[np.int64]
    carry_over: dict[str, float]

    @classmethod
    def of(cls, evidence: pd.DataFrame) -> "Tables":
        """The table of all cells, as from :func:`~supra_experiments.analysis.evidence.evidence`."""
        choices = [Candidate(*key) for key in evidence[[*Candidate._fields]].values.tolist()]
        # Sorted, so that the same cells in another order give the same answer to the last digit.
        rows, columns = sorted(set(evidence["dataset"])), sorted(set(choices))
        at = (
            [SOURCES.index(source) for source in evidence["source"]],
            [rows.index(dataset) for dataset in evidence["dataset"]],
            [columns.index(choice) for choice in choices],
        )
        auc, variance = np.full((2, len(SOURCES), len(rows), len(columns)), np.nan)
        auc[at], variance[at] = evidence["auc"], _seed_variance(evidence)
        gains, gain_variance = auc - _without(auc, columns), variance + _without(variance, columns)
        source, gain_source = _first(auc), _first(gains)
        return cls(
            tuple(rows),
            tuple(columns),
            _taken(auc, source),
            _taken(variance, source),
            source,
            _taken(gains, gain_source),
            _taken(gain_variance, gain_source),
            gain_source,
            _carry_over(gains, columns),
        )

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which cells were measured, (S, C)."""
        return ~np.isnan(self.auc)

    def groups(self) -> dict[tuple[str, str], list[int]]:
        """The columns that differ in their encoding only, by model and features."""
        found: dict[tuple[str, str], list[int]] = {}
        for position, candidate in enumerate(self.candidates):
            found.setdefault((candidate.model, candidate.features), []).append(position)
        return found


@dataclass(frozen=True, eq=False)
class Weights:
    """How much each row tells of a graph.

    Attributes:
        fit: of each row when holes are filled or datasets averaged, (S,).
        focus: of each row when its figures are the forecast; adds up to 1, (S,).
        own: the row of the graph itself, None where it was never run.
    """

    fit: NDArray[np.float64]
    focus: NDArray[np.float64]
    own: int | None


def weigh(tables: Tables, similarity: Mapping[str, float], name: str | None = None) -> Weights:
    """The weight of each row: the similarity of its dataset to the graph.

    Where the graph itself was run, its own row is the forecast; the other datasets then only fill holes.

    Args:
        tables: what was measured.
        similarity: of each dataset to the graph.
        name: of the graph, to know its own row.
    """
    fit = np.array([similarity.get(dataset, 0.0) for dataset in tables.dataset])
    if not fit.any():  # unlike everything: all tell as little
        fit = np.ones(len(fit))
    if name not in tables.dataset:
        return Weights(fit, fit / fit.sum(), None)
    own = tables.dataset.index(name)
    focus = np.zeros(len(fit))
    focus[own] = 1.0
    return Weights(np.where(focus > 0, 1.0, BESIDE_DIRECT * fit), focus, own)


def filled(tables: Tables, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every AUC, (S, C): as measured, and where nobody did, an effect of the row plus one of the choice.

    Both effects are those of least weighted squares, so that a dataset on which everything does well
    neither favours nor harms the choices that were tried on it.
    """
    known = tables.known
    if known.all():
        return tables.auc
    # Normal equations with the choices' effects eliminated: as many unknowns as rows, singular because a
    # constant may move from all rows to all choices, which changes no sum of the two.
    W = np.where(known, weight[:, None], 0.0)
    Y = W * np.where(known, tables.auc, 0.0)
    of_choice = W.sum(axis=0)
    matrix = np.diag(W.sum(axis=1)) - (W / of_choice) @ W.T
    row = np.linalg.lstsq(matrix, Y.sum(axis=1) - W @ (Y.sum(axis=0) / of_choice), rcond=1e-12)[0]
    choice = (Y - W * row[:, None]).sum(axis=0) / of_choice
    return np.where(known, tables.auc, row[:, None] + choice)


def costs(values: NDArray[np.float64], focus: NDArray[np.float64]) -> NDArray[np.float64]:
    """The expected AUC points by which each choice stays behind the best one, (C,).

    Args:
        values: an AUC for each row and choice, (S, C).
        focus: the weight of each row, adding up to 1, (S,).
    """
    return focus @ (values.max(axis=1, keepdims=True) - values)


def encoding_costs(
    tables: Tables, values: NDArray[np.float64], focus: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The same, behind the best encoding for the model and features of the choice, (C,)."""
    found = np.empty(len(tables.candidates))
    for columns in tables.groups().values():
        found[columns] = costs(values[:, columns], focus)
    return found


def pooled(
    own: NDArray[np.float64], tables: Tables, focus: NDArray[np.float64], overall: Mapping[str, float]
) -> NDArray[np.float64]:
    """Costs of encodings drawn towards what each costs over all models and features, (C,).

    A few datasets with one model and features tell little: where no encoding was the best on three graphs
    by a tenth of a point, it may stay twenty behind on a fourth.

    Args:
        own: as from :func:`encoding_costs`.
        tables, focus: what they were computed from.
        overall: the cost of each encoding over all models and features.
    """
    share = POOLED / (POOLED + 1 / (focus @ focus))
    towards = np.array([overall[candidate.pe] for candidate in tables.candidates])
    return own + share * (towards - own)


def _without(values: NDArray[np.float64], columns: list[Candidate]) -> NDArray[np.float64]:
    """For each choice the value of the same without encoding; NaN for that one itself, (sources, S, C)."""
    found = np.full(values.shape, np.nan)
    for i, candidate in enumerate(columns):
        none = candidate._replace(pe="none")
        if candidate != none and none in columns:
            found[..., i] = values[..., columns.index(none)]
    return found


def _first(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The first source that has a value, (S, C)."""
    known = ~np.isnan(values)
    return np.where(known.any(axis=0), known.argmax(axis=0), UNMEASURED)


def _taken(values: NDArray[np.float64], source: NDArray[np.int64]) -> NDArray[np.float64]:
    """The values of the chosen sources, (S, C)."""
    padded = np.concatenate([values, np.full((1, *source.shape), np.nan)])
    return np.take_along_axis(padded, source[None], axis=0)[0]


def _carry_over(gains: NDArray[np.float64], columns: list[Candidate]) -> dict[str, float]:
    """The root mean square difference of two sources' gains, for each kind of features."""
    pairs = np.array([gains[a] - gains[b] for a, b in combinations(range(len(gains)), 2)])
    found = {}
    for features in sorted({candidate.features for candidate in columns}):
        part = pairs[..., [candidate.features == features for candidate in columns]]
        part = part[~np.isnan(part)]
        if len(part):
            found[features] = math.sqrt(float((part**2).mean()))
    return found


def _seed_variance(evidence: pd.DataFrame) -> NDArray[np.float64]:
    """The variance of each cell's mean; a spread from few runs is steadied by the typical one."""
    runs = evidence["num_runs"].to_numpy(dtype=np.float64)
    several = (runs > 1) & evidence["auc_std"].notna().to_numpy()
    freedom = np.where(several, runs - 1, 0.0)
    # The frame's deviation is that of the runs themselves: n / (n - 1) makes it one of further runs.
    own = np.where(several, evidence["auc_std"].to_numpy(dtype=np.float64) ** 2, 0.0)
    own = own * runs / np.maximum(freedom, 1)
    typical = float(np.median(own[several])) if several.any() else 0.0
    return (freedom * own + SEED_PRIOR * typical) / (freedom + SEED_PRIOR) / np.maximum(runs, 1)
