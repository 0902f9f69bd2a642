"""The marks of the paper's tables, straight from its file: an oracle for ranks."""

from importlib import resources

import pandas as pd


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
