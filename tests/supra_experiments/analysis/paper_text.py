"""What the paper says beside its cells: its marks, straight from its file, and what its text counts."""

from importlib import resources

import numpy as np
import pandas as pd

from supra_experiments.analysis.averages import DIGITS, EXACT_DIGITS, EXACT_INEXACT, SLPE_LPE, balanced, wide
from supra_experiments.analysis.frame import ENCODINGS, VARIANTS


def paper_marks() -> pd.DataFrame:
    """Which cells the paper marks as ``first``, ``second`` or ``third``: the column ``mark``, else empty."""
    with (resources.files("supra_experiments.analysis") / "paper_auc.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, keep_default_na=False)
    return pd.DataFrame(
        {
            "dataset": table["dataset"].str.lower(),
            "model": table["model"].str.lower().replace("egcn", "egcn-h"),
            "features": table["features"].replace("randn", "random"),
            "pe": table["variant"].str.lower().replace("no pes", "none"),
            "mark": table["highlight"],
        }
    )


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


def _mean_difference(table, pairs):
    firsts, seconds = (list(names) for names in zip(*pairs, strict=True))
    return table[firsts].mean(axis=1) - table[seconds].mean(axis=1)
