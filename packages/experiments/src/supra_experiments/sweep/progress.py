"""How far a sweep is: numbers only, drawn by the command."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from supra_experiments.config import Config
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.held_out import Criterion
from supra_experiments.training.record import RunRecord

EventKind = Literal["started", "kept", "finished", "retried", "failed", "note"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, for whoever prints lines.

    Attributes:
        kind: what.
        config: the run; None for a note.
        record: where the run left one.
        value: of the criterion, in a trial of a search.
        text: the reason of a failure, or the note.
    """

    kind: EventKind
    config: Config | None = None
    record: RunRecord | None = None
    value: float | None = None
    text: str = ""


@dataclass(slots=True)
class Running:
    """A run in progress; those of one pack train as one."""

    config: Config
    since: float
    epoch: int = 0
    loss: float = math.nan
    first_epoch: int = 0
    pack: str = ""

    @property
    def share(self) -> float:
        """How much of it was done here, of all epochs it may have."""
        num_epochs = self.epoch - self.first_epoch + 1 if self.first_epoch else 0
        return num_epochs / max(self.config.training.max_epochs, num_epochs, 1)


@dataclass(slots=True)
class CellProgress:
    """What is known of a cell.

    Attributes:
        aucs: test AUC of each finished run, shares in 0 .. 1.
        best: of the search's criterion, None before any.
        num_trials: finished trials of its search.
        num_failed: runs that were given up.
    """

    aucs: list[float] = field(default_factory=list)
    best: float | None = None
    num_trials: int = 0
    num_failed: int = 0

    @property
    def auc(self) -> float:
        """The mean over finished runs that did not diverge; NaN without any."""
        known = [auc for auc in self.aucs if not math.isnan(auc)]
        return sum(known) / len(known) if known else math.nan


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment of a sweep, for drawing.

    Attributes:
        num_total: runs and trials in all.
        num_done: finished, those kept from before included.
        num_kept: finished before this start.
        num_failed: given up.
        num_retried: attempts that failed and were tried again.
        running: what runs now, longest first.
        cells: by cell, in the order of their first news.
        seconds: since the start.
        seconds_left: None where nothing is known yet.
    """

    num_total: int
    num_done: int
    num_kept: int
    num_failed: int
    num_retried: int
    running: tuple[Running, ...]
    cells: dict[Cell, CellProgress]
    seconds: float
    seconds_left: float | None


class SweepProgress:
    """The state of a sweep; safe to tell and to ask from any thread.

    Args:
        num_total: runs and trials in all; may be set later.
        weigh: how long a run takes beside others, in whatever unit; equal where not given.
        weight_total: of all runs and trials; as those so far on average where not given.
        selection: what a search makes best in a cell; the training loss where not given.
        on_event: told what happens, one call after another.
        clock: seconds, of any origin.

    Attributes:
        dashboard_url: where Ray's dashboard is, None where there is none or not yet.

    Example:
        >>> progress = SweepProgress(num_total=2)
        >>> progress.started(Config(seed=0))
        >>> progress.reported(Config(seed=0), epoch=1, loss=0.7)
        >>> progress.failed(Config(seed=0), "out of memory", will_retry=True)
        >>> progress.snapshot().num_retried
        1
    """

    def __init__(
        self,
        num_total: int = 0,
        *,
        weigh: Callable[[Config], float] | None = None,
        weight_total: float | None = None,
        selection: Callable[[Cell], Criterion] | None = None,
        on_event: Callable[[Event], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.num_total = num_total
        self.dashboard_url: str | None = None
        self.on_event = on_event
        self._weigh = weigh or (lambda run: 1.0)
        self._weight_total = weight_total
        self._selection = selection or _training_loss
        self._clock = clock
        self._start = clock()
        # When the first run began: a cluster takes its time to come up, which says nothing of the runs.
        self._work_start: float | None = None
        # One lock for the state; listeners are called under a second, so that they may ask for a snapshot.
        self._state = threading.RLock()
        self._events = threading.RLock()
        self._running: dict[str, Running] = {}
        self._cells: dict[Cell, CellProgress] = {}
        self._num_done = self._num_kept = self._num_failed = self._num_retried = 0
        # What was done here, and what was found done already.
        self._weight_done = self._weight_kept = 0.0

    # ── what the sweep tells ───────────────────────────────────────────────────────────────────────────────

    def started(self, run: Config, pack: str = "") -> None:
        """A run or trial begins, or begins again; ``pack`` names those that train as one."""
        with self._state:
            self._running[run.digest] = Running(run, self._begin(), pack=pack or run.digest)
        self._tell(Event("started", run))

    def reported(self, run: Config, epoch: int, loss: float) -> None:
        """An epoch is over; says by itself that the run has started."""
        with self._state:
            running = self._running.setdefault(run.digest, Running(run, self._begin(), pack=run.digest))
            # A run that goes on from a checkpoint did not do its first epochs here.
            running.first_epoch = running.first_epoch or epoch
            running.epoch, running.loss = epoch, loss

    def finished(self, run: Config, record: RunRecord | None = None, *, value: float | None = None) -> None:
        """A run left its record, or a trial of a search the value of its criterion.

        Args:
            run: the settings it was started with.
            record: of a run.
            value: of a trial, None where it has none.
        """
        self._over("finished", run, record, value)

    def kept(self, run: Config, record: RunRecord | None = None, *, value: float | None = None) -> None:
        """A run or trial that was finished before this start; arguments as of :meth:`finished`."""
        self._over("kept", run, record, value)

    def failed(self, run: Config, reason: str, will_retry: bool) -> None:
        """An attempt failed."""
        with self._state:
            self._running.pop(run.digest, None)
            if will_retry:
                self._num_retried += 1
            else:
                self._num_failed += 1
                self._weight_done += self._weigh(run)
                self._cell(run).num_failed += 1
        self._tell(Event("retried" if will_retry else "failed", run, text=reason))

    def note(self, text: str) -> None:
        """A line for people."""
        self._tell(Event("note", text=text))

    # ── what is asked ──────────────────────────────────────────────────────────────────────────────────────

    def snapshot(self) -> Snapshot:
        """This moment."""
        with self._state:
            now = self._clock()
            return Snapshot(
                num_total=max(self.num_total, self._num_done + self._num_failed + len(self._running)),
                num_done=self._num_done,
                num_kept=self._num_kept,
                num_failed=self._num_failed,
                num_retried=self._num_retried,
                running=tuple(
                    replace(part) for part in sorted(self._running.values(), key=lambda part: part.since)
                ),
                cells={cell: replace(part, aucs=list(part.aucs)) for cell, part in self._cells.items()},
                seconds=now - self._start,
                seconds_left=self._seconds_left(now),
            )

    def _seconds_left(self, now: float) -> float | None:
        """What is left to do over the rate so far; None before the first run is over."""
        num_over = self._num_done + self._num_failed
        num_left = self.num_total - num_over
        start = self._start if self._work_start is None else self._work_start
        if num_over == self._num_kept or num_left < 0 or now <= start:
            return None
        begun = sum(self._weigh(part.config) * part.share for part in self._running.values())
        over = self._weight_done + self._weight_kept
        total = self._weight_total
        if total is None or total <= over:
            total = over * self.num_total / num_over
        left = max(total - over - begun, 0.0)
        rate = (self._weight_done + begun) / (now - start)
        return left / rate if num_left and rate > 0 else 0.0

    def _begin(self) -> float:
        now = self._clock()
        if self._work_start is None:
            self._work_start = now
        return now

    def _over(self, kind: EventKind, run: Config, record: RunRecord | None, value: float | None) -> None:
        with self._state:
            self._running.pop(run.digest, None)
            self._num_done += 1
            if kind == "kept":
                self._num_kept += 1
                self._weight_kept += self._weigh(run)
            else:
                self._weight_done += self._weigh(run)
            cell = self._cell(run)
            if record is not None:
                cell.aucs.append(record.test.auc)
            else:
                cell.num_trials += 1
            if value is not None and not math.isnan(value):
                better = min if self._selection(Cell.of(run)) == "train_loss" else max
                cell.best = value if cell.best is None else better(cell.best, value)
        self._tell(Event(kind, run, record, value))

    def _cell(self, run: Config) -> CellProgress:
        return self._cells.setdefault(Cell.of(run), CellProgress())

    def _tell(self, event: Event) -> None:
        if self.on_event is not None:
            with self._events:
                self.on_event(event)


def _training_loss(cell: Cell) -> Criterion:
    return "train_loss"
