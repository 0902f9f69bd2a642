"""What is known of how encodings did: the paper's cells, those of our study, and the user's own runs."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib import resources

import pandas as pd

from supra_experiments.analysis.frame import (
    CELL_COLUMNS,
    FEATURES,
    VARIANTS,
    cells,
    is_learned,
    paper_cells,
    runs,
)
from supra_experiments.analysis.graph_statistics import GraphStatistics, training_statistics
from supra_experiments.datasets import Dataset, find_entry, load
from supra_experiments.errors import DatasetError, ExperimentError
from supra_experiments.files import write_atomically
from supra_experiments.training.record import RunRecord

STUDY_FILE = "study_cells.csv"
SOURCES = ("yours", "study", "paper")
"""Who measured a cell: the user or this project's study, with this software; or the paper's authors."""

EVIDENCE_COLUMNS = ["source", "dataset", "model", "features", "pe", "auc", "auc_std", "num_runs"]


def evidence(records: Iterable[RunRecord] = (), *, paper: bool = True, study: bool = True) -> pd.DataFrame:
    """All cells to advise from, one row each: the columns :data:`EVIDENCE_COLUMNS`.

    Scores without learning, features from files and cells without an AUC are left out: there is nothing to
    choose, or nothing that another graph could use.

    Args:
        records: runs of the user's own, of any dataset.
        paper: with the paper's 336 cells.
        study: with the cells of this project's study, where the package holds them.

    Raises:
        ExperimentError: records of one cell with different settings.

    Example:
        >>> table = evidence(study=False)
        >>> len(table), set(table.source)
        (336, {'paper'})
    """
    parts = {
        "yours": cells(runs(records)),
        "study": study_cells() if study else None,
        "paper": paper_cells() if paper else None,
    }
    found = [part.assign(source=source) for source, part in parts.items() if part is not None and len(part)]
    if not found:
        return pd.DataFrame(columns=EVIDENCE_COLUMNS)
    table = pd.concat([part[EVIDENCE_COLUMNS] for part in found], ignore_index=True)
    usable = is_learned(table) & table["features"].isin(FEATURES) & table["pe"].isin(VARIANTS)
    return table[usable & table["auc"].notna()].reset_index(drop=True)


def study_cells() -> pd.DataFrame:
    """The cells of this project's own study, as :func:`~supra_experiments.analysis.cells` gives them.

    No rows where the package does not hold them.
    """
    file = resources.files(__package__) / STUDY_FILE
    if not file.is_file():
        return pd.DataFrame(columns=CELL_COLUMNS)
    with file.open(encoding="utf-8") as text:
        # The features of scores without learning are "", not unknown.
        return pd.read_csv(text, keep_default_na=False, na_values={name: [""] for name in CELL_COLUMNS[4:]})


def write_study_cells(path: str | os.PathLike[str], records: Iterable[RunRecord]) -> None:
    """Write the file behind :func:`study_cells` from run records.

    Raises:
        ExperimentError: no records, or records of one cell with different settings.
    """
    table = cells(runs(records))
    if table.empty:
        raise ExperimentError("records: must hold at least one run")
    text = table.to_csv(index=False, float_format="%.6g", lineterminator="\n")
    write_atomically(path, lambda file: file.write(text.encode()))


@dataclass(frozen=True, slots=True)
class OwnRuns:
    """The user's runs, told apart by graph.

    Attributes:
        records: under the name of their graph; those of the graph in question under its own.
        statistics: of the graphs that this package has none of.
        left_out: how many runs of each graph are of no use, since the graph is not at hand any more.
    """

    records: list[RunRecord]
    statistics: dict[str, GraphStatistics]
    left_out: dict[str, int]


def own_runs(
    records: Iterable[RunRecord], dataset: Dataset, root: str | os.PathLike[str] | None = None
) -> OwnRuns:
    """Sort the user's runs by the graph they were made on, whatever its file was called then.

    Args:
        records: of any graphs.
        dataset: the graph in question: runs of the very same edges are its own.
        root: the folder of the published datasets.
    """
    found = OwnRuns([], {}, {})
    names: dict[tuple[str, str], str | None] = {}
    for record in records:
        key = (record.config.data.dataset, record.graph_digest)
        if key not in names:
            names[key] = _graph_name(record, dataset, found.statistics, root)
        name = names[key]
        if name is None:
            found.left_out[key[0]] = found.left_out.get(key[0], 0) + 1
        else:
            found.records.append(replace(record, config=record.config.replace(dataset=name)))
    return found


def _graph_name(
    record: RunRecord,
    dataset: Dataset,
    statistics: dict[str, GraphStatistics],
    root: str | os.PathLike[str] | None,
) -> str | None:
    """The name of a run's graph, its statistics noted; None where these cannot be had."""
    if record.graph_digest == dataset.graph.digest:
        return dataset.name
    entry = find_entry(record.config.data.dataset)
    name = record.config.data.dataset if entry is None else entry.name
    if name == dataset.name:  # the same name for other edges: the file has changed since
        return None
    if entry is not None:
        return name
    try:
        other = load(name, root=root, **record.config.data.binning)
    except DatasetError:
        return None
    if other.graph.digest != record.graph_digest:
        return None
    statistics[other.name] = training_statistics(other)
    return other.name
