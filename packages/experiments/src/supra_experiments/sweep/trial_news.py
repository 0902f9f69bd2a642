"""What becomes of the news of trials: who hears of a record, and whose fault a failure is."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from supra_experiments.sweep.book import Book, Grid, Task
from supra_experiments.sweep.lost_workers import MAX_LOST, Suspicions, why_lost
from supra_experiments.sweep.search import Search
from supra_experiments.training.record import RunRecord

Reason = tuple[str, str]
"""The kind of a failure, and a line for people."""


@dataclass
class News:
    """Passes the news of trials on to the book, and tells what to do about failures.

    Attributes:
        book: where everything goes.
        source: where the tasks come from, and go back to if a node took them away.
        dead_nodes: the ids of nodes that are known to be dead.
        forgive: called with the name of a trial whose failure was its node's, and is not to be counted.
        num_lost: trials that are to be run again because their node died.
    """

    book: Book
    source: Grid | Search
    dead_nodes: Callable[[], set[str]]
    forgive: Callable[[str], None]
    num_lost: int = 0
    _reasons: dict[str, Reason] = field(default_factory=dict)
    _nodes: dict[str, str] = field(default_factory=dict)
    _ended: dict[str, tuple[Task, Reason]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._suspicions = Suspicions(self.dead_nodes)

    # ── while it runs ──────────────────────────────────────────────────────────────────────────────────────

    def started(self, task: Task) -> None:
        """A trial begins, or begins again; where is not known yet."""
        self._nodes.pop(task.name, None)
        self.book.started(task)

    def reported(self, task: Task, result: dict[str, Any]) -> None:
        """A trial reported; what is large is taken out of the report, of which Tune keeps copies."""
        record, failure = result.pop("record", None), result.pop("failure", None)
        if failure is not None:
            self._reasons[task.name] = failure
        elif record is None:
            if "node" in result:
                self._nodes[task.name] = result["node"]
            self.book.reported(task, result["epoch"], result["loss"])
        elif isinstance(self.source, Search):
            self.source.finished(task, RunRecord.from_json(record), self.book)
        else:
            self.book.finished(task, RunRecord.from_json(record))

    def completed(self, task: Task, last: Mapping[str, Any]) -> None:
        """A trial ended without failure, with this last report."""
        if isinstance(self.source, Search):
            self.source.stopped(task, last, self.book)

    # ── failures ───────────────────────────────────────────────────────────────────────────────────────────

    def retried(self, task: Task, message: str) -> None:
        """An attempt failed with these words of Ray, and there will be another."""
        kind, reason = self._reason(task, message)
        if kind == "node":
            self.forgive(task.name)
        self.book.retried(task, reason)

    def failed(self, task: Task, message: str) -> None:
        """The last attempt failed with these words of Ray."""
        self._ended[task.name] = (task, self._reason(task, message))
        self.settle()

    def settle(self) -> None:
        """Act on what is known by now of workers that vanished."""
        for name, node_died in self._suspicions.settled():
            if node_died:
                self.forgive(name)
                if name in self._ended:
                    self._ended[name] = (self._ended[name][0], ("node", "its node died"))
        for name, (task, reason) in list(self._ended.items()):
            if not self._suspicions.has(name):
                del self._ended[name]
                self._end(task, *reason)

    def wait(self, stopped: Callable[[], bool]) -> None:
        """Until it is known of every trial that ended why it did, or someone asked to stop."""
        while self._ended and not stopped():
            time.sleep(0.2)
            self.settle()

    def _end(self, task: Task, kind: str, reason: str) -> None:
        if kind == "node" and self.book.lost(task) < MAX_LOST:
            self.num_lost += 1
            self.source.lost(task)
            self.book.retried(task, reason)
            return
        self.book.failed(task, kind, reason)
        if isinstance(self.source, Search):
            self.source.failed(task, self.book)

    def _reason(self, task: Task, message: str) -> Reason:
        """Why a trial failed; a worker that vanished may have gone with its node, which shows later."""
        told = self._reasons.pop(task.name, None)
        if told is not None:
            return told
        kind, reason = why_lost(message)
        if kind == "worker":
            self._suspicions.add(task.name, self._nodes.get(task.name))
        return kind, reason
