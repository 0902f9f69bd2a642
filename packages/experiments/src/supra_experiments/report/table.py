"""A table as typed columns over a tidy frame, apart from how HTML, Markdown or LaTeX writes it."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from supra_experiments.analysis.frame import KEYS, UNLEARNED
from supra_experiments.words import DASH, label, number, p_text


@dataclass(frozen=True, slots=True)
class Kind:
    """What a column holds.

    Attributes:
        text: a value as text; unknown ones are a dash without asking it.
        number: whether values are numbers, which stand on the right and sort by value.
        identifies: whether the values, together with others of that sort, name a row.
        wrap: whether a long text may take several lines.
    """

    text: Callable[[Any], str]
    number: bool = True
    identifies: bool = False
    wrap: bool = False


def _seconds(value: float) -> str:
    return number(value, 3 if value < 1 else 2 if value < 100 else 1)


KEY = Kind(label, number=False, identifies=True)
LABEL = Kind(str, number=False, identifies=True)
WORD = Kind(str, number=False)
TEXT = Kind(str, number=False, wrap=True)
AUC = Kind(partial(number, digits=2))
DIFFERENCE = Kind(partial(number, digits=2, signed=True))
RATIO = Kind(partial(number, digits=2))
SHARE = Kind(partial(number, digits=1))
SHARE_DIFFERENCE = Kind(partial(number, digits=1, signed=True))
SECONDS = Kind(_seconds)
P_VALUE = Kind(p_text)
COUNT = Kind(lambda value: f"{int(value):,}")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        name: its header.
        field: the column of the frame.
        kind: what that holds.
        help: a few words on what it is, where the header does not say.
        instead: the field that is shown where the first one is empty: a score without learning has its name
            where a model or an encoding has its own.
        empty: what is shown where both are.
        spread: the field of the standard deviation beside a mean.
        low, high: the fields of the ends of its 95 % interval.
        whose: the field of a text on what the number is of.
        rank: the field of the rank.
        marks: how many of the first ranks are marked.
        compared: whether the paper's figure belongs beside it.
    """

    name: str
    field: str
    kind: Kind = AUC
    help: str = ""
    instead: str = ""
    empty: str = DASH
    spread: str = ""
    low: str = ""
    high: str = ""
    whose: str = ""
    rank: str = ""
    marks: int = 0
    compared: bool = False

    def fields(self) -> list[str]:
        """The columns of the frame that it shows."""
        return [name for name in (self.field, self.instead, *self.beside.values(), self.rank) if name]

    @property
    def beside(self) -> dict[str, str]:
        """What stands beside the number, and the field of each."""
        names = {"std": self.spread, "from": self.low, "to": self.high, "of": self.whose}
        return {name: field for name, field in names.items() if field}


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell shows.

    Attributes:
        text: the value.
        number: the number behind it, if it is one.
        beside: its spread, ``± 0.50``, its interval, ``(1.00 to 2.00)``, or what it is of.
        more: the same for programs: numbers in full.
        rank: its mark; 0 for none.
    """

    text: str
    number: float | None = None
    beside: str = ""
    more: tuple[str, ...] = ()
    rank: int = 0

    def __str__(self) -> str:
        return f"{self.text} {self.beside}".rstrip()


@dataclass(frozen=True, slots=True)
class Row:
    """A row.

    Attributes:
        cells: one for each column.
        keys: what a reader may filter by: ``dataset``, ``model``, ``features``, ``pe``; those that do not
            apply are left out.
        learned: False for a score that needs no learning.
        opens: the name of what its first cell opens, if it opens anything.
        words: the row in words, for those who do not see it.
    """

    cells: tuple[Cell, ...]
    keys: Mapping[str, str]
    learned: bool
    opens: str = ""
    words: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """A table.

    Attributes:
        name: short, unique, made of letters and hyphens.
        title: what it shows.
        columns: from left to right.
        frame: one row a row, in the order to read them. Those of its columns that are keys of a cell are
            what rows can be filtered by, shown or not.
        note: how to read it, in a sentence or two; may be empty.
        opens: the column that names what a row's first cell opens; may be empty.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    frame: pd.DataFrame
    note: str = ""
    opens: str = ""

    def __len__(self) -> int:
        return len(self.frame)

    def trimmed(self) -> "Table":
        """The same without columns in which no row has anything."""
        rows = self.frame.to_dict("records")
        kept = [each for each in self.columns if any(not _is_missing(_value(each, row)) for row in rows)]
        return replace(self, columns=tuple(kept))

    def rows(self) -> Iterator[Row]:
        """The rows, ready to be written.

        Example:
            >>> frame = pd.DataFrame({"pe": ["none", "slpe-e"], "auc": [80.0, 84.5], "rank": [2, 1]})
            >>> columns = Column("encoding", "pe", KEY), Column("AUC", "auc", rank="rank", marks=1)
            >>> [[str(cell) for cell in row.cells] for row in Table("t", "T", columns, frame).rows()]
            [['none', '80.00'], ['SLPE-E', '84.50']]
        """
        for values in self.frame.to_dict("records"):
            keys = {name: value for name in KEYS if isinstance(value := values.get(name), str) and value}
            score = values.get("score") or keys.get("model")
            learned = score not in UNLEARNED
            if not learned:  # it has neither features nor an encoding
                keys = {name: keys[name] for name in ("dataset", "model") if name in keys}
            cells = tuple(_cell(column, values) for column in self.columns)
            opens = str(values[self.opens]) if self.opens else ""
            yield Row(cells, keys, learned, opens, str(values.get("words", "")))


def beside_paper(ours: Table, paper: Table) -> Table:
    """Our table with the figures of the same table of the paper beside; rows are matched by their keys."""
    names = [name for column in ours.columns if column.kind.identifies for name in column.fields()]
    compared = [each for each in ours.columns if each.compared and each.field in paper.frame]
    theirs = {name: f"paper {name}" for column in compared for name in column.fields()}
    frame = ours.frame.merge(paper.frame[[*names, *theirs]].rename(columns=theirs), on=names, how="left")
    columns = []
    for column in ours.columns:
        columns.append(column)
        if column in compared:
            names_of = ("field", "spread", "rank")
            fields: dict[str, Any] = {name: theirs.get(getattr(column, name), "") for name in names_of}
            about = f"{column.name} in the paper"
            columns.append(replace(column, name="paper", help=about, compared=False, **fields))
            if len(compared) == 1:  # then there is room for the difference
                frame["difference"] = frame[column.field] - frame[fields["field"]]
                kind = SHARE_DIFFERENCE if column.kind is SHARE else DIFFERENCE
                columns.append(Column("difference", "difference", kind, "ours − the paper's"))
    return replace(ours, columns=tuple(columns), frame=frame)


def _is_missing(value: object) -> bool:
    return value is None or value == "" or (isinstance(value, float) and not math.isfinite(value))


def _value(column: Column, values: Mapping[Any, Any]) -> Any:
    value = values[column.field]
    return values.get(column.instead) if _is_missing(value) and column.instead else value


def _cell(column: Column, values: Mapping[Any, Any]) -> Cell:
    value = _value(column, values)
    if _is_missing(value):
        return Cell(column.empty)
    kind = column.kind
    rank: float = values[column.rank] if column.rank else math.nan
    others = [values[field] for field in column.beside.values()]
    if any(map(_is_missing, others)):
        others = []
    texts = [each if isinstance(each, str) else kind.text(each) for each in others]
    form = "{}" if column.whose else {0: "", 1: "± {}", 2: "({} to {})"}[len(texts)]
    return Cell(
        kind.text(value),
        float(value) if kind.number else None,
        form.format(*texts) if texts else "",
        tuple(each if isinstance(each, str) else f"{each:.6g}" for each in others),
        int(rank) if rank <= column.marks else 0,
    )
