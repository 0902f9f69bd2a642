"""A sweep while it runs: a live table where someone watches, lines elsewhere."""

import math
import statistics
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from supra_experiments.cli.output import console, duration, number
from supra_experiments.config import PES
from supra_experiments.protocol.baselines import BASELINES
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.progress import CellProgress, Event, Running, Snapshot, SweepProgress
from supra_experiments.training.record import RunRecord

MAX_RUNNING = 8
"""Rows of runs in progress that the live table has at most."""

_AROUND = 3
"""Lines of a part of it beside its rows."""


@contextmanager
def shown(name: str, progress: SweepProgress) -> Iterator[None]:
    """Show a sweep while it runs, on standard error."""
    errors = console(stderr=True)
    if not errors.is_terminal:
        progress.on_event = Lines(progress)
        yield
        return
    view = LiveView(name, progress, errors)
    with Live(
        console=errors,
        get_renderable=view.render,
        refresh_per_second=2,
        transient=True,
        redirect_stdout=False,
    ) as live:
        progress.on_event = lambda event: _above(live.console, event)
        yield


def tell(text: str) -> None:
    """A line on standard error, however long: a log has one a run, and a command can be copied."""
    print(text, file=sys.stderr, flush=True)


# ── lines ──────────────────────────────────────────────────────────────────────────────────────────────────


class Lines:
    """One line for each run that ends, for logs."""

    def __init__(self, progress: SweepProgress) -> None:
        self.progress = progress
        self._told_kept = self._told_dashboard = False

    def __call__(self, event: Event) -> None:
        """Print what happened."""
        if event.kind == "kept":
            return
        now = self.progress.snapshot()
        if now.num_kept and not self._told_kept and event.kind != "note":
            self._told_kept = True
            tell(f"{now.num_kept} of {now.num_total} were finished before and are kept")
        if self.progress.dashboard_url and not self._told_dashboard:
            self._told_dashboard = True
            tell(f"Ray's dashboard: {self.progress.dashboard_url}")
        if event.kind != "started":
            left = "" if now.seconds_left is None else f", {duration(now.seconds_left)} left"
            place = f"[{now.num_done + now.num_failed}/{now.num_total}{left}] "
            tell(_line(event) if event.kind == "note" else place + _line(event))


def _line(event: Event) -> str:
    if event.config is None:
        return event.text
    name = f"{Cell.of(event.config).name} seed {event.config.training.seed}"
    if event.kind == "failed":
        return f"{name}: failed: {event.text}"
    if event.kind == "retried":
        return f"{name}: tried again: {event.text}"
    if event.record is not None:
        return f"{name}: {_outcome(event.record)}"
    return f"{name}: trial, criterion {number(math.nan if event.value is None else event.value, 4)}"


def _outcome(record: RunRecord) -> str:
    auc = f"test AUC {number(100 * record.test.auc)}"
    if not record.config.model.is_learned:
        return auc
    what = "diverged" if record.diverged else f"epoch {record.best_epoch} of {len(record.history)}"
    return f"{auc} ({what}, {record.timings.training:.1f} s)"


# ── the live table ─────────────────────────────────────────────────────────────────────────────────────────


def _above(errors: Console, event: Event) -> None:
    """What should stay on the screen above the table: all that is not as it should be."""
    if event.kind in ("failed", "retried", "note"):
        errors.print(escape(_line(event)), style="dim" if event.kind == "note" else "yellow")


class LiveView:
    """The state of a sweep as a table that fits the terminal."""

    def __init__(self, name: str, progress: SweepProgress, errors: Console) -> None:
        self.name, self.progress, self.errors = name, progress, errors

    def render(self) -> RenderableType:
        """This moment."""
        now = self.progress.snapshot()
        parts: list[RenderableType] = [self._head(now), self._bar(now)]
        # Lines that are left beside these, the last one of the screen, and what is around the rows.
        num_rows = self.errors.height - 4 - 2 * _AROUND
        packs: dict[str, list[Running]] = {}
        for part in now.running:
            packs.setdefault(part.pack, []).append(part)
        num_running = min(len(packs), MAX_RUNNING, max(1, num_rows // 2))
        if num_rows >= 2 and packs:
            parts.append(_running(list(packs.values()), num_running))
        if num_rows >= 2 and any(cell.model not in BASELINES for cell in now.cells):
            parts.append(_best(now.cells, num_rows - num_running))
        return Group(*parts)

    def _head(self, now: Snapshot) -> Text:
        counts = [
            f"{now.num_done} of {now.num_total} done" + (f" ({now.num_kept} before)" if now.num_kept else ""),
            f"{len(now.running)} running",
            f"{now.num_failed} failed",
        ]
        if now.num_retried:
            counts.append(f"{now.num_retried} tried again")
        text = Text(f"{self.name}: ", style="bold", no_wrap=True, overflow="ellipsis").append(
            ", ".join(counts), style="not bold"
        )
        if self.progress.dashboard_url:
            text.append(f"\nRay's dashboard: {self.progress.dashboard_url}", style="dim not bold")
        return text

    def _bar(self, now: Snapshot) -> RenderableType:
        left = "time left not known yet" if now.seconds_left is None else f"{duration(now.seconds_left)} left"
        if not (self.progress.dashboard_url or now.running or now.num_done):
            left = "starting"
        row = Table.grid(padding=(0, 1))
        over = now.num_done + now.num_failed
        row.add_row(
            ProgressBar(total=max(now.num_total, 1), completed=over, width=30),
            f"{duration(now.seconds)} gone, {left}",
        )
        return row


def _running(packs: Sequence[Sequence[Running]], num_rows: int) -> Group:
    table = _table("running", "seed", "epoch", "loss")
    # The last row is for those that have none.
    num_listed = num_rows if len(packs) <= num_rows else num_rows - 1
    for pack in packs[:num_listed]:
        table.add_row(*_row(pack))
    if left := sum(map(len, packs[num_listed:])):
        table.add_row(f"… {left} more", "", "", "")
    return Group("", table)


def _row(pack: Sequence[Running]) -> tuple[str, str, str, str]:
    """A run alone, or those of a pack in one: what they have in common, the last in epochs, the mean loss."""
    cells = [Cell.of(part.config) for part in pack]
    last = min(pack, key=lambda part: part.epoch)
    return (
        cells[0].name if len(set(cells)) == 1 else f"{cells[0].dataset} {cells[0].model}, {len(pack)} as one",
        _span([part.config.training.seed for part in pack]),
        f"{last.epoch} of {last.config.training.max_epochs}" if last.epoch else "starting",
        number(statistics.mean(part.loss for part in pack), 4),
    )


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low}–{high}"


def _best(cells: dict[Cell, CellProgress], max_rows: int) -> Group:
    """Mean test AUC so far, encodings side by side; the rows with the latest news where not all fit."""
    encodings = [pe for pe in PES if any(cell.pe == pe for cell in cells if cell.model not in BASELINES)]
    rows: dict[tuple[str, str, str], dict[str, str]] = {}
    for cell, part in cells.items():
        if cell.model not in BASELINES:
            key = (cell.dataset, cell.model, cell.features)
            # The newest news last.
            rows[key] = {**rows.pop(key, {}), cell.pe: _news(part)}
    table = _table("AUC so far", *encodings)
    for key in list(rows)[-max_rows:]:
        table.add_row(" ".join(key), *(rows[key].get(pe, "") for pe in encodings))
    return Group("", table)


def _news(part: CellProgress) -> str:
    if not math.isnan(part.auc):
        return number(100 * part.auc, 1)
    if part.best is not None:
        return f"({part.best:.3f})"  # the best of the search's criterion so far
    return "failed" if part.num_failed else "–"


def _table(*columns: str) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim"
    )
    for position, name in enumerate(columns):
        table.add_column(name, justify="right" if position else "left", no_wrap=True)
    return table
