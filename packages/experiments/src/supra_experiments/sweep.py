"""``supra sweep``: the runs of a study as trials of Ray Tune, on one machine or a cluster."""

import functools
import logging
import math
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import ray
from ray import tune
from ray.train._internal import storage as tune_storage
from ray.tune.execution.placement_groups import PlacementGroupFactory
from ray.tune.experiment import Trial
from ray.tune.schedulers import AsyncHyperBandScheduler, FIFOScheduler, TrialScheduler
from ray.tune.search import Searcher

from supra_core import TemporalGraph
from supra_experiments.cluster import connect
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.errors import SweepError
from supra_experiments.sweeping.book import Book, Grid, Task
from supra_experiments.sweeping.checkpoints import CheckpointStore
from supra_experiments.sweeping.interrupts import Interrupt
from supra_experiments.sweeping.journal import Journal, compare
from supra_experiments.sweeping.plan import (
    found_runs,
    load_datasets,
    recalled,
    refuse_overwriting,
    result_of,
)
from supra_experiments.sweeping.progress import SweepProgress
from supra_experiments.sweeping.search import Search
from supra_experiments.sweeping.spec import SweepSpec
from supra_experiments.sweeping.storage import SweepStorage
from supra_experiments.sweeping.trial_news import News
from supra_experiments.sweeping.types import Cell, Resources, SweepResult

MAX_PENDING = {Grid: 16, Search: 2}
"""Trials that wait for their resources at a time: enough that no worker is let go between two of them; a
search had better not ask for many before it knows what came of the last ones."""

KEPT_ENCODINGS = 128
"""Encodings that are kept for further trials."""

GRACE, REDUCTION = 0.1, 3
"""Halving begins after this share of the epochs, and keeps one in so many trials."""

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


def run_sweep(
    spec: SweepSpec,
    *,
    storage_path: str | os.PathLike[str],
    address: str | None = None,
    resume: bool = False,
    resources: Resources | None = None,
    max_failures: int = 2,
    max_concurrent: int | None = None,
    data_root: str | os.PathLike[str] | None = None,
    progress: SweepProgress | None = None,
    objective: Any = None,
    dashboard: bool = True,
) -> SweepResult:
    """Run a sweep, or what is left of it.

    Every finished run is in the journal before the next one is looked at, so that whatever happens the same
    call with ``resume`` goes on from there; runs that were under way go on from their checkpoints.

    Args:
        spec: what to run.
        storage_path: a folder, or a URI that Ray's storage takes; the sweep has a folder of its name in it.
        address: of a cluster to join; None starts one on this machine.
        resume: go on in a folder that holds records already.
        resources: what each trial reserves; the sweep's own where not given.
        max_failures: how often a trial that fails is tried again; a node that dies does not count.
        max_concurrent: trials at a time at most; None: as many as fit.
        data_root: the folder of the published datasets.
        progress: told what happens.
        objective: what a trial computes instead of :func:`~supra_experiments.train.fit`, with its arguments.
        dashboard: whether a cluster that is started here has Ray's dashboard.

    Raises:
        SweepError: storage that cannot be written, or a folder that holds another sweep's records.
        ClusterError: a cluster that cannot be reached.
        DatasetError: a dataset that cannot be had.
        KeyboardInterrupt: stopped; what was finished is in the journal.
    """
    progress = SweepProgress() if progress is None else progress
    datasets = load_datasets(spec, data_root)
    with SweepStorage.open(storage_path, spec.name) as storage, Journal(storage.folder) as journal:
        refuse_overwriting(journal, resume)
        changes = () if journal.spec is None else compare(journal.spec, spec).lines()
        for line in (*journal.notes, *changes):
            progress.note(line)
        journal.write_spec(spec)
        book = Book(journal, progress, storage)
        digests = {name: dataset.graph.digest for name, dataset in datasets.items()}
        with _Runner(
            book,
            datasets,
            address,
            resources or spec.resources,
            max_failures,
            max_concurrent,
            objective,
            dashboard,
        ) as runner:
            if spec.mode == "search":
                search = recalled(spec, digests, book)
                runner.run_search(search)
                runs = (*spec.baseline_runs(), *found_runs(spec, search))
            else:
                progress.num_total = spec.num_runs
                runs = spec.runs()
            runner.run_grid([Task(run, digests[run.dataset]) for run in runs])
        return result_of(spec, runs, digests, journal, progress.dashboard_url, changes)


# ── a trial, in its worker ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Shared:
    """What all trials have in common, small enough to travel with each: data is in Ray's object store."""

    datasets: dict[str, Any]
    encodings: Any
    store: CheckpointStore
    objective: Any

    def dataset(self, name: str) -> Dataset:
        """The dataset, held once a process."""
        key = self.datasets[name].hex()
        if key not in _HELD:
            _HELD[key] = ray.get(self.datasets[name])
        return _HELD[key]


_HELD: dict[str, Dataset] = {}


def _trial(settings: dict[str, Any], shared: _Shared) -> None:
    """The function that Tune runs in a worker; what is slow to import waits until it is needed."""
    from supra_experiments.sweeping.trial import describe, run_trial

    config = Config.from_dict(settings["config"])
    tune.report({"epoch": 0, "loss": math.nan, "node": ray.get_runtime_context().get_node_id()})
    try:
        record = run_trial(
            config,
            dataset=shared.dataset(config.dataset),
            objective=shared.objective or _fit(),
            store=shared.store,
            encode=_encode_by(shared),
            selection=settings["selection"],
            report=tune.report,
            device=_device(),
        )
    except Exception as error:
        tune.report({"failure": describe(error)})
        raise
    tune.report({"record": record.to_json(), "done": True})


def _fit() -> Any:
    from supra_experiments.train import fit

    return fit


def _device() -> str | None:
    """The GPU that Ray gave to this trial, if PyTorch can use it; else what the settings say."""
    if not ray.get_gpu_ids():
        return None
    import torch

    return "cuda" if torch.cuda.is_available() else None


# ── encodings, computed once in the cluster ────────────────────────────────────────────────────────────────


@ray.remote(num_cpus=0)
def _encode(config: Config, dataset: Dataset, num_layers: int) -> Any:
    from supra_experiments.sweeping.shared_encodings import compute

    return compute(config, dataset, num_layers)


class _Encodings:
    """An actor that hands out references to encodings; whoever asks first has them computed."""

    def __init__(self) -> None:
        self._references: dict[str, Any] = {}

    def get(self, key: str, config: Config, dataset: list[Any], num_layers: int) -> list[Any]:
        """A reference, in a list so that Ray does not wait for what it refers to."""
        if key not in self._references:
            while len(self._references) >= KEPT_ENCODINGS:
                del self._references[next(iter(self._references))]
            self._references[key] = _encode.remote(config, dataset[0], num_layers)
        return [self._references[key]]

    def forget(self, key: str, reference: str) -> None:
        """Drop a reference that failed, so that the next who asks has it computed anew."""
        if key in self._references and self._references[key].hex() == reference:
            del self._references[key]


def _encode_by(shared: _Shared) -> Callable[[Config, TemporalGraph, int], Any]:
    """What a trial calls instead of computing encodings itself."""

    def fetch(key: str, config: Config, num_layers: int) -> Any:
        dataset = [shared.datasets[config.dataset]]
        while True:
            [reference] = ray.get(shared.encodings.get.remote(key, config, dataset, num_layers))
            try:
                return ray.get(reference)
            except ray.exceptions.RayTaskError:
                raise  # it would fail again
            except (ray.exceptions.ObjectLostError, ray.exceptions.RayActorError):
                # Lost with a node, together with who could have computed it again.
                ray.get(shared.encodings.forget.remote(key, reference.hex()))

    def encode(config: Config, graph: TemporalGraph, num_layers: int) -> Any:
        from supra_experiments.sweeping.shared_encodings import Cache, key_of

        key = key_of(config, graph, num_layers)
        return None if key is None else Cache.get(key, lambda: fetch(key, config, num_layers))

    return encode


# ── Tune, in the sweep's own process ───────────────────────────────────────────────────────────────────────


class _Tasks(Searcher):
    """Tune's view of what is to be run."""

    def __init__(self, source: Grid | Search) -> None:
        super().__init__(metric="score", mode="max")
        self.source = source
        self.by_name: dict[str, Task] = {}

    def suggest(self, trial_id: str) -> Any:
        task = self.source.next()
        if task is None:
            return Searcher.FINISHED
        self.by_name[task.name] = task
        return {"name": task.name, "config": task.config.to_dict(), "selection": task.selection}

    def of(self, trial: Trial) -> Task:
        """The task that a trial is about."""
        return self.by_name[trial.config["name"]]

    def on_trial_complete(self, trial_id: str, result: dict | None = None, error: bool = False) -> None:
        """The recorder hears of it too, and of more."""

    def save_to_dir(self, checkpoint_dir: str, session_str: str = "default") -> None:
        """The journal is what a sweep goes on from."""


def _kept(method: Callable[..., None]) -> Callable[..., None]:
    """Keep an error of ours, a full disk say, and end the sweep: Tune would take it for one of the trial."""

    @functools.wraps(method)
    def call(self: "_Recorder", *arguments: Any, **named: Any) -> None:
        if self.error is None:
            try:
                method(self, *arguments, **named)
            except Exception as error:
                self.error = error
                self.interrupt.asked = True

    return call


class _Recorder(tune.Callback):
    """Tune's news, passed on one after another.

    Attributes:
        error: the first that came up here.
    """

    def __init__(self, book: Book, tasks: _Tasks, interrupt: Interrupt) -> None:
        self.tasks, self.interrupt = tasks, interrupt
        self.error: Exception | None = None
        self.news = News(book, tasks.source, _dead_nodes, self._forgive)
        self._trials: dict[str, Trial] = {}

    def _forgive(self, name: str) -> None:
        self._trials[name].max_failures += 1

    @_kept
    def on_trial_start(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        self._trials[trial.config["name"]] = trial
        self.news.started(self.tasks.of(trial))

    @_kept
    def on_trial_result(
        self, iteration: int, trials: list[Trial], trial: Trial, result: dict, **info: Any
    ) -> None:
        self.news.reported(self.tasks.of(trial), result)

    @_kept
    def on_trial_complete(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        self.news.completed(self.tasks.of(trial), trial.last_result or {})

    @_kept
    def on_trial_recover(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        self._trials[trial.config["name"]] = trial
        self.news.retried(self.tasks.of(trial), _last_error(trial))

    @_kept
    def on_trial_error(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        self._trials[trial.config["name"]] = trial
        self.news.failed(self.tasks.of(trial), _last_error(trial))

    @_kept
    def on_step_end(self, iteration: int, trials: list[Trial], **info: Any) -> None:
        self.news.settle()
        self.news.book.storage.settle()


def _last_error(trial: Trial) -> str:
    """What Tune wrote down of a trial's last failure."""
    with suppress(OSError):
        text = Path(trial.error_file).read_text(encoding="utf-8", errors="replace")
        return text.rpartition("Failure #")[2]
    return ""


def _dead_nodes() -> set[str]:
    return {node["NodeID"] for node in ray.nodes() if not node["Alive"]}


class _Halving(FIFOScheduler):
    """Successive halving in each cell by itself: cells do not compete, and default settings always finish."""

    def __init__(self, tasks: _Tasks) -> None:
        super().__init__()
        self.tasks = tasks
        self._by_cell: dict[Cell, AsyncHyperBandScheduler] = {}

    def _own(self, trial: Trial) -> AsyncHyperBandScheduler:
        config = self.tasks.of(trial).config
        cell = Cell.of(config)
        if cell not in self._by_cell:
            self._by_cell[cell] = AsyncHyperBandScheduler(
                time_attr="epoch",
                metric="score",
                mode="max",
                max_t=config.max_epochs,
                grace_period=max(1, math.ceil(GRACE * config.max_epochs)),
                reduction_factor=REDUCTION,
                stop_last_trials=False,
            )
        return self._by_cell[cell]

    def on_trial_add(self, tune_controller: Any, trial: Trial) -> None:
        self._own(trial).on_trial_add(tune_controller, trial)

    def on_trial_result(self, tune_controller: Any, trial: Trial, result: dict) -> str:
        decision = self._own(trial).on_trial_result(tune_controller, trial, result)
        return decision if self.tasks.of(trial).settings else TrialScheduler.CONTINUE

    def on_trial_complete(self, tune_controller: Any, trial: Trial, result: dict) -> None:
        self._own(trial).on_trial_complete(tune_controller, trial, result)

    def on_trial_remove(self, tune_controller: Any, trial: Trial) -> None:
        self._own(trial).on_trial_remove(tune_controller, trial)


class _Stop(tune.Stopper):
    """Ends all trials when the user says so."""

    def __init__(self, interrupt: Interrupt) -> None:
        self.interrupt = interrupt

    def __call__(self, trial_id: str, result: dict) -> bool:
        return False

    def stop_all(self) -> bool:
        return self.interrupt.asked


@dataclass
class _Runner:
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
    _shared: _Shared | None = None

    def __enter__(self) -> "_Runner":
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.close()

    def run_search(self, search: Search) -> None:
        """Run all trials of all searches."""
        while not search.is_over:
            before = search.num_finished
            tasks = _Tasks(search)
            lost = self._tune(tasks, _Halving(tasks))
            self._refuse_standstill(lost or search.num_finished > before)

    def run_grid(self, runs: Sequence[Task]) -> None:
        """Run what has no record; again, as long as nodes that died left something undone."""
        for task in runs:
            record = self.book.journal.get(task.config, task.graph_digest)
            if record is not None:
                self.book.progress.kept(task.config, record)
        while left := [task for task in runs if not self.book.is_over(task)]:
            lost = self._tune(_Tasks(Grid(left)), FIFOScheduler())
            self._refuse_standstill(lost or any(map(self.book.is_over, left)))

    def _refuse_standstill(self, moved: bool) -> None:
        if not moved:
            raise SweepError("no trial came to an end on this cluster; go on with --resume when it is well")

    def _tune(self, tasks: _Tasks, scheduler: TrialScheduler) -> bool:
        """One run of Tune over all there is; whether nodes died and left something to do."""
        # The function travels to the workers: it may hold nothing of this process but these two.
        shared, resources = self._connected(), self.resources

        recorder = _Recorder(self.book, tasks, self.interrupt)

        def supra(config: dict[str, Any]) -> None:
            _trial(config, shared)

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
                stop=_Stop(self.interrupt),
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

    def _connected(self) -> _Shared:
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
            # Lives as long as this process; Ray starts it again elsewhere if its node dies.
            encodings = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(_Encodings).remote()
            references = {name: ray.put(dataset) for name, dataset in self.datasets.items()}
            self._shared = _Shared(references, encodings, self.book.storage.checkpoints, self.objective)
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
