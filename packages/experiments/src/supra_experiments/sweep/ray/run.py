"""Run a sweep, or what is left of it."""

import os
from typing import Any

from supra_experiments.sweep.book import Book, Task
from supra_experiments.sweep.journal import Journal, compare
from supra_experiments.sweep.plan import (
    found_runs,
    load_datasets,
    recalled,
    refuse_overwriting,
    result_of,
)
from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.ray.runner import Runner
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.storage import SweepStorage
from supra_experiments.sweep.types import Resources, SweepResult


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
        objective: what a trial computes instead of ``fit``, with its arguments.
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
        with Runner(
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
            runner.run_grid([Task(run, digests[run.data.dataset]) for run in runs])
        return result_of(spec, runs, digests, journal, progress.dashboard_url, changes)
