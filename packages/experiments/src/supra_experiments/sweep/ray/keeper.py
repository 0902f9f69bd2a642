"""What becomes of every trial: the one place between what Tune says and what the journal keeps."""

import functools
import itertools
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from ray import tune
from ray.tune.experiment.trial import Trial

from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.journal import Failure, Journal
from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.ray.failures import (
    MAX_LOST,
    NODE_DIED,
    PATIENCE,
    Attempts,
    UnderWay,
    Vanished,
    dead_nodes,
    error_text,
    why_lost,
)
from supra_experiments.sweep.ray.interrupt import Interrupt
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.storage import SweepStorage
from supra_experiments.sweep.trial import PlannedRun, Runs
from supra_experiments.training.record import RunRecord

NextRuns = Callable[[], Runs | None]
"""Gives the next pack; None where there is none now."""


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
    """Hands out packs of runs, keeps what comes of each run, and has those tried again that failed.

    Retries are counted here and not by Tune, which cannot tell a run that fails from a node that dies.

    Args:
        packs: gives what to do next, a pack whose runs are trained as one; None where there is nothing, or
            nothing before other runs are over.
        journal: where finished runs are kept.
        storage: where the checkpoints are.
        progress: who is told.
        interrupt: asked to stop by the user, or here by an error.
        max_failures: how often a run that fails is tried again.
        search: whose trials those runs are that have settings of a search; the others leave a record each,
            which tells of the search that chose its settings.
        dead_nodes: the ids of nodes that are known to be dead.
        clock: seconds, of any origin.

    Attributes:
        packs: those that were handed out and are not over, by a name that Tune's trials have as well.
        unfinished: the names of the runs that are neither kept nor given up.
        error: the first that came up here.
    """

    def __init__(
        self,
        packs: NextRuns,
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
        self.packs: dict[str, UnderWay] = {}
        self.unfinished: set[str] = set()
        self.error: Exception | None = None
        self._dead_nodes, self._clock = dead_nodes, clock
        self._waiting, self._again, self._numbers = packs, deque[Runs](), itertools.count()
        self._attempts: defaultdict[str, Attempts] = defaultdict(Attempts)
        self._vanished: list[Vanished] = []

    def __getstate__(self) -> dict[str, Any]:
        """Nothing: Tune writes its callbacks to a file, but a sweep goes on from the journal."""
        return {}

    # ── what to run ────────────────────────────────────────────────────────────────────────────────────────

    def next(self) -> tuple[str, Runs] | None:
        """The next pack and its name; None when there is none now. What is unfinished may come again."""
        self.settle()
        runs = self._again.popleft() if self._again else self._waiting()
        if runs is None:
            return None
        name = str(next(self._numbers))
        self.packs[name] = UnderWay({run.name: run for run in runs})
        for run in runs:
            self.unfinished.add(run.name)
            self._attempts[run.name].begun += 1
        return name, runs

    # ── what Tune says ─────────────────────────────────────────────────────────────────────────────────────

    @_guarded
    def on_trial_start(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        """A pack began."""
        name = trial.config["pack"]
        for run in self.packs[name].left.values():
            self.progress.started(run.config, name)

    @_guarded
    def on_trial_result(
        self, iteration: int, trials: list[Trial], trial: Trial, result: dict, **info: Any
    ) -> None:
        """News of a pack; what is large is taken out, as Tune keeps copies."""
        pack = self.packs[trial.config["pack"]]
        pack.node = result.get("node", pack.node)
        for name, epoch, loss in result.pop("epochs", ()):
            self.progress.reported(pack.left[name].config, epoch, loss)
        for name, kind, value in result.pop("ended", ()):
            run = pack.left.pop(name)
            if kind == "record":
                self._finished(run, RunRecord.from_json(value))
            elif kind == "stopped":
                epochs, best, seconds = value
                self._searched(run, epochs=epochs, best=best, seconds=seconds, stopped_early=True)
            else:
                self._attempts[name].failed += 1
                self._decide((run,), *value)

    @_guarded
    def on_trial_complete(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        """A pack came to its end, or was interrupted."""
        self.packs.pop(trial.config["pack"], None)

    @_guarded
    def on_trial_error(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        """A worker is lost, or ended since a run failed: what had not come to its end is tried again.

        Of several runs it is not known which one is to blame, if any. They go on in two halves and none is
        counted as failed, until a run is alone with its worker.
        """
        pack = self.packs.pop(trial.config["pack"])
        runs = tuple(pack.left.values())
        if not runs:
            return
        kind, reason = why_lost(error_text(trial))
        if kind == "node":
            for run in runs:
                self._attempts[run.name].lost += 1
            self._decide(runs, kind, reason)
        elif len(runs) > 1:
            half = len(runs) // 2
            self._decide(runs[:half], kind, reason)
            self._decide(runs[half:], kind, reason)
        else:
            self._failed_alone(runs[0], pack.node, kind, reason)

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
                self._decide((run,), *(("node", NODE_DIED) if died else why_lost("")))

    def _failed_alone(self, run: PlannedRun, node: str | None, kind: str, reason: str) -> None:
        """A worker is lost with one run: try again, or wait for news of its node before giving up."""
        self._attempts[run.name].failed += 1
        if kind == "worker":
            before = set() if node is not None else self._dead_nodes()
            is_last = not self._may_try_again(run)
            self._vanished.append(Vanished(run, node, before, self._clock(), is_last))
            if is_last:
                return
        self._decide((run,), kind, reason)

    def _decide(self, runs: Runs, kind: str, reason: str) -> None:
        """Try those again, as one, that have attempts left, and give up the rest."""
        again = tuple(filter(self._may_try_again, runs))
        if again:
            self._again.append(again)
        for run in runs:
            if run not in again:
                self._give_up(run, kind, reason)
            self.progress.failed(run.config, reason, will_retry=run in again)

    def _may_try_again(self, run: PlannedRun) -> bool:
        attempts = self._attempts[run.name]
        return attempts.failed <= self.max_failures and attempts.lost < MAX_LOST

    def _finished(self, run: PlannedRun, record: RunRecord) -> None:
        """A run came to its end. It is on the disk before anything else happens."""
        if self._is_trial(run):
            self._searched(
                run,
                epochs=len(record.history),
                best=cast(Search, self.search).best_of(run, record),
                seconds=record.timings.training,
                diverged=record.diverged,
            )
            return
        if self.search is not None:
            record = replace(record, searched=self.search.found(Cell.of(run.config)))
        self.journal.add(record)
        self.unfinished.discard(run.name)
        self.storage.done_with(run.name)
        if record.diverged:
            self.progress.failed(run.config, Failure.diverged(record).reason, will_retry=False)
        else:
            self.progress.finished(run.config, record)

    def _searched(self, run: PlannedRun, *, has_failed: bool = False, **end: Any) -> None:
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
        if not has_failed:
            self.progress.finished(run.config, value=trial.value)

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
        if self._is_trial(run):
            self._searched(run, has_failed=True)

    def _is_trial(self, run: PlannedRun) -> bool:
        return self.search is not None and run.settings is not None
