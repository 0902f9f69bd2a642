"""Tables as Markdown."""

import re
from collections.abc import Iterable

from supra_experiments.analysis.table import Score
from supra_experiments.report.table import Cell, Column, Table, text_of

RANKS = ("", "①", "②", "③")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$])")


def escape(text: str) -> str:
    """Text that Markdown, and HTML inside it, leaves as it is.

    Example:
        >>> print(escape("a|b <i> _c_"))
        a\\|b \\<i\\> \\_c\\_
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.replace("&", "&amp;").split()))


def markdown_table(table: Table) -> str:
    """The table alone, without its title; the best three of a group are marked ①②③.

    Example:
        >>> print(markdown_table(Table("t", "T", (Column("a"), Column("b", number=True)), ())))
        | a | b |
        | :-- | --: |
    """
    lines = [
        _line(escape(column.name) for column in table.columns),
        _line("--:" if column.number else ":--" for column in table.columns),
    ]
    for row in table.rows:
        cells = zip(row.cells, table.columns, strict=True)
        lines.append(_line(markdown_cell(cell, column) for cell, column in cells))
    return "\n".join(lines)


def markdown_cell(cell: Cell, column: Column) -> str:
    """A cell; the best of its group is bold."""
    text = escape(text_of(cell, column))
    if isinstance(cell, Score) and cell.rank:
        mean, _, spread = text.partition(" ")
        mean = f"**{mean}**" if cell.rank == 1 else mean
        return " ".join(filter(None, (mean, spread, RANKS[cell.rank])))
    return text


def markdown_tables(title: str, tables: Iterable[Table]) -> str:
    """A page of tables, each under its title."""
    parts = [f"# {escape(title)}"]
    for table in tables:
        parts.append(f"## {escape(table.title)}")
        if table.note:
            parts.append(escape(table.note))
        parts.append(markdown_table(table))
    return "\n\n".join(parts) + "\n"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
