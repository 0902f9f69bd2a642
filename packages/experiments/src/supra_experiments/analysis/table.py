"""A table as plain values, ready for any format."""

import math
from dataclasses import dataclass

NAN = float("nan")
DASH = "–"
MINUS = "−"


@dataclass(frozen=True, slots=True)
class Score:
    """A figure with its spread and its place.

    Attributes:
        mean: NaN where it was not measured.
        std: NaN where there is one run, or where there is nothing to spread.
        rank: 1, 2, 3 are marked; 0 is not ranked.
    """

    mean: float
    std: float = NAN
    rank: int = 0


Value = str | int | float | Score


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        name: short and unique, good as a file name or a link.
        title: what it shows, one line.
        columns: their headings.
        rows: one value a column; a float is shown with ``digits`` digits, NaN as a dash.
        note: how to read it and what is missing.
        digits: of every float and score.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""
    digits: int = 2


def number(value: float, digits: int, *, signed: bool = False) -> str:
    """A figure with a real minus sign; a dash where it is unknown, and no sign before zero.

    Example:
        >>> number(-0.3, 2), number(float("nan"), 2), number(-0.001, 2), number(0.3, 1, signed=True)
        ('−0.30', '–', '0.00', '+0.3')
    """
    if not math.isfinite(value):
        return DASH
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    if float(text) == 0:  # neither +0.00 nor -0.00 says anything
        text = text.lstrip("+-")
    return text.replace("-", MINUS)


LABELS = {
    "egcn": "EGCN",
    "egcn-o": "EGCN-O",
    "grugcn": "GRUGCN",
    "htgn": "HTGN",
    "slate": "SLATE",
    "none": "none",
    "canparl": "CanParl",
}


def label(name: str) -> str:
    """How a model, a variant or a dataset is written in a table.

    Example:
        >>> [label(name) for name in ("grugcn", "slpe-i", "none", "canparl", "count")]
        ['GRUGCN', 'SLPE-I', 'none', 'CanParl', 'count']
    """
    return name.upper() if name.startswith(("lpe-", "slpe-")) else LABELS.get(name, name)
