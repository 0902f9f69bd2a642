"""Tasks on a cluster: Tune runs them, in the sweep's own process."""

import logging
import os
import tempfile
import time
import uuid
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import ray
from ray import tune
from ray.train._internal import storage as tune_storage
from ray.tune.execution.placement_groups import PlacementGroupFactory
from ray.tune.schedulers import FIFOScheduler, TrialScheduler

from supra_experiments.cluster.connect import connect
from supra_experiments.datasets import Dataset
from supra_experiments.errors import SweepError
from supra_experiments.sweep.book import Book, Grid, Task
from supra_experiments.sweep.interrupts import Interrupt
from supra_experiments.sweep.ray.tune_parts import Halving, Recorder, Stop, Tasks
from supra_experiments.sweep.ray.worker import Shared, remove_encodings, trial
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.types import Resources

MAX_PENDING = {Grid: 16, Search: 2}
"""Trials that wait for their resources at a time: enough that no worker is let go between two of them; a
search had better not ask for many before it knows what came of the last ones."""

os.environ.update(
    # Nobody reads Tune's own tables; records hold more, and writing those costs time in every trial.
    TUNE_DISABLE_AUTO_CALLBACK_LOGGERS="1",
    # Interrupts are this module's to handle, and so are failures.
    TUNE_DISABLE_SIGINT_HANDLER="1",
    TUNE_PRINT_ALL_TRIAL_ERRORS="0",
    TUNE_DISABLE_STRICT_METRIC_CHECKING="1",
    # The silence of verbose=0 is the old output's; the new one draws a table even so.
    RAY_AIR_NEW_OUTPUT="0",
    # Paths mean in a trial what they mean here.
    RAY_CHDIR_TO_TRIAL_DIR="0",
)

_LOCAL = {
    # A worker that encodes has imported PyTorch: worth keeping for the next encoding.
    "RAY_idle_worker_killing_time_threshold_ms": "600000",
}
"""Settings of a cluster that is started here, which its processes read from their environment."""


@dataclass
class Runner:
    """Runs tasks on a cluster, to which it connects when there is something to run."""

    book: Book
    datasets: dict[str, Dataset]
    address: str | None
    resources: Resources
    max_failures: int
    max_concurrent: int | None
    objective: Any
    dashboard: bool
    interrupt: Interrupt = field(default_factory=Interrupt)
    _open: ExitStack = field(default_factory=ExitStack)
    _shared: Shared | None = None

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.close()

    def run_search(self, search: Search) -> None:
        """Run all trials of all searches."""
        while not search.is_over:
            before = search.num_finished
            tasks = Tasks(search)
            lost = self._tune(tasks, Halving(tasks))
            self._refuse_standstill(lost or search.num_finished > before)

    def run_grid(self, runs: Sequence[Task]) -> None:
        """Run what has no record; again, as long as nodes that died left something undone."""
        for task in runs:
            record = self.book.journal.get(task.config, task.graph_digest)
            if record is not None:
                self.book.progress.kept(task.config, record)
        while left := [task for task in runs if not self.book.is_over(task)]:
            lost = self._tune(Tasks(Grid(left)), FIFOScheduler())
            self._refuse_standstill(lost or any(map(self.book.is_over, left)))

    def _refuse_standstill(self, moved: bool) -> None:
        if not moved:
            raise SweepError("no trial came to an end on this cluster; go on with --resume when it is well")

    def _tune(self, tasks: Tasks, scheduler: TrialScheduler) -> bool:
        """One run of Tune over all there is; whether nodes died and left something to do."""
        # The function travels to the workers: it may hold nothing of this process but these two.
        shared, resources = self._connected(), self.resources

        recorder = Recorder(self.book, tasks, self.interrupt)

        def supra(config: dict[str, Any]) -> None:
            trial(config, shared)

        os.environ["TUNE_MAX_PENDING_TRIALS_PG"] = str(MAX_PENDING[type(tasks.source)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tune.run(
                tune.with_resources(supra, lambda config: _bundle(resources, config["config"]["model"])),
                name=time.strftime("%Y-%m-%d-%H-%M-%S"),
                storage_path=self.book.storage.tune,
                num_samples=-1,
                search_alg=tasks,
                scheduler=scheduler,
                callbacks=[recorder],
                max_failures=self.max_failures,
                max_concurrent_trials=self.max_concurrent,
                reuse_actors=True,
                raise_on_failed_trial=False,
                stop=Stop(self.interrupt),
                trial_dirname_creator=lambda trial: trial.config["name"],
                verbose=0,
                _remote=False,
            )
        recorder.news.wait(lambda: self.interrupt.asked)
        if recorder.error is not None:
            raise recorder.error
        if self.interrupt.asked:
            raise KeyboardInterrupt
        return recorder.news.num_lost > 0

    def _connected(self) -> Shared:
        if self._shared is None:
            if self.address in (None, "local"):
                for name, value in _LOCAL.items():
                    os.environ.setdefault(name, value)
            cluster = self._open.enter_context(connect(self.address, dashboard=self.dashboard))
            self._open.enter_context(_quiet())
            if self.address is not None and self.address.startswith("ray://"):
                self._open.enter_context(_tune_over_a_client())
            self._open.enter_context(self.interrupt.caught())
            self.book.progress.dashboard_url = cluster.dashboard_url
            encodings = f"supra-encodings-{uuid.uuid4().hex}"
            self._open.callback(remove_encodings, encodings)
            references = {name: ray.put(dataset) for name, dataset in self.datasets.items()}
            self._shared = Shared(references, encodings, self.book.storage.checkpoints, self.objective)
        return self._shared


def _bundle(resources: Resources, model: str) -> PlacementGroupFactory:
    own = resources.of(model)
    return PlacementGroupFactory([{"CPU": own.cpus} | ({"GPU": own.gpus} if own.gpus else {})])


@contextmanager
def _tune_over_a_client() -> Iterator[None]:
    """Tune stays in this process, where the journal is, also on a cluster that is reached by Ray's client.

    Tune would rather move to the cluster, since there is no folder of a Ray session here; it gets one.
    """
    with (
        tempfile.TemporaryDirectory(prefix="supra-tune-") as folder,
        mock.patch.object(tune_storage, "_get_ray_train_session_dir", return_value=folder),
    ):
        yield


@contextmanager
def _quiet() -> Iterator[None]:
    """Ray's chatter stays away from the user's terminal: what matters of it comes by other ways."""
    loggers = [logging.getLogger(name) for name in ("ray", "ray.tune", "ray.train", "ray.air")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        # Pages of a raylet's log when it dies, printed in the middle of a table.
        with mock.patch.object(ray._private.worker, "print_to_stdstream"):
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
