"""``supra sweep``: the runs of a study as trials of Ray Tune, on one machine or a cluster."""

import logging
import math
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray import tune
from ray.tune.execution.placement_groups import PlacementGroupFactory
from ray.tune.experiment import Trial
from ray.tune.search import Searcher

from supra_core import TemporalGraph
from supra_experiments.checkpoint_store import CheckpointStore
from supra_experiments.cluster import connect
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.errors import SweepError
from supra_experiments.journal import Journal, compare
from supra_experiments.records import RunRecord
from supra_experiments.sweep_book import Book, Task, diverged
from supra_experiments.sweep_progress import SweepProgress
from supra_experiments.sweep_spec import SweepSpec
from supra_experiments.sweep_types import Cell, Resources, SweepResult

MAX_PENDING = 16
"""Trials that wait for their resources at a time: enough to fill a cluster, few enough to manage cheaply."""

os.environ.update(
    # Nobody reads Tune's own tables; records hold more, and writing those costs time in every trial.
    TUNE_DISABLE_AUTO_CALLBACK_LOGGERS="1",
    # Interrupts are this module's to handle, and so are failures.
    TUNE_DISABLE_SIGINT_HANDLER="1",
    TUNE_PRINT_ALL_TRIAL_ERRORS="0",
    TUNE_DISABLE_STRICT_METRIC_CHECKING="1",
    TUNE_MAX_PENDING_TRIALS_PG=str(MAX_PENDING),
    # The silence of verbose=0 is the old output's; the new one draws a table even so.
    RAY_AIR_NEW_OUTPUT="0",
    # Paths mean in a trial what they mean here.
    RAY_CHDIR_TO_TRIAL_DIR="0",
    # A worker that encodes has imported PyTorch: worth keeping for the next encoding.
    RAY_idle_worker_killing_time_threshold_ms="600000",
)


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

    Raises:
        SweepError: storage that cannot be written, a cluster that cannot be reached, a folder in use.
        DatasetError: a dataset that cannot be had.
        KeyboardInterrupt: stopped; what was finished is in the journal.
    """
    progress = SweepProgress() if progress is None else progress
    folder = sweep_folder(storage_path, spec.name)
    datasets = {name: load_for(spec, name, data_root) for name in spec.datasets}
    with Journal(folder) as journal:
        _refuse_overwriting(journal, resume)
        changes = _changes(journal, spec)
        for line in (*journal.notes, *changes):
            progress.note(line)
        journal.write_spec(spec)
        book = Book(journal, progress, CheckpointStore(str(folder / "checkpoints")))
        progress.num_total = spec.num_runs + spec.num_searches
        with connect(address) as cluster, _quiet(), _interruptible() as stop:
            progress.dashboard_url = cluster.dashboard_url
            runner = _Runner(
                book,
                datasets,
                resources or spec.resources,
                max_failures,
                max_concurrent,
                folder / "ray",
                objective,
                stop,
            )
            runs = spec.runs()
            runner.run([Task(run, datasets[run.dataset].graph.digest) for run in runs])
        return _result(spec, runs, datasets, journal, cluster.dashboard_url, changes)


# ── before anything starts ─────────────────────────────────────────────────────────────────────────────────


def sweep_folder(storage_path: str | os.PathLike[str], name: str) -> Path:
    """The folder of a sweep, which can be written.

    Raises:
        SweepError: a storage path that is missing or cannot be written.
    """
    root = Path(storage_path).expanduser().absolute()
    if not root.parent.is_dir():
        # A folder two levels deep in nothing is more often a share that is not mounted than a wish.
        raise SweepError(f"storage_path={os.fspath(storage_path)!r}: there is no folder {root.parent}")
    folder = root / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        reason = error.strerror or error
        raise SweepError(f"storage_path={os.fspath(storage_path)!r}: cannot be written ({reason})") from None
    return folder


def load_for(spec: SweepSpec, name: str, data_root: str | os.PathLike[str] | None) -> Dataset:
    """The dataset of that name as all runs of a sweep see it."""
    cell = next(cell for cell in spec.cells if cell.dataset == name)
    return load(name, root=data_root, num_snapshots=spec.config(cell, 0).num_snapshots)


def _refuse_overwriting(journal: Journal, resume: bool) -> None:
    num_kept = len(journal.records) + len(journal.search_trials)
    if num_kept and not resume:
        raise SweepError(
            f"{journal.folder}: holds {num_kept} finished runs; go on with --resume, or choose another "
            "--storage-path or name"
        )


def _changes(journal: Journal, spec: SweepSpec) -> tuple[str, ...]:
    old = journal.spec
    return () if old is None else compare(old, spec).lines()


# ── trials ─────────────────────────────────────────────────────────────────────────────────────────────────


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
        if key not in _DATASETS:
            _DATASETS[key] = ray.get(self.datasets[name])
        return _DATASETS[key]


_DATASETS: dict[str, Dataset] = {}


def _trial(settings: dict[str, Any], shared: _Shared) -> None:
    """The function that Tune runs in a worker."""
    from supra_experiments.train import fit
    from supra_experiments.trial import describe, run_trial, score_of

    config = Config.from_dict(settings["config"])
    selection = settings["selection"]
    try:
        record = run_trial(
            config,
            dataset=shared.dataset(config.dataset),
            objective=shared.objective or fit,
            store=shared.store,
            encode=_encode_by(shared),
            selection=selection,
            report=tune.report,
            device=_device(),
        )
    except Exception as error:
        kind, reason = describe(error)
        tune.report({"failure": (kind, reason)})
        raise
    tune.report(
        {
            "record": record.to_json(),
            "epoch": len(record.history),
            "score": score_of(record, selection),
            "done": True,
        }
    )


def _device() -> str | None:
    """The GPU that Ray gave to this trial, if PyTorch can use it; else what the settings say."""
    import torch

    return "cuda" if ray.get_gpu_ids() and torch.cuda.is_available() else None


# ── encodings, computed once in the cluster ────────────────────────────────────────────────────────────────

_KEPT_ENCODINGS = 128


@ray.remote(num_cpus=0)
def _encode(config: Config, dataset: Dataset, num_layers: int) -> Any:
    from supra_experiments.shared_encodings import compute

    return compute(config, dataset, num_layers)


class _Encodings:
    """Hands out references to encodings; whoever asks first has them computed."""

    def __init__(self) -> None:
        self._references: dict[str, Any] = {}

    def get(self, key: str, config: Config, dataset: list[Any], num_layers: int) -> list[Any]:
        """A reference, in a list so that Ray does not wait for what it refers to."""
        if key not in self._references:
            while len(self._references) >= _KEPT_ENCODINGS:
                del self._references[next(iter(self._references))]
            self._references[key] = _encode.remote(config, dataset[0], num_layers)
        return [self._references[key]]

    def forget(self, key: str, reference: str) -> None:
        """Drop a reference that failed, so that the next who asks has it computed anew."""
        if key in self._references and self._references[key].hex() == reference:
            del self._references[key]


def _encode_by(shared: _Shared) -> Callable[[Config, TemporalGraph, int], Any]:
    """What a trial calls instead of computing encodings itself."""
    from supra_experiments.shared_encodings import Cache, key_of

    def fetch(key: str, config: Config, num_layers: int) -> Any:
        dataset = [shared.datasets[config.dataset]]
        for attempt in range(3):
            [reference] = ray.get(shared.encodings.get.remote(key, config, dataset, num_layers))
            try:
                return ray.get(reference)
            except ray.exceptions.RayError as error:
                ray.get(shared.encodings.forget.remote(key, reference.hex()))
                # Lost with a node: computed again. Failed: it would fail again.
                if isinstance(error, ray.exceptions.RayTaskError) or attempt == 2:
                    raise
        raise AssertionError("unreachable")

    def encode(config: Config, graph: TemporalGraph, num_layers: int) -> Any:
        key = key_of(config, graph, num_layers)
        return None if key is None else Cache.get(key, lambda: fetch(key, config, num_layers))

    return encode


# ── Tune ───────────────────────────────────────────────────────────────────────────────────────────────────


class _Queue(Searcher):
    """Hands out runs in their order; a grid is no more than that."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        super().__init__(metric="score", mode="max")
        self.tasks = {task.name: task for task in tasks}
        self._waiting = list(reversed(tasks))

    def suggest(self, trial_id: str) -> Any:
        if not self._waiting:
            return Searcher.FINISHED
        task = self._waiting.pop()
        return {"name": task.name, "config": task.config.to_dict(), "selection": task.selection}

    def on_trial_complete(self, trial_id: str, result: dict | None = None, error: bool = False) -> None:
        pass

    def save_to_dir(self, checkpoint_dir: str, session_str: str = "default") -> None:
        """The journal is what a sweep goes on from."""


class _Recorder(tune.Callback):
    """Passes the news of trials on; runs in the sweep's own process, one call after another."""

    def __init__(self, book: Book, queue: _Queue) -> None:
        self.book, self.queue = book, queue
        self._reasons: dict[str, tuple[str, str]] = {}

    def _task(self, trial: Trial) -> Task:
        return self.queue.tasks[trial.config["name"]]

    def on_trial_start(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        self.book.started(self._task(trial))

    def on_trial_result(
        self, iteration: int, trials: list[Trial], trial: Trial, result: dict, **info: Any
    ) -> None:
        # Taken out of the result, of which Tune keeps copies.
        record, failure = result.pop("record", None), result.pop("failure", None)
        if record is not None:
            self.book.finished(self._task(trial), RunRecord.from_json(record))
        elif failure is not None:
            self._reasons[trial.trial_id] = failure
        elif "epoch" in result:
            self.book.reported(self._task(trial), result["epoch"], result["loss"])

    def on_trial_recover(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        kind, reason = self._reason(trial)
        if kind == "node":
            trial.max_failures += 1
        self.book.failed(self._task(trial), kind, reason, will_retry=True)

    def on_trial_error(self, iteration: int, trials: list[Trial], trial: Trial, **info: Any) -> None:
        kind, reason = self._reason(trial)
        # A run that was lost with its node is none that failed: the next round takes it.
        self.book.failed(self._task(trial), kind, reason, will_retry=kind == "node")

    def _reason(self, trial: Trial) -> tuple[str, str]:
        told = self._reasons.pop(trial.trial_id, None)
        if told is not None:
            return told
        with suppress(OSError):
            text = Path(trial.error_file).read_text(encoding="utf-8", errors="replace")
            return lost_worker(text.rpartition("Failure #")[2])
        return "error", "the worker died"


def lost_worker(text: str) -> tuple[str, str]:
    """The kind and the reason of a failure of which only Ray's message is known."""
    lower = text.lower()
    if "node has died" in lower or "its node" in lower or "node is dead" in lower:
        return "node", "its node died"
    if "out of memory" in lower or "low on memory" in lower or "oom" in lower:
        return "memory", "the worker was killed, most likely for want of memory"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "error", (lines[-1] if lines else "the worker died")[:500]


@dataclass
class _Runner:
    """Runs lists of tasks on the cluster."""

    book: Book
    datasets: dict[str, Dataset]
    resources: Resources
    max_failures: int
    max_concurrent: int | None
    folder: Path
    objective: Any
    stop: "_Stop"

    def __post_init__(self) -> None:
        self.shared = _Shared(
            {name: ray.put(dataset) for name, dataset in self.datasets.items()},
            ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(_Encodings).remote(),
            self.book.store,
            self.objective,
        )

    def run(self, tasks: Sequence[Task]) -> None:
        """Run what has no record yet; again, as long as nodes that died left something undone."""
        journal, progress = self.book.journal, self.book.progress
        left = []
        for task in tasks:
            record = journal.get(task.config, task.graph_digest)
            if record is None:
                left.append(task)
            else:
                progress.kept(task.config, record)
        given_up = len(journal.failures)
        while left:
            self._tune(_Queue(left))
            failed = {failure.digest for failure in journal.failures[given_up:]}
            still = [
                task
                for task in left
                if not journal.has(task.config, task.graph_digest) and task.config.digest not in failed
            ]
            if len(still) == len(left):
                raise SweepError(f"{len(left)} runs could not be started; go on with --resume")
            left = still

    def _tune(self, queue: _Queue) -> None:
        """One run of Tune over what the queue holds."""
        # The function travels to the workers: it may hold nothing of this process but these two.
        shared, resources = self.shared, self.resources

        def supra(config: dict[str, Any]) -> None:
            _trial(config, shared)

        trainable = tune.with_resources(supra, lambda config: _bundle(resources, config["config"]["model"]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tune.run(
                trainable,
                name=self._attempt(),
                storage_path=str(self.folder),
                num_samples=len(queue.tasks),
                search_alg=queue,
                callbacks=[_Recorder(self.book, queue)],
                max_failures=self.max_failures,
                max_concurrent_trials=self.max_concurrent,
                reuse_actors=True,
                raise_on_failed_trial=False,
                stop=self.stop,
                trial_dirname_creator=lambda trial: trial.config["name"],
                verbose=0,
                _remote=False,
            )
        if self.stop.asked:
            raise KeyboardInterrupt

    def _attempt(self) -> str:
        number = 1
        while (self.folder / f"attempt-{number}").exists():
            number += 1
        return f"attempt-{number}"


def _bundle(resources: Resources, model: str) -> PlacementGroupFactory:
    own = resources.of(model)
    return PlacementGroupFactory([{"CPU": own.cpus} | ({"GPU": own.gpus} if own.gpus else {})])


class _Stop(tune.Stopper):
    """Ends all trials when the user says so."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, trial_id: str, result: dict) -> bool:
        return False

    def stop_all(self) -> bool:
        return self.asked


# ── around it ──────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def _quiet() -> Iterator[None]:
    """Tune's chatter stays away from the user's terminal: what matters of it comes by other ways."""
    loggers = [logging.getLogger(name) for name in ("ray", "ray.tune", "ray.train", "ray.air")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def _interruptible() -> Iterator[_Stop]:
    """The first interrupt ends the trials in order, the second one at once."""
    stop = _Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def handle(number: int, frame: Any) -> None:
        stop.asked = True
        signal.signal(number, before[number])

    before: dict[int, Any] = {
        number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _result(
    spec: SweepSpec,
    runs: Sequence[Config],
    datasets: dict[str, Dataset],
    journal: Journal,
    dashboard_url: str | None,
    changes: tuple[str, ...],
) -> SweepResult:
    found = [journal.get(run, datasets[run.dataset].graph.digest) for run in runs]
    records = tuple(record for record in found if record is not None)
    asked = {run.digest for run in runs}
    failures = [failure for failure in journal.failures if failure.digest in asked]
    failures += [diverged(record) for record in records if record.diverged]
    filled = {Cell.of(record.config) for record in records if not math.isnan(record.test.auc)}
    return SweepResult(
        folder=journal.folder,
        records=records,
        failures=tuple(failures),
        empty_cells=tuple(cell for cell in spec.cells if cell not in filled),
        dashboard_url=dashboard_url,
        dropped=tuple(line for line in changes if line.startswith("dropped")),
    )
