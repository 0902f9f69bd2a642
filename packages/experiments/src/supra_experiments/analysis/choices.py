"""Measured cells as a table of datasets by choices, weighted by how much each tells of one graph."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

SEED_PRIOR = 2
"""The spread over seeds of a typical cell counts as this many runs beside a cell's own."""

BESIDE_DIRECT = 0.01
"""The weight of other graphs where the graph itself was run: they only fill what was not."""

PAPER_BESIDE_OWN = 0.1
"""The weight of the paper's figures for the same graph, where this software was run on it."""


class Candidate(NamedTuple):
    """Something to try."""

    model: str
    features: str
    pe: str

    @property
    def without(self) -> "Candidate":
        """The same without an encoding."""
        return self._replace(pe="none")


@dataclass(frozen=True, eq=False)
class Tables:
    """One row for each source and dataset, one column for each choice; S rows, C columns.

    Attributes:
        source, dataset: of each row.
        candidates: of each column.
        auc: in percent, NaN where nobody measured, (S, C).
        seed_variance: of a cell's mean over its seeds, (S, C).
    """

    source: tuple[str, ...]
    dataset: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    auc: NDArray[np.float64]
    seed_variance: NDArray[np.float64]

    @classmethod
    def of(cls, evidence: pd.DataFrame) -> "Tables":
        """The tables of all cells, as from :func:`~supra_experiments.analysis.evidence.evidence`."""
        tables = [tuple(key) for key in evidence[["source", "dataset"]].values.tolist()]
        choices = [Candidate(*key) for key in evidence[[*Candidate._fields]].values.tolist()]
        # Sorted, so that the same cells in another order give the same answer to the last digit.
        rows, columns = sorted(set(tables)), sorted(set(choices))
        auc = np.full((len(rows), len(columns)), np.nan)
        variance = np.full(auc.shape, np.nan)
        at = ([rows.index(key) for key in tables], [columns.index(key) for key in choices])
        auc[at], variance[at] = evidence["auc"], _seed_variance(evidence)
        return cls(
            tuple(source for source, _ in rows),
            tuple(dataset for _, dataset in rows),
            tuple(columns),
            auc,
            variance,
        )

    def only(self, rows: NDArray[np.bool_], columns: NDArray[np.bool_]) -> "Tables":
        """Some rows and columns."""
        return Tables(
            tuple(np.array(self.source, dtype=object)[rows]),
            tuple(np.array(self.dataset, dtype=object)[rows]),
            tuple(c for c, keep in zip(self.candidates, columns, strict=True) if keep),
            self.auc[np.ix_(rows, columns)],
            self.seed_variance[np.ix_(rows, columns)],
        )

    def without_dataset(self, name: str) -> "Tables":
        """All but the rows of one dataset."""
        rows = np.array([dataset != name for dataset in self.dataset], dtype=bool)
        return self.only(rows, np.ones(len(self.candidates), dtype=bool))

    def groups(self) -> dict[tuple[str, str], list[int]]:
        """The columns that differ in their encoding only, by model and features."""
        found: dict[tuple[str, str], list[int]] = {}
        for position, candidate in enumerate(self.candidates):
            found.setdefault((candidate.model, candidate.features), []).append(position)
        return found

    def gains(self) -> NDArray[np.float64]:
        """AUC minus that of the same row, model and features without encoding, NaN without both, (S, C)."""
        return self.auc - self._none(self.auc)

    def gain_variance(self) -> NDArray[np.float64]:
        """What seeds alone do to :meth:`gains`, (S, C)."""
        return self.seed_variance + self._none(self.seed_variance)

    def _none(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each column the one without encoding, (S, C)."""
        position = {candidate: i for i, candidate in enumerate(self.candidates)}
        found = np.full(values.shape, np.nan)
        for i, candidate in enumerate(self.candidates):
            if candidate.pe != "none" and candidate.without in position:
                found[:, i] = values[:, position[candidate.without]]
        return found


@dataclass(frozen=True, eq=False)
class Weights:
    """How much each row tells of a graph.

    Attributes:
        fit: of each row when holes are filled, (S,).
        focus: of each row when its figures are the forecast; adds up to 1, (S,).
        direct: whether the forecast stands on runs of that graph itself.
    """

    fit: NDArray[np.float64]
    focus: NDArray[np.float64]
    direct: bool


def weigh(tables: Tables, similarity: Mapping[str, float], name: str | None = None) -> Weights:
    """The weight of each row: its dataset's similarity, shared by the sources of one dataset.

    Where the graph itself was run, its own rows are the forecast: those of this software if there are any,
    else the paper's; other graphs then only fill holes.

    Args:
        tables: what was measured.
        similarity: of each dataset to the graph.
        name: of the graph, to know its own rows.
    """
    sources = {dataset: tables.dataset.count(dataset) for dataset in tables.dataset}
    fit = np.array([similarity.get(dataset, 0.0) / sources[dataset] for dataset in tables.dataset])
    own = np.array([dataset == name for dataset in tables.dataset], dtype=bool)
    if not own.any():
        if not fit.any():  # unlike everything: all tell as little
            fit = np.array([1 / sources[dataset] for dataset in tables.dataset])
        return Weights(fit, fit / fit.sum(), direct=False)
    ours = own & np.array([source != "paper" for source in tables.source], dtype=bool)
    chosen = ours if ours.any() else own
    fit = np.where(chosen, 1.0, np.where(own, PAPER_BESIDE_OWN, BESIDE_DIRECT * fit))
    return Weights(fit, chosen / chosen.sum(), direct=True)


def filled(tables: Tables, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every AUC, (S, C): as measured, and where nobody did, an effect of the row plus one of the choice.

    Both effects are those of least weighted squares, so that a dataset on which everything does well
    neither favours nor harms the choices that were tried on it.
    """
    known = ~np.isnan(tables.auc)
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


def datasets_of(tables: Tables, rows: Collection[int]) -> dict[str, list[int]]:
    """Some rows by their dataset."""
    found: dict[str, list[int]] = {}
    for row in rows:
        found.setdefault(tables.dataset[row], []).append(row)
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
