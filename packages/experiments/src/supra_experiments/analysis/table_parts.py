"""What several tables share: which rows they have and what their notes say."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas as pd

from supra_experiments.analysis.frame import UNLEARNED, is_learned
from supra_experiments.analysis.table import NAN


def rows_of(table: pd.DataFrame) -> Iterator[Any]:
    """The rows as named tuples whose fields may be of any type."""
    return iter(table.itertuples(index=False))


def present(table: pd.DataFrame, column: str, order: Sequence[str]) -> list[str]:
    """The values that occur, known ones in the paper's order, others after; no scores without learning."""
    values = set(table.loc[is_learned(table), column])
    return [name for name in order if name in values] + sorted(values - set(order))


def unlearned_auc(cells: pd.DataFrame, name: str, datasets: Iterable[str]) -> float:
    """The mean AUC of a score without learning over datasets; NaN if it was not run on one of them."""
    rows = cells[cells["model"] == name]
    found = dict(zip(rows["dataset"], rows["auc"], strict=True))
    values = [float(found.get(dataset, NAN)) for dataset in datasets]
    return sum(values) / len(values) if values else NAN


def unlearned_rows(cells: pd.DataFrame, datasets: Iterable[str]) -> list[tuple[str, float]]:
    """Each score without learning and its mean over datasets, each as often as the learned cells have it."""
    datasets, cells = list(datasets), cells[~is_learned(cells)]
    rows = [(name, unlearned_auc(cells, name, datasets)) for name in UNLEARNED]
    return [(name, auc) for name, auc in rows if auc == auc]


def settings_note(cells: pd.DataFrame, kept: pd.DataFrame, setting: list[str]) -> str:
    """Over how many settings an average is, and how many were left out because something was not run."""
    total = len(cells.loc[is_learned(cells), setting].drop_duplicates())
    used = len(kept[setting].drop_duplicates())
    names = ", ".join(setting[:-1]) + " and " + setting[-1].replace("pe", "encoding")
    if used == total:
        return f"All {total} settings of {names}."
    return f"{used} of {total} settings of {names}; in the others something that is compared was not run."
