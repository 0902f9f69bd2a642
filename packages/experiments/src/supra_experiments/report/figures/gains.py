"""What encodings gain over none, cell by cell."""

from collections.abc import Iterable

import pandas as pd

from supra_experiments.analysis.frame import is_learned

SETTING = ["dataset", "model", "features"]


def gains(runs: pd.DataFrame) -> pd.DataFrame:
    """Of each cell with an encoding: its mean minus that of the same model and features without one.

    Args:
        runs: as of ``analysis.frame.runs``.

    Returns:
        The columns dataset, model, features, pe, auc, base, gain.

    Example:
        >>> cell = {"dataset": "demo", "model": "egcn", "features": "zeros"}
        >>> runs = pd.DataFrame([cell | {"pe": "none", "auc": 80.0}, cell | {"pe": "lpe-e", "auc": 84.0}])
        >>> gains(runs)["gain"].tolist()
        [4.0]
    """
    learned = runs[is_learned(runs) & runs["auc"].notna()]
    cells = learned.groupby([*SETTING, "pe"], as_index=False)["auc"].mean()
    base = cells[cells["pe"] == "none"].rename(columns={"auc": "base"}).drop(columns="pe")
    joined = cells[cells["pe"] != "none"].merge(base, on=SETTING)
    return joined.assign(gain=joined["auc"] - joined["base"])


def comparable(table: pd.DataFrame) -> pd.DataFrame:
    """Only settings that have every encoding of their dataset, so that means over settings compare.

    A dataset without such a setting is left as it is: better a rough picture than none.

    Args:
        table: as of :func:`gains`.
    """
    present = table.groupby(SETTING)["pe"].transform("nunique")
    wanted = table.groupby("dataset")["pe"].transform("nunique")
    complete = present == wanted
    some = complete.groupby(table["dataset"]).transform("any")
    return table[complete | ~some]


def ordered(values: Iterable[str], known: Iterable[str]) -> list[str]:
    """The distinct values, known ones first and in their order, others by name.

    Example:
        >>> ordered(["b", "x", "a", "b"], ("a", "b", "c"))
        ['a', 'b', 'x']
    """
    present, names = set(values), list(known)
    return [name for name in names if name in present] + sorted(present - set(names))
