"""Which encoding and features to try first on a graph, and how sure that is."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from supra_experiments.analysis.choices import (
    UNMEASURED,
    Candidate,
    Tables,
    Weights,
    costs,
    encoding_costs,
    filled,
    pooled,
    weigh,
)
from supra_experiments.analysis.evidence import SOURCES
from supra_experiments.analysis.forecast import gain_intervals, probabilities
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
            a root mean square, by kind of features; empty where no two sources have the same cells.
    """

    choices: tuple[Choice, ...]
    direct: bool
    sources: tuple[str, ...]
    similarity: dict[str, float]
    weights: dict[str, float]
    carry_over: dict[str, float]

    @property
    def sureness(self) -> str:
        """That of the first choice; no more than ``fair`` for figures of another software, never compared."""
        first = self.choices[0].sureness
        unchecked = self.direct and self.sources == ("paper",) and not self.carry_over
        return "fair" if first == "high" and unchecked else first


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

    Each dataset with evidence counts by its similarity to the graph, and what an encoding costs with one
    model and features is drawn towards what it costs over all of them. The gain's interval is that of a
    further dataset (Student's t, from the spread over datasets); probabilities are shares of the
    datasets, seeds drawn anew, with one undecided dataset added. Where the graph itself was run, its own
    figures decide, their spread is that of seeds, and the other datasets only fill what was not run. Of
    several sources for one cell, this software's go before the paper's.

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
            num_datasets=int(tables.known[:, c].sum()),
            direct=weights.own is not None and bool(tables.known[weights.own, c]),
        )
        for c, candidate in enumerate(tables.candidates)
    ]
    used = set(tables.source[weights.focus > 0].ravel().tolist()) - {UNMEASURED}
    return Advice(
        choices=tuple(sorted(choices, key=lambda choice: choice.cost)),
        direct=weights.own is not None,
        sources=tuple(SOURCES[source] for source in sorted(used)),
        similarity=expected.similarity,
        weights=dict(zip(tables.dataset, weights.focus.tolist(), strict=True)),
        carry_over=tables.carry_over,
    )


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected of every choice on a graph, without how sure that is.

    Attributes:
        tables: the cells that are used.
        weights: how much each row of them counts.
        values: the AUC of every row and choice, holes filled, (S, C).
        similarity: of each dataset to the graph.
        overall: how far each encoding stays behind the best over all models and features.
    """

    tables: Tables
    weights: Weights
    values: NDArray[np.float64]
    similarity: dict[str, float]
    overall: dict[str, float]

    @property
    def cost(self) -> NDArray[np.float64]:
        """By how much each choice is expected to stay behind the best, (C,)."""
        focus = self.weights.focus
        cost = costs(self.values, focus)
        if self.weights.own is not None:  # the graph's own figures are not drawn anywhere
            return cost
        encoding = encoding_costs(self.tables, self.values, focus)
        return cost - encoding + pooled(encoding, self.tables, focus, self.overall)

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
    chosen = chosen_cells(evidence, model, features)
    tables, weights, alike = _tabulate(chosen, references, target, name)
    if not tables.candidates:
        raise ExperimentError(_nothing_known(evidence, model, features))
    whole, whole_weights, _ = _tabulate(evidence, references, target, None)
    cost = encoding_costs(whole, filled(whole, whole_weights.fit), whole_weights.focus)
    encodings = [candidate.pe for candidate in whole.candidates]
    overall = {str(pe): float(part.mean()) for pe, part in pd.Series(cost).groupby(encodings)}
    return Expected(tables, weights, filled(tables, weights.fit), alike, overall)


def _tabulate(
    cells: pd.DataFrame, references: Mapping[str, GraphStatistics], target: GraphStatistics, name: str | None
) -> tuple[Tables, Weights, dict[str, float]]:
    """The cells that can be used, how much each dataset counts, and how similar it is."""
    datasets = set(cells["dataset"])
    known = {dataset: found for dataset, found in references.items() if dataset in datasets}
    alike = similarity(target, known, skip=name)
    tables = Tables.of(_usable(cells, {*alike, name}, name))
    return tables, weigh(tables, alike, name), alike


def chosen_cells(evidence: pd.DataFrame, model: str | None, features: str | None) -> pd.DataFrame:
    """The cells of one model and of one kind of features, where these are given."""
    keep = pd.Series(True, index=evidence.index)
    for column, value in (("model", model), ("features", features)):
        if value is not None:
            keep &= evidence[column] == value
    return evidence[keep]


def _usable(evidence: pd.DataFrame, datasets: Collection[str | None], name: str | None) -> pd.DataFrame:
    """The cells of datasets whose statistics are known, and of choices that were tried often enough."""
    cells = evidence[evidence["dataset"].isin(list(datasets))]
    tried = cells.groupby([*Candidate._fields])["dataset"]
    often = tried.transform("nunique") >= MIN_DATASETS
    here = tried.transform(lambda datasets: (datasets == name).any()).astype(bool)
    return cells[often | here]


def _nothing_known(evidence: pd.DataFrame, model: str | None, features: str | None) -> str:
    if evidence.empty:
        return "evidence: must hold the cells of at least one dataset"
    asked = {name: value for name, value in (("model", model), ("features", features)) if value is not None}
    wanted = ", ".join(f"{name}={value!r}" for name, value in asked.items()) or "runs"
    known = "; ".join(f"{name}: {', '.join(dict.fromkeys(evidence[name]))}" for name in asked or ("model",))
    return f"{wanted}: must have been tried on this graph or on {MIN_DATASETS} others (known are {known})"
