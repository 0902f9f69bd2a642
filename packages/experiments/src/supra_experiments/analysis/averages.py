"""Averages, differences and ranks over cells.

Every function takes cells as :func:`~supra_experiments.analysis.frame.cells` makes them, all of them or some:
what is missing is left out, and each row says how many cells it stands for. Averages are over settings in
which everything that is compared was run, so that no variant is judged on easier data than another.
"""

from collections.abc import Iterable, Sequence

import pandas as pd

from supra_experiments.analysis.frame import (
    ENCODINGS,
    KEYS,
    SETTING,
    UNLEARNED,
    VARIANTS,
    in_order,
    is_learned,
)
from supra_experiments.analysis.statistics import Ranking, rank_variants

SLPE_LPE = (("slpe-e", "lpe-e"), ("slpe-i", "lpe-i"), ("slpe-t", "lpe-t"))
EXACT_INEXACT = (("slpe-e", "slpe-i"), ("lpe-e", "lpe-i"))
WITH_NONE = tuple((name, "none") for name in ENCODINGS)

# Printed figures have two digits: cells that print alike are alike, and sums of them carry no rounding noise.
DIGITS = 2
EXACT_DIGITS = 9


def ranked(cells: pd.DataFrame) -> pd.DataFrame:
    """The learned cells with the column ``rank`` among the variants of their setting, 1 the best.

    Equal figures (to two digits, as printed) share the better rank and the next one is left out, 1, 2, 2, 4:
    so does the paper. A cell without AUC has no rank.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> table = ranked(paper_cells()).query("dataset == 'as733' and model == 'slate'")
        >>> table.query("features == 'one-hot'")["rank"].astype(int).tolist()
        [1, 4, 2, 2, 7, 4, 4]
    """
    table = cells[is_learned(cells)].reset_index(drop=True)
    return table.assign(rank=_rank(table, SETTING))


def balanced(cells: pd.DataFrame, over: Sequence[str] = ("pe",)) -> pd.DataFrame:
    """The learned cells that can be averaged fairly: whatever is compared was run everywhere else alike.

    The values of the keys ``over`` are compared. Settings of the other keys stay if they have a known AUC for
    every combination of these that occurs at all.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> table = paper_cells()
        >>> len(balanced(table.iloc[1:]))  # one variant is missing, so its setting is left out
        329
    """
    table = cells[is_learned(cells) & cells["auc"].notna()]
    if not over or table.empty:
        return table.reset_index(drop=True)
    others = [name for name in KEYS if name not in over]
    sizes = table.groupby(others)["auc"].transform("size")
    num_wanted = len(table[list(over)].drop_duplicates())
    return table[sizes == num_wanted].reset_index(drop=True)


def averages(cells: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """The mean AUC for each value of some keys, over the settings that have them all.

    Returns:
        The columns ``by``, ``auc``, ``num_cells`` and ``rank`` (among the variants of the other keys of
        ``by``; all 1 where these are no variants), in the paper's order.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> averages(paper_cells(), ["pe"]).round(2).head(2).values.tolist()
        [['none', 78.13, 48, 7.0], ['slpe-e', 86.38, 48, 2.0]]
    """
    # Variants and features must be run alike to be compared; models and datasets stand for themselves.
    table = in_order(balanced(cells, [name for name in by if name in ("pe", "features")]))
    result = table.groupby(list(by), sort=False)["auc"].agg(auc="mean", num_cells="count").reset_index()
    return result.assign(rank=_rank(result, [name for name in by if name != "pe"]))


def unlearned_averages(cells: pd.DataFrame, kept: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Each score without learning, averaged over datasets as often as the learned cells beside it have them.

    There is a row for each value of the keys ``by`` of these cells, ``kept``: the columns ``score``, ``by``
    and ``auc``. A score that lacks one of the datasets is left out.
    """
    parts = []
    for score in UNLEARNED:
        known = cells[cells["model"] == score].set_index("dataset")["auc"]
        here = kept[[*by]].assign(score=score, auc=kept["dataset"].map(known).astype(float))
        whole = here.groupby(["score", *by], sort=False)["auc"].agg(lambda values: values.mean(skipna=False))
        parts.append(whole.dropna().reset_index())
    return pd.concat(parts, ignore_index=True)


def wide(cells: pd.DataFrame) -> pd.DataFrame:
    """The AUC, one row a setting, one column a variant that occurs; NaN where it was not run."""
    learned = in_order(cells[is_learned(cells)])
    table = learned.pivot(index=SETTING, columns="pe", values="auc").astype(float)
    order = pd.MultiIndex.from_frame(learned[SETTING].drop_duplicates())
    table = table.reindex(order)[[name for name in VARIANTS if name in table.columns]]
    table.columns.name = None
    return table


def differences(cells: pd.DataFrame, pairs: Iterable[tuple[str, str]]) -> pd.DataFrame:
    """One variant minus another, for each setting that has both.

    The columns are ``dataset, model, features, first, second, difference``.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> table = differences(paper_cells(), SLPE_LPE)
        >>> len(table), float(table.difference.mean().round(2))
        (144, 1.09)
    """
    table = wide(cells).reindex(columns=list(VARIANTS))
    parts = [
        (table[first] - table[second]).round(EXACT_DIGITS).rename("difference").reset_index()
        .assign(first=first, second=second)
        for first, second in pairs
    ]  # fmt: skip
    result = pd.concat(parts, ignore_index=True).dropna(subset=["difference"])
    return result[[*SETTING, "first", "second", "difference"]].reset_index(drop=True)


def rank_encodings(cells: pd.DataFrame) -> Ranking:
    """Rank the encodings over the settings in which all of them were run.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> rank_encodings(paper_cells()).names[0]
        'slpe-e'
    """
    return rank_variants(wide(cells).round(DIGITS))


def describe(table: pd.DataFrame, value: str, by: Sequence[str]) -> pd.DataFrame:
    """Count, mean, standard deviation (of a sample, n − 1), median and quartiles, group by group."""
    groups = table.groupby(list(by), sort=False)[value]
    result = groups.agg(["count", "mean", "std", "median"])
    result["q1"], result["q3"] = groups.quantile(0.25), groups.quantile(0.75)
    return result.rename(columns={"count": "num_cells"}).reset_index()


def _rank(table: pd.DataFrame, within: Sequence[str]) -> pd.Series:
    printed = table["auc"].round(DIGITS)
    groups = printed.groupby([table[name] for name in within]) if within else printed
    return groups.rank(ascending=False, method="min")
