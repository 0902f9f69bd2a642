"""Cost beside accuracy: what a second of encoding buys, and whether exact encodings cost more."""

import math

import numpy as np
import pandas as pd

from supra_core.checks import check_nonnegative
from supra_experiments.analysis.contrasts import by_seed
from supra_experiments.analysis.frame import DATASETS, ENCODINGS, is_learned, ordered
from supra_experiments.analysis.statistics import mean_interval, signed_rank, t_interval

MARGIN = 0.1
"""The share by which an encoding may take longer and still cost no more to speak of."""

_SECONDS = ["encoding_seconds", "training_seconds"]


def cost_by_encoding(runs: pd.DataFrame) -> pd.DataFrame:
    """The gain over none of each encoding on each dataset, beside the seconds it took, where that is known.

    Returns:
        One row a dataset and encoding: ``dataset, pe, gain`` (AUC points, the mean over the ``num_runs``
        settings and seeds that have none and every encoding of the dataset; where there are none such, over
        those that have none and this encoding), ``low, high`` (its 95 % interval over seeds, NaN for fewer
        than three), ``encoding_seconds`` and ``training_seconds`` (medians, which a busy moment does not
        move), ``gain_per_second`` (NaN where encoding took no time), ``num_runs`` and ``num_settings``.
    """
    timed = runs[is_learned(runs) & runs["encoding_seconds"].notna()]
    tables = {name: by_seed(timed, name) for name in ("auc", *_SECONDS)}
    rows = []
    for dataset in ordered(timed["dataset"], DATASETS):
        auc = tables["auc"].loc[[dataset]].dropna(axis=1, how="all")
        complete = auc.dropna()
        for pe in (name for name in ENCODINGS if name in auc and "none" in auc):
            gain = (auc[pe] - auc["none"]).dropna()
            gain = gain.loc[complete.index] if len(complete) else gain
            if len(gain):
                seconds = {name: float(tables[name].loc[gain.index, pe].median()) for name in _SECONDS}
                rows.append({"dataset": dataset, "pe": pe, **_gain(gain), **seconds})
    numbers = ["gain", "low", "high", *_SECONDS, "num_runs", "num_settings"]
    table = pd.DataFrame(rows, columns=["dataset", "pe", *numbers])
    paid = table["encoding_seconds"].where(table["encoding_seconds"] > 0)
    return table.assign(gain_per_second=table["gain"] / paid)


def _gain(gains: pd.Series) -> dict[str, float]:
    """The mean gain and its interval, of which each seed gives one: settings are chosen, seeds are drawn."""
    num_settings = len(gains.groupby(level=["model", "features"]))
    by_seed = gains.groupby(level="seed").agg(["mean", "count"])
    # A seed that was not run in all settings would be the mean of something else.
    means = by_seed.loc[by_seed["count"] == num_settings, "mean"]
    half = float(np.ptp(t_interval(means))) / 2 if len(means) > 2 else math.nan
    gain = float(gains.mean())
    interval = {"low": gain - half, "high": gain + half}
    return {"gain": gain, **interval, "num_runs": len(gains), "num_settings": num_settings}


def exact_cost(
    runs: pd.DataFrame, first: str = "slpe-e", second: str = "slpe-i", margin: float = MARGIN
) -> pd.DataFrame:
    """Does one encoding cost more than another? Seconds are compared run by run, as ratios.

    The first may take longer by a share ``margin`` and still cost no more.

    Returns:
        One row a dataset, and a last one with the dataset ``""`` for all: ``dataset, first_seconds,
        second_seconds`` (medians), ``ratio`` (the geometric mean of first / second), its 95 % interval
        ``low, high`` by the bootstrap, the p-values of signed-rank tests that the first takes longer,
        ``p_longer``, and that it takes no longer but for the margin, ``p_no_longer``, and ``num_pairs``.
    """
    check_nonnegative("margin", margin)
    seconds = by_seed(runs, "encoding_seconds")[[first, second]]
    # Runs of a sweep share what was computed once; a time that is told again is no second measurement.
    seconds = seconds[(seconds > 0).all(axis=1)].reset_index().drop_duplicates(["dataset", first, second])
    rows = []
    for dataset in [*ordered(seconds["dataset"], DATASETS), ""] if len(seconds) else []:
        part = seconds[seconds["dataset"] == dataset] if dataset else seconds
        ratios = np.log(part[first].to_numpy() / part[second].to_numpy())
        low, high = mean_interval(ratios)
        rows.append(
            {
                "dataset": dataset,
                "first_seconds": float(part[first].median()),
                "second_seconds": float(part[second].median()),
                "ratio": math.exp(float(ratios.mean())),
                "low": math.exp(low),
                "high": math.exp(high),
                "p_longer": signed_rank(ratios, "greater").p_value,
                "p_no_longer": signed_rank(ratios - math.log1p(margin), "less").p_value,
                "num_pairs": len(part),
            }
        )
    return pd.DataFrame(rows)


def with_times(runs: pd.DataFrame, times: pd.DataFrame) -> pd.DataFrame:
    """The runs with the median seconds of their encodings as measured apart, where they were.

    Example:
        >>> runs = pd.DataFrame({"dataset": "dblp", "pe": ["none", "slpe-e"], "encoding_seconds": 9.0})
        >>> times = pd.DataFrame({"dataset": "dblp", "pe": "slpe-e", "encoding_seconds": [1.0, 2.0, 3.0]})
        >>> with_times(runs, times)["encoding_seconds"].tolist()
        [9.0, 2.0]
    """
    medians = times.groupby(["dataset", "pe"])["encoding_seconds"].median()
    own = pd.MultiIndex.from_frame(runs[["dataset", "pe"]])
    measured = pd.Series(medians.reindex(own).to_numpy(), index=runs.index)
    return runs.assign(encoding_seconds=measured.fillna(runs["encoding_seconds"]))
