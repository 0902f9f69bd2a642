"""What the paper counts in its cells and a report does not: the best gain, how often which encoding wins."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from supra_experiments.analysis.averages import (
    DIGITS,
    EXACT_DIGITS,
    EXACT_INEXACT,
    SLPE_LPE,
    balanced,
    wide,
)
from supra_experiments.analysis.frame import ENCODINGS, VARIANTS


def gains(cells: pd.DataFrame) -> pd.DataFrame:
    """The best encoding of each setting minus none. It is chosen by the test: six chances to be lucky.

    Returns:
        One row a setting with none and at least one encoding: ``dataset, model, features, best_pe, best,
        none, gain, num_encodings``.
    """
    table = wide(cells).reindex(columns=list(VARIANTS))
    table = table[table["none"].notna() & table[list(ENCODINGS)].notna().any(axis=1)]
    encodings = table[list(ENCODINGS)]
    best = encodings.max(axis=1)
    result = pd.DataFrame(
        {
            "best_pe": encodings.idxmax(axis=1) if len(encodings) else "",
            "best": best,
            "none": table["none"],
            "gain": (best - table["none"]).round(EXACT_DIGITS),
            "num_encodings": encodings.notna().sum(axis=1),
        }
    )
    return result.reset_index()


def frequencies(cells: pd.DataFrame) -> pd.DataFrame:
    """How often encodings win, over the settings in which every variant was run.

    SLPE and LPE, exact and inexact are compared by their mean over the variants of a setting.

    Returns:
        The rows ``encoding first``, ``top three encodings``, ``SLPE over LPE`` and ``E over I`` with the
        columns ``question, num_better, num_equal, num_cases, share`` (better) and ``share_equal`` (better or
        equal), in percent.
    """
    table = wide(balanced(cells)).reindex(columns=list(VARIANTS))
    if not table.notna().all(axis=None):  # some variant was never run: nothing to count
        table = table.iloc[:0]
    encodings, none = table[list(ENCODINGS)].round(DIGITS), table["none"].round(DIGITS)
    third = pd.Series(np.sort(encodings.to_numpy(), axis=1)[:, -3], index=table.index)
    margins = {
        "encoding first": encodings.max(axis=1) - none,
        "top three encodings": third - none,
        "SLPE over LPE": _mean_difference(table, SLPE_LPE),
        "E over I": _mean_difference(table, EXACT_INEXACT),
    }
    rows = []
    for question, margin in margins.items():
        margin = margin.round(EXACT_DIGITS)
        better, equal, total = int((margin > 0).sum()), int((margin == 0).sum()), len(margin)
        shares = [100 * count / total if total else float("nan") for count in (better, better + equal)]
        rows.append((question, better, equal, total, *shares))
    columns = ["question", "num_better", "num_equal", "num_cases", "share", "share_equal"]
    return pd.DataFrame(rows, columns=columns)


def _mean_difference(table: pd.DataFrame, pairs: Sequence[tuple[str, str]]) -> pd.Series:
    firsts, seconds = (list(names) for names in zip(*pairs, strict=True))
    return table[firsts].mean(axis=1) - table[seconds].mean(axis=1)
