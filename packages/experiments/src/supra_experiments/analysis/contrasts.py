"""Variants compared seed by seed, and what encodings add over none: the answer of a study.

Runs of one setting and one seed share everything but the encoding. Runs are given as
:func:`~supra_experiments.analysis.frame.runs` makes them; cells will do and count as one seed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from supra_experiments.analysis.averages import EXACT_DIGITS, WITH_NONE
from supra_experiments.analysis.frame import (
    ENCODINGS,
    FEATURES,
    SETTING,
    VARIANTS,
    check_one_setting,
    is_learned,
    ordered,
)
from supra_experiments.analysis.statistics import mean_interval, t_interval

FEW = 10
"""Below so many values the bootstrap draws from too little, and intervals are Student's t."""

GAIN_COLUMNS = ["pe", "features", "gain", "low", "high", "num_better", "num_settings"]


def by_seed(runs: pd.DataFrame, value: str = "auc") -> pd.DataFrame:
    """The column ``value``, one row a setting and seed, one column a variant; NaN where it was not run."""
    table = runs[is_learned(runs)]
    table = table if "seed" in table.columns else table.assign(seed=0)
    check_one_setting(table)
    result = table.pivot(index=[*SETTING, "seed"], columns="pe", values=value)
    result.columns.name = None
    return result.reindex(columns=list(VARIANTS)).astype(float)


def contrast(runs: pd.DataFrame, pairs: Sequence[tuple[str, str]], value: str = "auc") -> pd.DataFrame:
    """The mean over pairs of variants of (first − second), for each setting and seed that has such a pair.

    The columns are ``dataset, model, features, seed, difference``.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> table = contrast(paper_cells(), [("slpe-i", "none")])
        >>> len(table), float(table.difference.mean().round(2))
        (48, 8.83)
    """
    table = by_seed(runs, value)
    parts = pd.concat([table[first] - table[second] for first, second in pairs], axis=1)
    difference = parts.mean(axis=1).round(EXACT_DIGITS).rename("difference")
    return difference.dropna().reset_index()


def over_seeds(contrasts: pd.DataFrame, by: Sequence[str] = tuple(SETTING)) -> pd.DataFrame:
    """The mean difference of each setting over its seeds, with ``num_seeds``: one value a setting.

    Seeds of one setting tell of that setting alone; a claim over settings counts each once.
    """
    groups = contrasts.groupby(list(by), sort=False)["difference"]
    return groups.agg(difference="mean", num_seeds="count").reset_index()


def with_seeds(runs: pd.DataFrame, num_seeds: int) -> pd.DataFrame:
    """The runs of settings in which none and an encoding share at least so many seeds.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> len(with_seeds(paper_cells(), 1)), len(with_seeds(paper_cells(), 2))
        (336, 0)
    """
    settings = over_seeds(contrast(runs, WITH_NONE))
    enough = pd.MultiIndex.from_frame(settings.loc[settings["num_seeds"] >= num_seeds, SETTING])
    return runs[pd.MultiIndex.from_frame(runs[SETTING]).isin(enough)]


def against_unlearned(
    runs: pd.DataFrame, score: str, pes: Iterable[str] = VARIANTS, value: str = "auc"
) -> pd.DataFrame:
    """Learned models minus a score without learning on the same dataset, for each setting and seed.

    Of a setting the mean over those of the variants ``pes`` that were run is compared. The columns are
    ``dataset, model, features, seed, difference``.
    """
    known = runs[(runs["model"] == score) & runs[value].notna()].groupby("dataset")[value].mean()
    table = by_seed(runs, value)[list(pes)].mean(axis=1)
    reference = known.reindex(table.index.get_level_values("dataset")).to_numpy(dtype=np.float64)
    difference = (table - reference).round(EXACT_DIGITS).rename("difference")
    return difference.dropna().reset_index()[[*SETTING, "seed", "difference"]]


@dataclass(frozen=True, slots=True)
class Gain:
    """The mean of the encodings minus none, in AUC points.

    Attributes:
        value: the mean over settings, each of which counts once.
        low, high: its 95 % interval, over settings or, of a single one, over its seeds; NaN where there is
            nothing to tell it from.
        median: over settings.
        num_settings, num_seeds: how many there are; seeds are those of a single setting, else 0.
        encodings: which were run.
        by_features: the mean with each kind of features.
        setting: the dataset, model and features of a single setting, else empty.
    """

    value: float
    low: float
    high: float
    median: float
    num_settings: int
    num_seeds: int
    encodings: tuple[str, ...]
    by_features: dict[str, float]
    setting: tuple[str, ...]


def overall_gain(runs: pd.DataFrame) -> Gain | None:
    """The gain over all settings that have none and an encoding; None where there is no such setting.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> gain = overall_gain(paper_cells())
        >>> gain.num_settings, round(gain.value, 2), gain.low > 0
        (48, 7.1, True)
    """
    pairs = contrast(runs, WITH_NONE)
    if pairs.empty:
        return None
    settings = over_seeds(pairs)
    low, high = _interval(pairs)
    one = len(settings) == 1
    return Gain(
        float(settings["difference"].mean()),
        low,
        high,
        float(settings["difference"].median()),
        len(settings),
        len(pairs) if one else 0,
        tuple(pe for pe in ENCODINGS if len(contrast(runs, [(pe, "none")]))),
        {
            kind: float(settings.loc[settings["features"] == kind, "difference"].mean())
            for kind in ordered(settings["features"], FEATURES)
        },
        tuple(str(settings.at[0, name]) for name in SETTING) if one else (),
    )


def gain_by_encoding(runs: pd.DataFrame) -> pd.DataFrame:
    """What each encoding adds over none, the best first, for all features and for each kind.

    Encodings are compared over the settings that have none and every encoding; where there are none such,
    each over its own. The columns are :data:`GAIN_COLUMNS`: ``features`` is empty for all settings together;
    ``low`` and ``high`` are as in :class:`Gain`; ``num_better`` of ``num_settings`` are above none.

    Example:
        >>> from supra_experiments.analysis import paper_cells
        >>> table = gain_by_encoding(paper_cells())
        >>> table.query("features == ''")[["pe", "gain"]].round(2).head(2).to_numpy().tolist()
        [['slpe-i', 8.83], ['slpe-e', 8.26]]
    """
    found = {pe: contrast(runs, [(pe, "none")]) for pe in ENCODINGS}
    found = {pe: pairs for pe, pairs in found.items() if len(pairs)}
    places = [pd.MultiIndex.from_frame(pairs[SETTING]) for pairs in found.values()]
    shared = places[0] if places else pd.MultiIndex.from_arrays([[]] * 3)
    for place in places[1:]:
        shared = shared.intersection(place)
    rows = []
    for (pe, pairs), place in zip(found.items(), places, strict=True):
        fair = pairs[place.isin(shared)] if len(shared) else pairs
        kinds = ordered(set(fair["features"]) - {""}, FEATURES)
        for kind in ["", *(kinds if len(kinds) > 1 else [])]:
            rows.append((pe, kind, *_summary(fair[fair["features"] == kind] if kind else fair)))
    table = pd.DataFrame(rows, columns=GAIN_COLUMNS)
    best = table[table["features"] == ""].set_index("pe")["gain"]
    return table.sort_values("pe", key=lambda names: -names.map(best), kind="stable", ignore_index=True)


def _summary(pairs: pd.DataFrame) -> tuple[float, float, float, int, int]:
    gains = over_seeds(pairs)["difference"]
    return float(gains.mean()), *_interval(pairs), int((gains > 0).sum()), len(gains)


def _interval(pairs: pd.DataFrame) -> tuple[float, float]:
    """Of the mean over settings; of a single one, over its seeds."""
    settings = over_seeds(pairs)
    values: NDArray[np.float64] = (pairs if len(settings) == 1 else settings)["difference"].to_numpy()
    return mean_interval(values) if len(values) >= FEW else t_interval(values)
