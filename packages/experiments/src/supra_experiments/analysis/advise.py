"""Which encoding and features to try first on a graph, and how sure that is."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from supra_experiments.analysis.choices import Candidate, Tables, Weights, costs, datasets_of, filled, weigh
from supra_experiments.analysis.forecast import carry_over, gain_intervals, probabilities
from supra_experiments.analysis.graph_statistics import GraphStatistics, similarity
from supra_experiments.errors import ExperimentError

MIN_DATASETS = 2
"""A choice must have been tried on so many datasets, or on the graph itself, to be advised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Something to try, and what to expect of it. Figures in AUC points; NaN where nothing is known.

    Attributes:
        model, features, pe: names as in the settings of a run.
        auc: the expected AUC in percent: of this graph, or the weighted mean of the reference graphs.
        cost: by how much it is expected to stay behind the best choice.
        gain, gain_low, gain_high: over the same model and features without encoding, and the 80 % interval.
        beats_none: the probability of that gain being positive.
        best_encoding: the probability that no other encoding does better with this model and features.
        num_datasets: on how many datasets it was tried.
        direct: whether it was tried on this graph.
    """

    model: str
    features: str
    pe: str
    auc: float
    cost: float
    gain: float
    gain_low: float
    gain_high: float
    beats_none: float
    best_encoding: float
    num_datasets: int
    direct: bool

    @property
    def sureness(self) -> str:
        """``high``, ``fair`` or ``low``: how sure it is that this encoding, or none, is right.

        By the probability to beat no encoding, at least 0.85 or 0.7; without encoding, by the probability
        that no encoding does better.
        """
        probability = self.best_encoding if self.pe == "none" else self.beats_none
        if math.isnan(probability):
            return "low"
        return "high" if probability >= 0.85 else "fair" if probability >= 0.7 else "low"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The choices in order, best first, and what they stand on.

    Attributes:
        choices: lowest expected cost first.
        direct: whether the graph itself was run; its own figures then decide.
        sources: who measured what decides.
        similarity: of each dataset with evidence to the graph, 0 .. 1.
        weights: the share of each dataset in the forecast; adds up to 1.
        carry_over: how far gains that one source measured are from those of another on the same dataset, as
            a root mean square; NaN where no two sources have the same cells.
    """

    choices: tuple[Choice, ...]
    direct: bool
    sources: tuple[str, ...]
    similarity: dict[str, float]
    weights: dict[str, float]
    carry_over: float


def advise(
    evidence: pd.DataFrame,
    references: Mapping[str, GraphStatistics],
    target: GraphStatistics,
    *,
    name: str | None = None,
    model: str | None = None,
    features: str | None = None,
) -> Advice:
    """Rank the choices by the AUC to expect of them on a graph.

    Each dataset with evidence counts by its similarity to the graph. The gain's interval is that of a further
    dataset (Student's t, from the spread over datasets); probabilities are shares of the datasets, seeds
    drawn anew, with one undecided dataset added. Where the graph itself was run, its own figures decide,
    their spread is that of seeds, and the other datasets only fill what was not run.

    Args:
        evidence: as from :func:`~supra_experiments.analysis.evidence.evidence`.
        references: the statistics of every dataset with evidence; rows of others are not used.
        target: the statistics of the graph.
        name: the graph's name in the evidence, if it has any.
        model, features: only those.

    Raises:
        ExperimentError: nothing known of that model or those features.

    Example:
        >>> from supra_experiments.analysis.evidence import evidence
        >>> from supra_experiments.analysis.graph_statistics import reference_statistics
        >>> known = reference_statistics()
        >>> advice = advise(evidence(study=False), known, known["dblp"], model="egcn", features="zeros")
        >>> first = advice.choices[0]
        >>> first.pe.startswith("slpe"), first.beats_none > 0.85
        (True, True)
    """
    expected = expect(evidence, references, target, name=name, model=model, features=features)
    tables, weights = expected.tables, expected.weights
    cost, auc = expected.cost, weights.focus @ expected.values
    beats, best = probabilities(tables, weights, expected.values)
    gain = gain_intervals(tables, weights)
    choices = [
        Choice(
            **candidate._asdict(),
            auc=float(auc[c]),
            cost=float(cost[c]),
            gain=gain[c].mean,
            gain_low=gain[c].low,
            gain_high=gain[c].high,
            beats_none=beats[c],
            best_encoding=best[c],
            num_datasets=len(datasets_of(tables, np.flatnonzero(~np.isnan(tables.auc[:, c])).tolist())),
            direct=weights.direct and _own(tables, weights, c),
        )
        for c, candidate in enumerate(tables.candidates)
    ]
    shares = dict.fromkeys(tables.dataset, 0.0)
    for dataset, share in zip(tables.dataset, weights.focus, strict=True):
        shares[dataset] += float(share)
    return Advice(
        choices=tuple(sorted(choices, key=lambda choice: choice.cost)),
        direct=weights.direct,
        sources=tuple(
            dict.fromkeys(s for s, share in zip(tables.source, weights.focus, strict=True) if share > 0)
        ),
        similarity=expected.similarity,
        weights=shares,
        carry_over=carry_over(tables),
    )


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected of every choice on a graph, without how sure that is.

    Attributes:
        tables: the cells that are used.
        weights: how much each row of them counts.
        values: the AUC of every row and choice, holes filled, (S, C).
        similarity: of each dataset to the graph.
    """

    tables: Tables
    weights: Weights
    values: NDArray[np.float64]
    similarity: dict[str, float]

    @property
    def cost(self) -> NDArray[np.float64]:
        """By how much each choice is expected to stay behind the best, (C,)."""
        return costs(self.values, self.weights.focus)

    def order(self) -> list[Candidate]:
        """The choices, best first."""
        return [self.tables.candidates[c] for c in np.argsort(self.cost, kind="stable")]


def expect(
    evidence: pd.DataFrame,
    references: Mapping[str, GraphStatistics],
    target: GraphStatistics,
    *,
    name: str | None = None,
    model: str | None = None,
    features: str | None = None,
) -> Expected:
    """The first half of :func:`advise`, with the same arguments."""
    everything = Tables.of(chosen_cells(evidence, model, features))
    known = {dataset: found for dataset, found in references.items() if dataset in everything.dataset}
    alike = similarity(target, known, skip=name)
    tables = _usable(everything, alike, name)
    if not tables.candidates:
        raise ExperimentError(_nothing_known(evidence, model, features))
    weights = weigh(tables, alike, name)
    return Expected(tables, weights, filled(tables, weights.fit), alike)


def chosen_cells(evidence: pd.DataFrame, model: str | None, features: str | None) -> pd.DataFrame:
    """The cells of one model and of one kind of features, where these are given."""
    keep = pd.Series(True, index=evidence.index)
    for column, value in (("model", model), ("features", features)):
        if value is not None:
            keep &= evidence[column] == value
    return evidence[keep]


def _usable(tables: Tables, alike: Mapping[str, float], name: str | None) -> Tables:
    """Rows of datasets whose statistics are known, and choices that were tried often enough."""
    rows = np.array([dataset in alike or dataset == name for dataset in tables.dataset], dtype=bool)
    columns = np.zeros(len(tables.candidates), dtype=bool)
    for c in range(len(tables.candidates)):
        tried = set(np.array(tables.dataset, dtype=object)[rows & ~np.isnan(tables.auc[:, c])])
        columns[c] = len(tried) >= MIN_DATASETS or name in tried
    some = ~np.isnan(tables.auc[:, columns]).all(axis=1)  # a row may have lost all its cells
    return tables.only(rows & some, columns)


def _own(tables: Tables, weights: Weights, c: int) -> bool:
    return bool((~np.isnan(tables.auc[:, c]) & (weights.focus > 0)).any())


def _nothing_known(evidence: pd.DataFrame, model: str | None, features: str | None) -> str:
    if evidence.empty:
        return "evidence: must hold the cells of at least one dataset"
    asked = {name: value for name, value in (("model", model), ("features", features)) if value is not None}
    wanted = ", ".join(f"{name}={value!r}" for name, value in asked.items()) or "runs"
    known = "; ".join(f"{name}: {', '.join(dict.fromkeys(evidence[name]))}" for name in asked or ("model",))
    return f"{wanted}: must have been tried on this graph or on {MIN_DATASETS} others (known are {known})"
