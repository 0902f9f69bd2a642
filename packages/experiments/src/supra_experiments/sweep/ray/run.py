"""Run a sweep, or what is left of it."""

import math
import os
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property, partial
from typing import Any, Self

import ray

from supra_experiments.cluster.connect import Cluster, connect
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.errors import ClusterError, SweepError
from supra_experiments.sweep.cells import Resources
from supra_experiments.sweep.held_out import HeldOut
from supra_experiments.sweep.journal import Journal
from supra_experiments.sweep.packing import CPU_MEMORY, GPU_MEMORY, GraphSize, Packing, Room
from supra_experiments.sweep.plan import (
    SweepResult,
    compare,
    hold_out,
    load_datasets,
    refuse_overwriting,
    result_of,
)
from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.ray.interrupt import Interrupt
from supra_experiments.sweep.ray.keeper import Keeper, NextRuns
from supra_experiments.sweep.ray.tuning import quiet, tune_all
from supra_experiments.sweep.ray.worker import Shared, remove_encodings
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.storage import SweepStorage
from supra_experiments.sweep.trial import PlannedRun, Runs


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
        address: of a cluster to join, from one of its machines; None starts one on this machine.
        resume: go on in a folder that holds records already.
        resources: what each trial reserves; the sweep's own where not given.
        max_failures: how often a trial that fails is tried again; a node that dies does not count.
        max_concurrent: trials at a time at most; None: as many as fit.
        data_root: the folder of the published datasets.
        progress: told what happens. Standard output is closed while trials run, since Ray prints there, and
            until the cluster is left.
        objective: what a trial computes instead of ``try_pack``, with its arguments.
        dashboard: whether a cluster that is started here has Ray's dashboard.

    Raises:
        SweepError: storage that cannot be written, or a folder that holds another sweep's records.
        ClusterError: a cluster that cannot be reached.
        DatasetError: a dataset that cannot be had.
        KeyboardInterrupt: stopped; what was finished is in the journal.
    """
    _refuse_client(address)
    progress = SweepProgress() if progress is None else progress
    datasets = load_datasets(spec, data_root)
    with SweepStorage.open(storage_path, spec.name) as storage, Journal(storage.folder) as journal:
        changes = _begin(journal, spec, progress, resume)
        with Executor(
            spec,
            journal,
            storage,
            progress,
            datasets=datasets,
            address=address,
            dashboard=dashboard,
            resources=resources or spec.resources,
            max_failures=max_failures,
            max_concurrent=max_concurrent,
            objective=objective,
        ) as executor:
            progress.num_total = spec.num_runs
            if spec.mode == "search":
                runs = _search(spec, executor)
            else:
                runs = spec.runs()
                executor.record(runs)
        return result_of(spec, runs, executor.digests, journal, progress.dashboard_url, changes)


def _refuse_client(address: str | None) -> None:
    """Over Ray's client Tune moves to the cluster, and would leave the journal behind."""
    if address is not None and address.startswith("ray://"):
        raise ClusterError(
            f"address={address!r}: a sweep runs on a machine of the cluster; give the command there with "
            "--address auto, or from here with ray job submit"
        )


def _begin(journal: Journal, spec: SweepSpec, progress: SweepProgress, resume: bool) -> tuple[str, ...]:
    """Keep the sweep's file; what it changed in the one before, which is told."""
    refuse_overwriting(journal, resume)
    changes = () if journal.spec is None else compare(journal.spec, spec).lines()
    for line in (*journal.notes, *changes):
        progress.note(line)
    journal.write_spec(spec)
    return changes


def _search(spec: SweepSpec, executor: "Executor") -> tuple[Config, ...]:
    """Run what is left of the searches and test what they found; the runs with the best settings."""
    search = Search.of(spec, executor.digests, executor.held_out)
    executor.progress.num_total += search.num_trials
    for trial in search.recall(executor.journal.search_trials):
        executor.progress.kept(search.cells[trial.cell].planned(trial.settings).config, value=trial.value)
    executor.record(spec.baseline_runs())
    # What is found for a dataset and a model is tested at once, while others are searched.
    tests = executor.missing(search.newly_over())

    def packs(packing: Packing) -> NextRuns:
        waiting = deque(packing.packs(tests))

        def following() -> Runs | None:
            waiting.extend(packing.packs(executor.missing(search.newly_over())))
            return waiting.popleft() if waiting else search.next(packing.most)

        return following

    if tests or not search.is_over:
        executor.run(packs, search)
    best = search.runs()
    return (*spec.baseline_runs(), *(best[pair] for pair in spec.pairs()))


@dataclass
class Executor:
    """Runs on a cluster, to which it connects when there is something to run."""

    spec: SweepSpec
    journal: Journal
    storage: SweepStorage
    progress: SweepProgress
    _: KW_ONLY
    datasets: Mapping[str, Dataset]
    address: str | None
    dashboard: bool
    resources: Resources
    max_failures: int
    max_concurrent: int | None
    objective: Any
    _interrupt: Interrupt = field(default_factory=Interrupt)
    _connection: ExitStack = field(default_factory=ExitStack)
    _shared: Shared | None = None
    _cluster: Cluster | None = None

    @cached_property
    def digests(self) -> dict[str, str]:
        """Of the datasets' graphs, by name."""
        return {name: dataset.graph.digest for name, dataset in self.datasets.items()}

    @cached_property
    def held_out(self) -> Mapping[str, HeldOut]:
        """The training snapshots that judge the trials of a search, by dataset; nothing where others do."""
        return hold_out(self.spec, self.datasets)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def missing(self, runs: Iterable[Config]) -> list[PlannedRun]:
        """Those that have no record yet; the others are told of."""
        left = []
        for run in runs:
            digest = self.digests[run.data.dataset]
            record = self.journal.get(run, digest)
            if record is None:
                left.append(PlannedRun(run, digest))
            else:
                self.progress.kept(run, record)
        return left

    def record(self, runs: Iterable[Config]) -> None:
        """Run what has no record yet."""
        if left := self.missing(runs):
            self.run(lambda packing: partial(next, iter(packing.packs(left)), None))

    def run(self, pack: Callable[[Packing], NextRuns], search: Search | None = None) -> None:
        """All of some runs, which are trials of a search or leave a record each.

        Args:
            pack: puts the runs into packs that suit the cluster.
            search: whose trials they are, if they are any.

        Raises:
            KeyboardInterrupt: someone asked to stop; what was finished is in the journal.
            SweepError: the journal cannot be written, or Tune gave up.
        """
        if self._shared is None:
            self._shared = self._connect()
        keeper = Keeper(
            pack(Packing(self.spec.pack, self._size_of, self._room_for)),
            self.journal,
            self.storage,
            self.progress,
            self._interrupt,
            max_failures=self.max_failures,
            search=search,
        )
        tune_all(
            keeper,
            self._shared,
            resources=self.resources,
            place=self.storage.tune,
            max_concurrent=self.max_concurrent,
        )
        if keeper.error is not None:
            raise keeper.error
        if self._interrupt.asked:
            raise KeyboardInterrupt
        if keeper.unfinished:
            raise SweepError("Tune ended before all trials did; go on with --resume when the cluster is well")

    def _connect(self) -> Shared:
        self._connection.enter_context(quiet())  # the first to come is the last to go
        cluster = self._connection.enter_context(connect(self.address, dashboard=self.dashboard))
        self._connection.enter_context(self._interrupt.caught())
        self._cluster = cluster
        self.progress.dashboard_url = cluster.dashboard_url
        encodings = f"supra-encodings-{uuid.uuid4().hex}"
        if any(cell.pe != "none" for cell in self.spec.cells):
            self._connection.callback(remove_encodings, encodings)
        held_out = (own.dataset for own in self.held_out.values())
        references = {own.graph.digest: ray.put(own) for own in (*self.datasets.values(), *held_out)}
        return Shared(references, encodings, self.storage.checkpoints, self.objective)

    def _size_of(self, dataset: str) -> GraphSize:
        graph = self.datasets[dataset].graph
        return GraphSize(graph.num_nodes, graph.num_snapshots, graph.num_edges / graph.num_snapshots)

    def _room_for(self, model: str) -> Room:
        """What the cluster has for trials of a model now."""
        assert self._cluster is not None
        own = self.resources.of(model)
        num_trials = sum(
            int(min(node.num_cpus / own.cpus, node.num_gpus / own.gpus if own.gpus else math.inf))
            for node in self._cluster.nodes
        )
        memory = GPU_MEMORY * own.gpus if own.gpus else CPU_MEMORY
        return Room(min(num_trials, self.max_concurrent or num_trials), memory, on_gpu=own.gpus > 0)
