"""A table as data: what it says, apart from how HTML, Markdown or LaTeX writes it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from supra_experiments.analysis.table import DASH, MINUS, Score, number


@dataclass(frozen=True, slots=True)
class Worded:
    """A number that is written in a way of its own, as a p-value is; NaN where there is none."""

    text: str
    value: float


Cell = str | float | int | Score | Worded | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        name: its header.
        number: whether it holds numbers, which stand on the right and sort by value.
        digits: after the point.
        signed: whether a plus is written.
        help: a few words on what it is, where the header does not say.
        wrap: whether a long text may take several lines.
    """

    name: str
    number: bool = False
    digits: int = 2
    signed: bool = False
    help: str = ""
    wrap: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row.

    Attributes:
        cells: one for each column.
        keys: what a reader may filter by: ``dataset``, ``model``, ``features``, ``pe``; those that do not
            apply are left out.
        learned: False for a score that needs no learning.
        label: the row in words, for those who do not see it.
    """

    cells: tuple[Cell, ...]
    keys: Mapping[str, str] = field(default_factory=dict)
    learned: bool = True
    label: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        name: short, unique, made of letters and hyphens.
        title: what it shows.
        columns: of equal number as each row's cells.
        rows: in the order to read them.
        note: how to read it, in a sentence or two; may be empty.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(f"{self.name}: {len(row.cells)} cells in {len(self.columns)} columns")


def text_of(cell: Cell, column: Column) -> str:
    """A cell as text; a dash where there is nothing.

    Example:
        >>> text_of(-1.234, Column("difference", number=True, signed=True))
        '−1.23'
        >>> text_of(Score(93.456, 0.5), Column("AUC", number=True))
        '93.46 ± 0.50'
    """
    if isinstance(cell, Score):
        mean = text_of(cell.mean, column)
        return (
            mean if not known(cell.std) or not known(cell.mean) else f"{mean} ± {cell.std:.{column.digits}f}"
        )
    if isinstance(cell, Worded):
        return cell.text
    if cell is None or isinstance(cell, str):
        return cell or DASH
    if isinstance(cell, float):
        return number(cell, column.digits, signed=column.signed)
    return (f"{cell:+,}" if column.signed else f"{cell:,}").replace("-", MINUS)


def known(value: float | None) -> bool:
    """Whether there is a number."""
    return value is not None and math.isfinite(value)
