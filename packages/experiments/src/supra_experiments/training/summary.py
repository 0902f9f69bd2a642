"""Runs that differ only in their seed, as one row."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from supra_experiments.training.record import RunRecord


@dataclass(frozen=True, slots=True)
class Row:
    """The mean and spread over seeds; AUC and AP in percent, NaN where every run diverged.

    Attributes:
        model, features, pe: what was run; ``features`` is empty without a network, ``pe`` without learning.
        num_runs: seeds.
        auc, auc_std, ap: of all test links; the standard deviation is over seeds.
        auc_new: of links that are not in the last training snapshot.
        num_epochs, seconds_per_epoch, encoding_seconds: means over seeds.
    """

    model: str
    features: str
    pe: str
    num_runs: int
    auc: float
    auc_std: float
    ap: float
    auc_new: float
    num_epochs: float
    seconds_per_epoch: float
    encoding_seconds: float


def summarize(records: Iterable[RunRecord]) -> list[Row]:
    """One row for each (model, features, encoding), in the order of first appearance.

    Example:
        >>> from supra_experiments import Config, fit
        >>> [row.model for row in summarize([fit(Config(model="degree")), fit(Config(model="count"))])]
        ['degree', 'count']
    """
    groups: dict[tuple[str, str, str], list[RunRecord]] = {}
    for record in records:
        config = record.config
        features = config.data.features if config.model.is_network else ""
        pe = config.encoding.pe if config.model.is_learned else ""
        groups.setdefault((config.model.name, features, pe), []).append(record)
    return [_row(key, group) for key, group in groups.items()]


def _row(key: tuple[str, str, str], records: list[RunRecord]) -> Row:
    auc = [100 * record.test.auc for record in records]
    return Row(
        *key,
        num_runs=len(records),
        auc=_mean(auc),
        auc_std=float(np.nanstd(auc)) if len(records) > 1 and not np.isnan(auc).all() else math.nan,
        ap=_mean([100 * record.test.ap for record in records]),
        auc_new=_mean([100 * record.test_new.auc for record in records]),
        num_epochs=_mean([len(record.history) for record in records]),
        seconds_per_epoch=_mean([record.seconds_per_epoch for record in records]),
        encoding_seconds=_mean([record.timings.encoding for record in records]),
    )


def _mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan
