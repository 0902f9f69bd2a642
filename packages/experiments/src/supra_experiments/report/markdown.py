"""A report as Markdown: one page of it all, and a page of its tables."""

import html
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from supra_experiments.report.figures import Drawn
from supra_experiments.report.runs import Runs
from supra_experiments.report.sections import Report, Section
from supra_experiments.report.table import Cell, Table
from supra_experiments.words import counted

NOTES_BEGIN, NOTES_END = "<!-- notes: begin -->", "<!-- notes: end -->"
LONG = 40
"""Rows of a table that is folded here, where nothing scrolls, wherever it stands."""

_RANKS = ("", "①", "②", "③")
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
        >>> import pandas as pd
        >>> from supra_experiments.report.table import KEY, Column
        >>> columns = Column("a", "pe", KEY), Column("b", "auc")
        >>> print(markdown_table(Table("t", "T", columns, pd.DataFrame({"pe": ["lpe-e"], "auc": [1.0]}))))
        | a | b |
        | :-- | --: |
        | LPE-E | 1.00 |
    """
    lines = [
        _line(escape(column.name) for column in table.columns),
        _line("--:" if column.kind.number else ":--" for column in table.columns),
        *(_line(map(_cell, row.cells)) for row in table.rows()),
    ]
    return "\n".join(lines)


def markdown_tables(title: str, tables: Iterable[Table]) -> str:
    """A page of tables, each under its title."""
    parts = [f"# {escape(title)}"]
    for table in tables:
        parts += filter(None, [f"## {escape(table.title)}", escape(table.note), markdown_table(table)])
    return "\n\n".join(parts) + "\n"


def markdown_page(report: Report, *, links: str = "figures") -> str:
    """The whole report; notes by a person stand between two comments, as they are.

    ``links`` is the folder of the figures' files, as seen from the page.
    """
    parts = [f"# {escape(report.question)}", f"**{escape(report.answer)}**", escape(report.summary)]
    for section in report.sections:
        parts += [f"## {escape(section.title)}", *filter(None, _section(section, links))]
    return "\n\n".join([*parts, escape(report.footer)]) + "\n"


def _section(section: Section, links: str) -> Iterator[str]:
    yield escape(section.text)
    if section.notes:
        yield f"{NOTES_BEGIN}\n\n{section.notes}\n\n{NOTES_END}"
    yield from (_figure(figure, links) for figure in section.figures)
    yield from (_shown(table) if len(table) <= LONG else _folded(table) for table in section.tables)
    yield from map(_folded, section.folded)
    if section.missing:
        first, *others = map(escape, section.missing)
        yield f"{first}:\n\n" + "\n".join(f"- {line}" for line in others)
    if section.runs is not None:
        yield from _runs(section.runs)


def _runs(runs: Runs) -> Iterator[str]:
    """How the runs were made; the runs themselves are for a page that can be searched."""
    if runs.common_of_models:
        shared = ", ".join(f"{name} = {value}" for name, value in runs.common_of_models.items())
        yield f"Every model: `{shared.replace('`', '')}`."
    if len(runs.by_model):
        yield _shown(runs.by_model)
    for versions, number in runs.versions:
        words = ", ".join(f"{name} {version}" for name, version in versions.items())
        yield f"{counted(number, 'run')} with {escape(words)}." if words else ""


def _figure(figure: Drawn, links: str) -> str:
    """A picture that follows the reader's theme, with its caption."""
    place = html.escape(quote(f"{links}/{figure.name}"))
    return (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="{place}-dark.svg">'
        f'<img src="{place}.svg" alt="{html.escape(figure.alt)}" width="640"></picture>\n\n'
        f"{escape(figure.caption)}"
    )


def _shown(table: Table) -> str:
    note = f"\n\n{escape(table.note)}" if table.note else ""
    return f"### {escape(table.title)}\n\n{markdown_table(table)}{note}"


def _folded(table: Table) -> str:
    note = f"{escape(table.note)}\n\n" if table.note else ""
    summary = html.escape(table.title)
    return f"<details>\n<summary>{summary}</summary>\n\n{note}{markdown_table(table)}\n\n</details>"


def _cell(cell: Cell) -> str:
    """A cell; the best of its group is bold."""
    text = f"**{escape(cell.text)}**" if cell.rank == 1 else escape(cell.text)
    return " ".join(filter(None, (text, escape(cell.beside), _RANKS[cell.rank])))


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
