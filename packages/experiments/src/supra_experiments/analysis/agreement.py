"""Our cells beside the paper's."""

from collections.abc import Sequence

import pandas as pd

from supra_core.checks import check_nonnegative
from supra_experiments.analysis.averages import EXACT_DIGITS
from supra_experiments.analysis.frame import KEYS

MARGIN = 3.0
"""AUC points below the paper's figure that still count as reproduced."""


def compare(ours: pd.DataFrame, paper: pd.DataFrame, margin: float = MARGIN) -> pd.DataFrame:
    """The cells that both have, side by side, in the order of ours.

    Args:
        ours, paper: cells as from :func:`~supra_experiments.analysis.frame.cells`.
        margin: AUC points.

    Returns:
        The columns ``dataset, model, features, pe, auc, auc_std, num_runs, paper_auc, paper_std, difference``
        (ours minus the paper's), ``close`` (they differ by no more than the margin) and ``reproduced`` (ours
        is that close or better).

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> table = compare(paper_cells(), paper_cells())
        >>> len(table), bool(table.reproduced.all())
        (336, True)
    """
    check_nonnegative("margin", margin)
    theirs = paper[[*KEYS, "auc", "auc_std"]].rename(columns={"auc": "paper_auc", "auc_std": "paper_std"})
    table = ours[[*KEYS, "auc", "auc_std", "num_runs"]].merge(theirs, on=KEYS, how="inner")
    table = table[table["auc"].notna() & table["paper_auc"].notna()].reset_index(drop=True)
    table["difference"] = (table["auc"] - table["paper_auc"]).round(EXACT_DIGITS)
    table["close"] = table["difference"].abs() <= margin
    table["reproduced"] = table["difference"] >= -margin
    return table


def matching(cells: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """The cells that others have as well: what the paper's tables would be had it run only what we did."""
    known = others.loc[others["auc"].notna(), KEYS]
    return cells.merge(known, on=KEYS, how="inner")[cells.columns.tolist()].reset_index(drop=True)


def agreement(comparison: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """How many compared cells are reproduced, overall or group by group.

    Args:
        comparison: as from :func:`compare`.
        by: some of ``dataset, model, features, pe``; none for one row.

    Returns:
        The columns ``by``, ``num_cells``, ``num_reproduced``, ``share`` and ``share_close`` in percent,
        ``mean_difference`` and ``median_difference``.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> agreement(compare(paper_cells(), paper_cells()))["share"].tolist()
        [100.0]
    """
    table = comparison.assign(all="all") if not by else comparison
    groups = table.groupby(list(by) or ["all"], sort=False)
    result = groups.agg(
        num_cells=("reproduced", "size"),
        num_reproduced=("reproduced", "sum"),
        share=("reproduced", "mean"),
        share_close=("close", "mean"),
        mean_difference=("difference", "mean"),
        median_difference=("difference", "median"),
    )
    result[["share", "share_close"]] *= 100
    return result.reset_index().drop(columns=[] if by else ["all"])
