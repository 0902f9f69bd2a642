"""Every column that a table may have, by the field of the frame: a field means the same everywhere."""

from dataclasses import replace
from typing import Any

from supra_experiments.analysis.frame import NEGATIVES
from supra_experiments.report.table import (
    AUC,
    COUNT,
    DIFFERENCE,
    KEY,
    LABEL,
    P_VALUE,
    RATIO,
    SECONDS,
    SHARE,
    TEXT,
    WORD,
    Column,
)
from supra_experiments.words import label

_ALL = (
    # what a row is
    Column("dataset", "dataset", KEY, empty="all"),
    Column("model", "model", KEY, empty="all"),
    Column("features", "features", KEY),
    Column("encoding", "pe", KEY, instead="score"),
    Column("seed", "seed", COUNT),
    Column("settings", "settings", WORD, "the defaults, chosen by a person, or found by a search"),
    Column("settings", "side", LABEL),
    Column("negatives", "negatives", LABEL),
    Column("score", "group", LABEL, instead="score"),
    # AUC
    Column("AUC", "auc", AUC, "mean AUC in percent ± standard deviation over runs", spread="auc_std"),
    Column("paper", "paper_auc", AUC, "mean ± standard deviation of five runs", spread="paper_std"),
    Column("difference", "difference", DIFFERENCE, "ours minus the paper's"),
    Column("AP", "ap", AUC),
    *(Column(kind, kind, AUC) for kind in NEGATIVES),
    Column("no learning", "counting", AUC, "the best score without learning", whose="counting_name"),
    Column("model", "plain", AUC, "the best model without encoding", whose="plain_name"),
    Column("model and encoding", "encoded", AUC, "the best model with an encoding", whose="encoded_name"),
    Column("learning adds", "learning_adds", DIFFERENCE, "best model minus best without learning"),
    Column("encodings add", "encodings_add", DIFFERENCE, "best with an encoding minus best without"),
    # gains and differences
    Column(
        "gain", "gain", DIFFERENCE, "AUC points over none, with the 95 % interval", low="low", high="high"
    ),
    Column("better", "num_better", COUNT, "settings in which it is above none"),
    Column("rank", "rank", RATIO, "the average rank, 1 is the best"),
    Column("mean", "mean", DIFFERENCE, compared=True),
    Column("std", "std", AUC),
    Column("median", "median", DIFFERENCE, compared=True),
    Column("Q1", "q1", DIFFERENCE),
    Column("Q3", "q3", DIFFERENCE),
    # counts
    Column("runs", "num_runs", COUNT, "seeds"),
    Column("cells", "num_cells", COUNT),
    Column("settings", "num_settings", COUNT),
    Column("reproduced", "num_reproduced", COUNT),
    Column("share (%)", "share", SHARE),
    Column("close (%)", "share_close", SHARE),
    Column("mean difference", "mean_difference", DIFFERENCE),
    Column("median difference", "median_difference", DIFFERENCE),
    # claims
    Column("claim", "text", TEXT),
    Column("verdict", "verdict", WORD),
    Column("mean", "value", DIFFERENCE, "AUC points, with the 95 % interval", low="low", high="high"),
    Column("p", "p_adjusted", P_VALUE, "adjusted for the number of claims (Holm)"),
    Column("mean by dataset", "by_dataset", TEXT),
    Column("paper", "paper_value", DIFFERENCE, "the same test on its own cells", whose="paper_verdict"),
    # cost
    Column("encoding (s)", "encoding_seconds", SECONDS),
    Column("training (s)", "training_seconds", SECONDS),
    Column("ratio", "ratio", RATIO, "of the seconds, with the 95 % interval", low="low", high="high"),
    Column("p (longer)", "p_longer", P_VALUE),
    Column("p (no longer)", "p_no_longer", P_VALUE),
    Column("pairs", "num_pairs", COUNT),
    # runs
    Column("run", "short", WORD, "opens its settings and versions"),
    Column("epoch", "best_epoch", COUNT, "the one that was chosen"),
    Column("epochs", "num_epochs", COUNT),
)
_BY_FIELD = {column.field: column for column in _ALL}


def columns(*fields: str, **changes: dict[str, Any]) -> tuple[Column, ...]:
    """The columns of some fields, in this order.

    Args:
        fields: of the frame.
        changes: by field, what is different in this table: ``num_settings={"name": "pairs"}``.

    Example:
        >>> [column.name for column in columns("dataset", "pe", pe={"name": "which"})]
        ['dataset', 'which']
    """
    return tuple(replace(_BY_FIELD[field], **changes.get(field, {})) for field in fields)


def across(what: str, names: list[str], **more: Any) -> tuple[Column, ...]:
    """A column for each of several names, models or kinds of features, whose fields are ``what name``."""
    return tuple(Column(label(name), f"{what} {name}", compared=True, **more) for name in names)
