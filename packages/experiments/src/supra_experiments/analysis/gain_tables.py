"""Differences between encodings, and how often they win."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from supra_experiments.analysis.frame import DATASETS, FEATURES, UNLEARNED, is_learned
from supra_experiments.analysis.summaries import (
    ENCODINGS,
    EXACT_INEXACT,
    SLPE_LPE,
    balanced,
    describe,
    differences,
    frequencies,
    gains,
)
from supra_experiments.analysis.table import NAN, Table, Value, label
from supra_experiments.analysis.table_parts import present, rows_of


def gain_table(cells: pd.DataFrame, by: Sequence[str]) -> Table:
    """The best encoding minus none: mean, standard deviation, median and quartiles."""
    table = gains(cells)
    rows = [
        (*(label(getattr(row, name)) for name in by), *_spread(row), row.num_cells)
        for row in rows_of(describe(table, "gain", by))
    ]
    fewer = int((table["num_encodings"] < len(ENCODINGS)).sum())
    return Table(
        name="best-encoding-minus-none-by-" + "-and-".join(by),
        title="Best encoding minus none, AUC points, by " + " and ".join(by),
        columns=(*by, "mean", "std", "median", "Q1", "Q3", "settings"),
        rows=tuple(rows),
        note=f"{len(table)} settings of dataset, model and features, {fewer} of them with fewer than six "
        "encodings. The best of several is chosen by the test itself and so looks better than it is.",
    )


def difference_table(cells: pd.DataFrame) -> Table:
    """Exact minus inexact and SLPE minus LPE, pair by pair, for each model."""
    rows: list[tuple[Value, ...]] = []
    for name, pairs in (("E − I", EXACT_INEXACT), ("SLPE − LPE", SLPE_LPE)):
        table = differences(cells, pairs)
        parts = describe(table, "difference", ["model"])
        rows += [(name, label(row.model), *_spread(row), row.num_cells) for row in rows_of(parts)]
        if len(table):
            mean, median = float(parts["mean"].mean()), float(parts["median"].mean())
            rows.append((name, "mean of models", mean, NAN, median, NAN, NAN, len(table)))
    return Table(
        name="exact-and-supra-differences",
        title="Exact minus inexact, and SLPE minus LPE, AUC points, by model",
        columns=("difference", "model", "mean", "std", "median", "Q1", "Q3", "pairs"),
        rows=tuple(rows),
        note="Each pair is two encodings in one setting of dataset, model and features.",
    )


def frequency_table(cells: pd.DataFrame) -> Table:
    """How often encodings win, overall and for each kind of features."""
    rows: list[tuple[Value, ...]] = []
    for features in ("", *present(cells, "features", FEATURES)):
        part = cells[cells["features"] == features] if features else cells
        for row in rows_of(frequencies(part)):
            if row.num_cases:
                counts = (row.num_better, row.num_equal, row.num_cases, row.share, row.share_equal)
                rows.append((features or "all", row.question, *counts))
    return Table(
        name="how-often",
        title="How often encodings win",
        columns=("features", "question", "better", "equal", "of", "better (%)", "better or equal (%)"),
        rows=tuple(rows),
        note="Only settings in which none and all six encodings were run. SLPE and LPE, E and I are compared "
        "by their mean over the variants of a setting.",
        digits=1,
    )


def negatives_table(cells: pd.DataFrame) -> Table:
    """Each score without learning, and the average of learned models, under each kind of negatives."""
    figures = {"uniform": "auc", "active": "auc_active", "historical": "auc_historical"}
    known = cells[cells[list(figures.values())[1:]].notna().any(axis=1)]
    rows: list[tuple[Value, ...]] = []
    for dataset in present(known, "dataset", DATASETS):
        part = known[known["dataset"] == dataset]
        learned = balanced(part)
        groups = [(name, part[part["model"] == name]) for name in UNLEARNED]
        groups += [
            ("learned, no encoding", learned[learned["pe"] == "none"]),
            ("learned, mean of encodings", learned[learned["pe"] != "none"]),
        ]
        for name, group in groups:
            if len(group):
                values = (float(group[column].mean()) for column in figures.values())
                rows.append((label(dataset), name, *values, len(group)))
        everything = part[is_learned(part)]
        if len(everything):
            best = (float(everything[column].max()) for column in figures.values())
            rows.append((label(dataset), "learned, best cell of each column", *best, len(everything)))
    return Table(
        name="negatives",
        title="AUC in percent under each kind of negatives: scores without learning beside learned models",
        columns=("dataset", "score", *figures, "cells"),
        rows=tuple(rows),
        note="Learned: the mean over models and features in which all encodings of the dataset were run. The "
        "best cell is chosen by the test itself and so looks better than it is.",
    )


def _spread(row: Any) -> tuple[float, ...]:
    return (row.mean, row.std, row.median, row.q1, row.q3)
