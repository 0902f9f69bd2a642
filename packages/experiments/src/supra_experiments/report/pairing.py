"""A table of the analysis ready to be shown: the paper's figures beside ours, rows that can be filtered."""

import math
from collections.abc import Mapping
from dataclasses import replace

from supra_experiments.analysis.frame import DATASETS, FEATURES, MODELS, UNLEARNED, VARIANTS
from supra_experiments.analysis.table import DASH, Score, Value, label
from supra_experiments.analysis.table import Table as Plain
from supra_experiments.report.table import Cell, Column, Row, Table, Worded, known

# Columns of spreads and counts: the paper's mean beside ours tells enough.
_UNPAIRED = {"std", "Q1", "Q3", "settings", "pairs", "cells", "better", "equal", "of", "without learning"}
_UNPAIRED |= {"better or equal (%)"}
_SIGNED = {"mean", "median", "Q1", "Q3", "difference", "mean difference"}
_LONG = {"claim", "statistic", "test", "mean by dataset", "cannot be told apart from"}
_FILTERS = {"dataset": "dataset", "model": "model", "features": "features", "encoding": "pe"}
_KEYS_BY_LABEL = {
    label(name): name for name in (*DATASETS, *MODELS, "egcn-o", *VARIANTS, *FEATURES, *UNLEARNED)
}


def paired(ours: Plain, paper: Plain | None = None, *, suffix: str = "", note: str = "") -> Table:
    """A table of ours with the paper's figures in columns beside; rows are matched by their words.

    Args:
        ours: as from :mod:`supra_experiments.analysis.tables`.
        paper: the same table from the paper's cells, None to show ours alone.
        suffix, note: added to the title and the note.
    """
    theirs = {} if paper is None else {_words(row): row for row in paper.rows}
    places = {name: place for place, name in enumerate(paper.columns)} if paper is not None else {}
    columns: list[Column] = []
    pairs: dict[int, int] = {}  # where a column of ours has its like in the paper's table
    for position, name in enumerate(ours.columns):
        number = _is_p(name) or any(not isinstance(row[position], str) for row in ours.rows)
        column = Column(name, number, ours.digits, signed=name in _SIGNED, wrap=name in _LONG)
        columns.append(column)
        if number and name in places and name not in _UNPAIRED:
            pairs[position] = places[name]
            columns.append(replace(column, name="paper", help=f"{name} in the paper"))
    # Where one figure is compared there is room for the difference.
    single = len(pairs) == 1
    if single:
        place = next(iter(pairs)) + 2
        columns.insert(place, Column("difference", True, ours.digits, signed=True, help="ours − the paper's"))
    rows = []
    for row in ours.rows:
        match = theirs.get(_words(row))
        cells: list[Cell] = []
        for position, value in enumerate(row):
            cells.append(_cell(value, ours.columns[position]))
            if position in pairs:
                other = _cell(match[pairs[position]]) if match else None
                cells.append(other)
                if single:
                    cells.append(_number(cells[-2]) - _number(other))
        rows.append(Row(tuple(cells), _filters(ours, row), not set(row[:2]) & set(UNLEARNED)))
    text = " ".join(filter(None, (ours.note, note)))
    name = ours.name + ("-others" if suffix else "")
    return Table(name, ours.title + suffix, tuple(columns), tuple(rows), text)


def _is_p(column: str) -> bool:
    """Whether a column holds p-values, which are written in a way of their own."""
    return column.startswith("p (") or column == "p"


def _words(row: tuple[Value, ...]) -> tuple[str, ...]:
    return tuple(value for value in row if isinstance(value, str))


def _cell(value: Value, column: str = "") -> Cell:
    if isinstance(value, Score):
        return value
    if isinstance(value, str) and _is_p(column):
        return Worded(value, math.nan if value == DASH else float(value))
    return value if isinstance(value, str) or known(value) else None


def _number(cell: Cell) -> float:
    """The number in a cell, NaN where there is none."""
    value = cell.mean if isinstance(cell, Score) else cell
    return float(value) if isinstance(value, int | float) else math.nan


def _filters(table: Plain, row: tuple[Value, ...]) -> Mapping[str, str]:
    """What a row can be filtered by, from the columns that are called so."""
    found = {}
    for name, value in zip(table.columns, row, strict=True):
        if name in _FILTERS and isinstance(value, str) and value not in ("all", "Δ", "mean of models"):
            found[_FILTERS[name]] = _KEYS_BY_LABEL.get(value, value)
    unlearned = set(found.values()) & set(UNLEARNED)
    # A score without learning stands where a model or an encoding does, and has neither.
    return {"dataset": found["dataset"]} if unlearned and "dataset" in found else {} if unlearned else found
