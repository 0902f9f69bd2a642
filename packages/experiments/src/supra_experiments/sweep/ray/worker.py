"""A trial, that is a pack of runs, in its worker, and the encodings that trials share."""

import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray import train, tune
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from supra_experiments.datasets import Dataset
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.halving import milestones
from supra_experiments.sweep.storage import CheckpointStore
from supra_experiments.sweep.trial import Best, Outcome, PlannedRun, StoppedEarly, describe, run_pack
from supra_experiments.training.record import EpochRecord, RunRecord

# Up to Ray 2.42 it was at home in ray.train.
report = tune.report if hasattr(tune, "report") else train.report

REMOVAL_SECONDS = 10.0
"""How long to wait for nodes that remove their encodings."""
REPORT_SECONDS = 1.0
"""How long news of epochs wait for others; a report takes longer than an epoch of a small pack."""


@dataclass(frozen=True)
class Shared:
    """What all trials have in common, small enough to travel with each: data is in Ray's object store.

    Attributes:
        datasets: references to them, by the digests of their graphs.
        encodings: the name of a folder, which each node has for itself.
        store: where checkpoints are.
        objective: what a trial computes instead of ``try_pack``.
        halving: the actor that remembers what trials of a search came to; None where none is stopped early.
    """

    datasets: dict[str, Any]
    encodings: str
    store: CheckpointStore
    objective: Any
    halving: Any = None

    def dataset(self, graph_digest: str) -> Dataset:
        """The dataset, held once a process."""
        key = self.datasets[graph_digest].hex()
        if key not in _HELD:
            _HELD[key] = ray.get(self.datasets[graph_digest])
        return _HELD[key]

    def goes_on(self, cell: str, run: str, epoch: int, score: float) -> bool:
        """Whether a trial of a search is worth going on."""
        return self.halving is None or ray.get(self.halving.goes_on.remote(cell, run, epoch, score))


_HELD: dict[str, Dataset] = {}


def trial(settings: dict[str, Any], shared: Shared) -> None:
    """The function that Tune runs in a worker."""
    runs = [PlannedRun.from_dict(values) for values in settings["runs"]]
    report({"node": ray.get_runtime_context().get_node_id()})
    news = News(report, shared.goes_on)
    run_pack(
        runs,
        dataset=shared.dataset(runs[0].graph_digest),
        objective=shared.objective or _try_pack(),
        store=shared.store,
        on_epoch=news.epoch,
        on_outcome=news.outcome,
        cache=_encodings(shared.encodings),
        device=_device(),
    )
    if news.error is not None:  # told already; a process in which a run failed is not used again
        raise news.error


class News:
    """What a pack tells the sweep: epochs now and then, the end of a run at once.

    Args:
        report: where to.
        goes_on: asked at milestones, see :class:`~supra_experiments.sweep.halving.Halving`.
        clock: seconds, of any origin.

    Attributes:
        error: of the last run that failed.
    """

    def __init__(
        self,
        report: Callable[[dict[str, Any]], object],
        goes_on: Callable[[str, str, int, float], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.error: Exception | None = None
        self._report, self._goes_on, self._clock = report, goes_on, clock
        self._epochs: dict[str, tuple[str, int, float]] = {}
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._due = clock()

    def epoch(self, run: PlannedRun, epoch: EpochRecord, best: Best) -> None:
        """An epoch is over.

        Raises:
            StoppedEarly: the run is not worth going on.
        """
        self._epochs[run.name] = (run.name, epoch.epoch, epoch.loss)
        self._seconds[run.name] += epoch.seconds
        if self._clock() >= self._due:
            self._send()
        if run.settings is not None and epoch.epoch in milestones(run.config.training):
            goes_on = self._goes_on(Cell.of(run.config).name, run.name, epoch.epoch, best.score)
            # What is found should be at least as good as the default settings: these always finish.
            if run.settings and not goes_on:
                raise StoppedEarly(epoch.epoch, best, self._seconds[run.name])

    def outcome(self, run: PlannedRun, outcome: Outcome) -> None:
        """A run is over."""
        kind: str
        value: Any
        if isinstance(outcome, RunRecord):
            kind, value = "record", outcome.to_json()
        elif isinstance(outcome, StoppedEarly):
            kind, value = "stopped", (outcome.epochs, outcome.best, outcome.seconds)
        else:
            kind, value = "failure", describe(outcome)
            self.error = outcome
        self._send(ended=[(run.name, kind, value)])

    def _send(self, **more: Any) -> None:
        self._report({"epochs": list(self._epochs.values()), **more})
        self._epochs.clear()
        self._due = self._clock() + REPORT_SECONDS


def _try_pack() -> Any:  # PyTorch, which not all trials need
    from supra_experiments.training.pack_fit import try_pack

    return try_pack


def _device() -> str | None:
    """The GPU that Ray gave to this trial, if PyTorch can use it; else what the settings say."""
    if not ray.get_gpu_ids():
        return None
    import torch

    return "cuda" if torch.cuda.is_available() else None


# ── encodings, computed once on each node ──────────────────────────────────────────────────────────────────


def _encodings(name: str) -> Path:
    """The folder on this node; a node has its own idea of where such folders are."""
    return Path(tempfile.gettempdir()) / name


def remove_encodings(name: str) -> None:
    """Remove the folder from all nodes that are alive, as far as they do it soon."""

    @ray.remote(num_cpus=0)
    def remove() -> None:
        shutil.rmtree(_encodings(name), ignore_errors=True)

    alive = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
    if _encodings(name).exists():
        shutil.rmtree(_encodings(name), ignore_errors=True)
        if len(alive) == 1:  # this machine, which need not start a process for it
            return
    there = [NodeAffinitySchedulingStrategy(node_id=node, soft=False) for node in alive]
    tasks = [remove.options(scheduling_strategy=place).remote() for place in there]
    if tasks:
        ray.wait(tasks, num_returns=len(tasks), timeout=REMOVAL_SECONDS)
