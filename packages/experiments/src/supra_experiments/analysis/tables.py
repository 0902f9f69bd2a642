"""The tables of the paper from cells, complete or not, each with a note of what it stands for.

Averages are over settings in which everything that is compared was run, so that no variant is judged on
easier data than another. Where cells are missing, the note says how many are left.
"""

import pandas as pd

from supra_experiments.analysis.auc_tables import (
    auc_table,
    feature_model_table,
    model_variant_feature_table,
    variant_feature_table,
    variant_table,
)
from supra_experiments.analysis.frame import FEATURES
from supra_experiments.analysis.gain_tables import (
    difference_table,
    frequency_table,
    gain_table,
    negatives_table,
)
from supra_experiments.analysis.table import Table
from supra_experiments.analysis.table_parts import present

__all__ = [
    "all_tables",
    "auc_table",
    "difference_table",
    "feature_model_table",
    "frequency_table",
    "gain_table",
    "model_variant_feature_table",
    "negatives_table",
    "variant_feature_table",
    "variant_table",
]


def all_tables(cells: pd.DataFrame) -> list[Table]:
    """Every table, in the paper's order; those with no rows are left out.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> len(all_tables(paper_cells())), all_tables(paper_cells().iloc[:0])
        (11, [])
    """
    tables = [
        *(auc_table(cells, features) for features in present(cells, "features", FEATURES)),
        variant_table(cells),
        variant_feature_table(cells),
        feature_model_table(cells),
        model_variant_feature_table(cells),
        gain_table(cells, ["model"]),
        gain_table(cells, ["features", "model"]),
        difference_table(cells),
        frequency_table(cells),
        negatives_table(cells),
    ]
    return [table for table in tables if table.rows]
