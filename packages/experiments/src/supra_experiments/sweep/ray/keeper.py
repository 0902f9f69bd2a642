"""What becomes of every trial: the one place between what Tune says and what the journal keeps."""

import functools
import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from ray import tune
from ray.tune.experiment.trial import Trial

from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.journal import Failure, Journal, SearchTrial
from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.ray.failures import (
    MAX_LOST,
    NODE_DIED,
    PATIENCE,
    Attempts,
    Vanished,
    dead_nodes,
    error_text,
    why_lost,
)
from supra_experiments.sweep.ray.interrupt import Interrupt
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.storage import SweepStorage
from supra_experiments.sweep.trial import PlannedRun
from supra_experiments.training.record import RunRecord


def _guarded(method: Callable[..., None]) -> Callable[..., None]:
    """Keep an error of ours, a full disk say, and end the sweep: Tune would take it for one of the trial."""

    @functools.wraps(method)
    def call(self: "Keeper", *arguments: Any, **named: Any) -> None:
        if self.error is None:
            try:
                method(self, *arguments, **named)
            except Exception as error:
                self.error = error
                self.interrupt.asked = True

    return call


class Keeper(tune.Callback):
    """Hands out runs, keeps what comes of them, and has those tried again that failed.

    Retries are counted here and not by Tune, which cannot tell a run that fails from a node that dies.

    Args:
        runs: what to do, in this order.
        journal: where finished runs are kept.
        storage: where the checkpoints are.
        progress: who is told.
        interrupt: asked to stop by the user, or here by an error.
        max_failures: how often a run that fails is tried again.
        search: whose trials the runs are; None where each leaves a record.
        dead_nodes: the ids of nodes that are known to be dead.
        clock: seconds, of any origin.

    Attributes:
        runs: those that were handed out, by name.
        unfinished: the names of those that are neither kept nor given up.
        error: the first that came up here.
    """

    def __init__(
        self,
        runs: Iterator[PlannedRun],
        journal: Journal,
        storage: SweepStorage,
        progress: SweepProgress,
        interrupt: Interrupt,
        *,
        max_failures: int = 0,
        search: Search | None = None,
        dead_nodes: Callable[[], set[str]] = dead_nodes,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.journal, self.storage, self.progress, self.interrupt = journal, storage, progress, interrupt
        self.max_failures, self.search = max_failures, search
        self.runs: dict[str, PlannedRun] = {}
        self.unfinished: set[str] = set()
        self.error: Exception | None = None
        self._dead_nodes, self._clock = dead_nodes, clock
        self._waiting, self._again = runs, deque[PlannedRun]()
        self._attempts: dict[str, Attempts] = {}
        self._vanished: list[Vanished] = []

    def __getstate__(self) -> dict[str, Any]:
        """Nothing: Tune writes its callbacks to a file, but a sweep goes on from the journal."""
        return {}

    # ── what to run ────────────────────────────────────────────────────────────────────────────────────────

    def next(self) -> PlannedRun | None:
        """The next run; None when there is none now. What is unfinished may have to be run again."""
        self.settle()
        run = self._again.popleft() if self._again else next(self._waiting, None)
        if run is not None:
            self.runs[run.name] = run
            self.unfinished.add(run.name)
            attempts = self._attempts.setdefault(run.name, Attempts())
            attempts.begun += 1
            attempts.node = attempts.told = None
        return run

    def run_of(self, trial: Trial) -> PlannedRun:
        """What a trial is about."""
        return self.runs[trial.config["name"]]

    # ── what Tune says ─────────────────────────────────────────────────────────────────────────────────────

    @_guarded
    def on_trial_start(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        """A trial began."""
        self.progress.started(self.run_of(trial).config)

    @_guarded
    def on_trial_result(
        self, iteration: int, trials: list[Trial], trial: Trial, result: dict, **info: Any
    ) -> None:
        """An epoch, a record or the reason of a failure; what is large is taken out, as Tune keeps copies."""
        run = self.run_of(trial)
        record, failure = result.pop("record", None), result.pop("failure", None)
        if record is not None:
            self._finished(run, RunRecord.from_json(record))
        elif failure is not None:
            self._attempts[run.name].told = tuple(failure)
        else:
            self._attempts[run.name].node = result.get("node", self._attempts[run.name].node)
            self.progress.reported(run.config, result["epoch"], result["loss"])

    @_guarded
    def on_trial_complete(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        """A trial came to its end, or was stopped early by the search."""
        run = self.run_of(trial)
        if run.name in self.unfinished and self.search is not None and not self.interrupt.asked:
            last = trial.last_result or {}
            score = last.get("score", -math.inf)
            ended = self._searched(run, epochs=last.get("epoch", 0), score=score, stopped_early=True)
            self.progress.finished(run.config, value=ended.value)

    @_guarded
    def on_trial_error(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        """An attempt failed: try again, wait for news of its node, or give up."""
        run = self.run_of(trial)
        if run.name not in self.unfinished:
            return  # its record came before its worker died
        attempts = self._attempts[run.name]
        kind, reason = attempts.told or why_lost(error_text(trial))
        if kind == "node":
            attempts.lost += 1
        else:
            attempts.failed += 1
        if kind == "worker":
            before = set() if attempts.node is not None else self._dead_nodes()
            is_last = not self._may_try_again(run)
            self._vanished.append(Vanished(run, attempts.node, before, self._clock(), is_last))
            if is_last:
                return
        self._decide(run, kind, reason)

    @_guarded
    def on_step_end(self, iteration: int, trials: list[Trial], **info: Any) -> None:
        """Time to see to what could not be settled at once."""
        self.settle()
        self.storage.settle()

    # ── what is done about it ──────────────────────────────────────────────────────────────────────────────

    def settle(self) -> None:
        """Act on what is known by now of workers that vanished: a node's death is no failure of a run."""
        if not self._vanished:
            return
        dead, now = self._dead_nodes(), self._clock()
        for vanished in list(self._vanished):
            run, node = vanished.run, vanished.node
            # Any node that died meanwhile may have been the one that nobody knows.
            died = node in dead if node is not None else bool(dead - vanished.dead_before)
            if not died and now - vanished.since < PATIENCE:
                continue
            self._vanished.remove(vanished)
            attempts = self._attempts[run.name]
            if died:
                attempts.failed -= 1
                attempts.lost += 1
            if vanished.is_last:
                self._decide(run, *(("node", NODE_DIED) if died else why_lost("")))

    def _decide(self, run: PlannedRun, kind: str, reason: str) -> None:
        """Try again what has attempts left, give up the rest."""
        will_retry = self._may_try_again(run)
        if will_retry:
            self._again.append(run)
        else:
            self._give_up(run, kind, reason)
        self.progress.failed(run.config, reason, will_retry=will_retry)

    def _may_try_again(self, run: PlannedRun) -> bool:
        attempts = self._attempts[run.name]
        return attempts.failed <= self.max_failures and attempts.lost < MAX_LOST

    def _finished(self, run: PlannedRun, record: RunRecord) -> None:
        """A run came to its end. It is on the disk before anything else happens."""
        if self.search is not None:
            best, epochs = self.search.score(run, record), len(record.history)
            ended = self._searched(run, epochs=epochs, score=best, diverged=record.diverged)
            self.progress.finished(run.config, value=ended.value)
            return
        self.journal.add(record)
        self.unfinished.discard(run.name)
        self.storage.done_with(run.name)
        if record.diverged:
            self.progress.failed(run.config, Failure.diverged(record).reason, will_retry=False)
        else:
            self.progress.finished(run.config, record)

    def _searched(self, run: PlannedRun, **end: Any) -> SearchTrial:
        """A trial of a search is over. The checkpoint of the best saves its run from being trained again."""
        assert self.search is not None
        before = self.search.best_run(Cell.of(run.config))
        trial = self.search.ended(run, **end)
        self.journal.add_search(trial)
        self.unfinished.discard(run.name)
        best = self.search.best_run(trial.cell)
        for other in (run, before):
            if other is not None and (best is None or other.name != best.name):
                self.storage.done_with(other.name)
        return trial

    def _give_up(self, run: PlannedRun, kind: str, reason: str) -> None:
        self.journal.add_failure(
            Failure(
                digest=run.config.digest,
                cell=Cell.of(run.config),
                seed=run.config.training.seed,
                reason=reason,
                kind=kind,
                attempts=self._attempts[run.name].begun,
            )
        )
        self.unfinished.discard(run.name)
        if self.search is not None:
            self._searched(run)
