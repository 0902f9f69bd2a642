"""What the command writes: tables and lines for people, JSON for machines, progress on a terminal."""

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table


def console(*, stderr: bool = False) -> Console:
    """A console on the stream as it is now; wide enough for a table where it is no terminal."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else 140, highlight=False, soft_wrap=False)


def print_json(value: Any) -> None:
    """One line of JSON on standard output; NaN becomes null."""
    print(json.dumps(_plain(value), allow_nan=False, ensure_ascii=False))


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any] | None], *, numbers: int = 1
) -> None:
    """A table; columns from the one at position ``numbers`` on are right-aligned, None is a rule."""
    cells = [None if row is None else [str(cell) for cell in row] for row in rows]
    texts = [[row[position] for row in cells if row is not None] for position in range(len(columns))]
    least = [_least_width(name, column) for name, column in zip(columns, texts, strict=True)]
    screen = console()
    table = Table(
        title=escape(title),
        title_justify="left",
        title_style="bold",
        header_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1 if sum(least) + 2 * len(least) <= screen.width else 0, 0, 0),
    )
    for position, name in enumerate(columns):
        justify: Literal["left", "right"] = "right" if position >= numbers else "left"
        # A column that cannot be narrower says so, or rich narrows it first, widens it again and cuts others.
        whole = least[position] >= max(map(len, [name, *texts[position]]))
        table.add_column(name, justify=justify, min_width=least[position], no_wrap=whole)
    for row in cells:
        if row is None:
            table.add_section()
        else:
            table.add_row(*map(escape, row))
    screen.print(table)


def print_rows(
    title: str,
    columns: Mapping[str, Callable[[Any], object]],
    records: Iterable[Any],
    *,
    numbers: int = 1,
) -> None:
    """A table with a row for each record; columns say by their headers what they show of it."""
    rows = [[show(record) for show in columns.values()] for record in records]
    print_table(title, list(columns), rows, numbers=numbers)


def _least_width(name: str, texts: Sequence[str]) -> int:
    """On a narrow terminal headers wrap between words, and long texts, but never a number or a name."""
    words = [len(word) for text in texts for word in text.split()]
    longest = max(map(len, texts), default=0)
    return max(min(longest, 16), min(max(words, default=0), 40), *map(len, name.split()), 0)


def say(text: str) -> None:
    """A line for people on standard output; may hold rich markup."""
    console().print(text)


def note(text: str) -> None:
    """A line on standard error: what is piped on holds results alone."""
    console(stderr=True).print(escape(text), style="dim")


class Bar:
    """A progress bar on a terminal, nothing elsewhere."""

    def __init__(self, progress: Progress | None, task: Any) -> None:
        self._progress, self._task = progress, task

    def update(self, done: float, total: float | None = None, text: str | None = None) -> None:
        """Move the bar, and change its text."""
        if self._progress is not None:  # what is None stays as it was
            described = None if text is None else escape(text)
            self._progress.update(self._task, completed=done, total=total, description=described)


@contextmanager
def progress_bar(text: str, total: float | None = None) -> Iterator[Bar]:
    """A bar that disappears when the work is done."""
    errors = console(stderr=True)
    if not errors.is_terminal:
        yield Bar(None, None)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True) as progress:
        yield Bar(progress, progress.add_task(escape(text), total=total))


def solver_name(solver: str) -> str:
    """What solved: of ``Auto``, the solver that it chose.

    Example:
        >>> solver_name("Auto(tol=1e-06) -> Davidson(tol=1e-06)"), solver_name("LOBPCG(max_steps=20)")
        ('Davidson', 'LOBPCG')
    """
    return solver.rpartition("->")[2].strip().partition("(")[0]


def duration(seconds: float) -> str:
    """A time for people.

    Example:
        >>> duration(0.0421), duration(1.26), duration(42.3), duration(190), duration(9000), duration(400000)
        ('42 ms', '1.3 s', '42 s', '3 min', '2.5 h', '4.6 days')
    """
    if 0 < seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if 1 <= seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    if seconds < 72 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.1f} days"


def number(value: float, digits: int = 2) -> str:
    """A number of fixed digits; a dash for NaN.

    Example:
        >>> number(2.345, 1), number(-0.001), number(math.nan)
        ('2.3', '0.00', '–')
    """
    # Adding 0 turns −0 into 0.
    return "–" if math.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if hasattr(value, "item"):  # a NumPy scalar
        value = value.item()
    if isinstance(value, float):
        return value + 0.0 if math.isfinite(value) else None  # adding 0 turns −0 into 0
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)
