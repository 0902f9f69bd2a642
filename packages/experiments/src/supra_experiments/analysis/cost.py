"""Cost beside accuracy: what a second of encoding buys, and whether exact encodings cost more."""

import math

import numpy as np
import pandas as pd

from supra_core.checks import check_nonnegative
from supra_experiments.analysis.frame import DATASETS, is_learned
from supra_experiments.analysis.paired import by_seed
from supra_experiments.analysis.statistics import mean_interval, p_text, signed_rank
from supra_experiments.analysis.summaries import ENCODINGS
from supra_experiments.analysis.table import NAN, Table, Value, label
from supra_experiments.analysis.table_parts import rows_of

MARGIN = 0.1
"""The share by which an encoding may take longer and still cost no more to speak of."""


def cost_by_encoding(runs: pd.DataFrame) -> pd.DataFrame:
    """The gain over none of each encoding on each dataset, beside the seconds it took.

    Args:
        runs: as from :func:`~supra_experiments.analysis.frame.runs`; cells will do. Runs without a time are
            left out.

    Returns:
        One row a dataset and encoding: ``dataset, pe, gain`` (AUC points, the mean over the ``num_runs``
        settings and seeds that have none and every encoding of the dataset), ``encoding_seconds`` and
        ``training_seconds`` (medians, which a busy moment does not move) and ``gain_per_second`` (NaN where
        encoding took no time).
    """
    timed = runs[is_learned(runs) & runs["encoding_seconds"].notna()]
    tables = {name: by_seed(timed, name) for name in ("auc", "encoding_seconds", "training_seconds")}
    rows = []
    for dataset in _known(timed["dataset"]):
        auc = tables["auc"].loc[[dataset]].dropna(axis=1, how="all").dropna()
        for pe in (name for name in ENCODINGS if name in auc and "none" in auc and len(auc)):
            seconds, training = (
                float(tables[name].loc[auc.index, pe].median())
                for name in ("encoding_seconds", "training_seconds")
            )
            gain = float((auc[pe] - auc["none"]).mean())
            rows.append((dataset, pe, gain, seconds, training, gain / seconds if seconds else NAN, len(auc)))
    columns = ["dataset", "pe", "gain", "encoding_seconds", "training_seconds", "gain_per_second", "num_runs"]
    return pd.DataFrame(rows, columns=columns)


def exact_cost(
    runs: pd.DataFrame, first: str = "slpe-e", second: str = "slpe-i", margin: float = MARGIN
) -> pd.DataFrame:
    """Does one encoding cost more than another? Seconds are compared run by run, as ratios.

    Args:
        runs: runs or cells.
        first, second: the encodings.
        margin: the share by which the first may take longer and still cost no more.

    Returns:
        One row a dataset and one for ``all``: ``dataset, first_seconds, second_seconds`` (medians), ``ratio``
        (the geometric mean of first / second), its 95 % interval ``low, high`` by the bootstrap, the p-values
        of signed-rank tests that the first takes longer, ``p_longer``, and that it takes no longer but for
        the margin, ``p_no_longer``, the ``test`` and ``num_pairs``.
    """
    check_nonnegative("margin", margin)
    seconds = by_seed(runs, "encoding_seconds")[[first, second]]
    # Runs of a sweep share what was computed once; a time that is told again is no second measurement.
    seconds = seconds[(seconds > 0).all(axis=1)].reset_index().drop_duplicates(["dataset", first, second])
    parts = [(name, seconds[seconds["dataset"] == name]) for name in _known(seconds["dataset"])]
    rows = []
    for name, part in [*parts, ("all", seconds)] if parts else []:
        ratios = np.log(part[first].to_numpy() / part[second].to_numpy())
        longer, no_longer = signed_rank(ratios, "greater"), signed_rank(ratios - math.log1p(margin), "less")
        rows.append(
            {
                "dataset": name,
                "first_seconds": float(part[first].median()),
                "second_seconds": float(part[second].median()),
                "ratio": math.exp(float(ratios.mean())),
                **dict(zip(("low", "high"), map(math.exp, mean_interval(ratios)), strict=True)),
                "p_longer": longer.p_value,
                "p_no_longer": no_longer.p_value,
                "test": longer.test,
                "num_pairs": len(part),
            }
        )
    columns = [
        "dataset",
        "first_seconds",
        "second_seconds",
        "ratio",
        "low",
        "high",
        "p_longer",
        "p_no_longer",
    ]
    return pd.DataFrame(rows, columns=[*columns, "test", "num_pairs"])


def cost_table(runs: pd.DataFrame) -> Table:
    """Gain, seconds, and gain per second of each encoding on each dataset."""
    rows: list[tuple[Value, ...]] = [
        (
            label(row.dataset),
            label(row.pe),
            row.gain,
            row.encoding_seconds,
            row.training_seconds,
            row.gain_per_second,
            row.num_runs,
        )
        for row in rows_of(cost_by_encoding(runs))
    ]
    return Table(
        name="cost",
        title="AUC points gained over none beside the cost of encoding",
        columns=("dataset", "encoding", "gain", "encoding (s)", "training (s)", "gain per second", "runs"),
        rows=tuple(rows),
        note="Mean gain and median seconds over models, features and seeds that have none and every encoding "
        "of the dataset. Encodings are computed once a run, for all snapshots.",
    )


def exact_cost_table(runs: pd.DataFrame, first: str = "slpe-e", second: str = "slpe-i") -> Table:
    """Seconds of two encodings and their ratio."""
    rows: list[tuple[Value, ...]] = [
        (
            label(row.dataset),
            row.first_seconds,
            row.second_seconds,
            row.ratio,
            row.low,
            row.high,
            p_text(row.p_longer),
            p_text(row.p_no_longer),
            row.num_pairs,
        )
        for row in rows_of(exact_cost(runs, first, second))
    ]
    one, two = label(first), label(second)
    return Table(
        name="exact-cost",
        title=f"Does {one} take longer than {two}?",
        columns=(
            "dataset",
            f"{one} (s)",
            f"{two} (s)",
            "ratio",
            "95 % from",
            "to",
            "p (longer)",
            "p (no longer)",
            "pairs",
        ),
        rows=tuple(rows),
        note="Seconds of encoding: medians, and the geometric mean of their ratio run by run. Signed-rank "
        f"tests that {one} takes longer, and that it takes no more than {100 * MARGIN:g} % longer.",
        digits=3,
    )


def _known(datasets: pd.Series) -> list[str]:
    found = set(datasets)
    return [name for name in DATASETS if name in found] + sorted(found - set(DATASETS))
