"""What a sweep has to do before its first trial and after its last one; none of it needs a cluster."""

import math
import os
from collections.abc import Mapping, Sequence

from supra_experiments.config import Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.errors import SweepError
from supra_experiments.sweep.book import Book, diverged
from supra_experiments.sweep.journal import Journal
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.types import Cell, SweepResult


def load_datasets(spec: SweepSpec, data_root: str | os.PathLike[str] | None) -> dict[str, Dataset]:
    """All datasets, loaded and checked here: nodes get them from Ray, and need no files.

    Raises:
        DatasetError: one that cannot be had.
    """
    cells = {cell.dataset: cell for cell in spec.cells}
    return {
        name: load(name, root=data_root, **spec.config(cell, 0).data.binning) for name, cell in cells.items()
    }


def refuse_overwriting(journal: Journal, resume: bool) -> None:
    """Go on in a folder that holds something only if that is wanted.

    Raises:
        SweepError: it is not.
    """
    num_kept = len(journal.records) + len(journal.search_trials)
    if num_kept and not resume:
        raise SweepError(
            f"{journal.folder}: holds {num_kept} finished runs; go on with --resume, or choose another "
            "--storage-path or name"
        )


def recalled(spec: SweepSpec, digests: Mapping[str, str], book: Book) -> Search:
    """The searches as earlier starts left them.

    Args:
        spec: the sweep.
        digests: of the graphs, by dataset.
        book: its journal holds the trials, its progress is told of them.
    """
    search = Search.of(spec, digests)
    book.progress.num_total = spec.num_runs + search.num_trials
    for trial in search.recall(book.journal.search_trials):
        config = spec.config(trial.cell, spec.seeds(trial.cell)[0], **trial.settings)
        book.progress.kept(config, value=trial.value)
    return search


def found_runs(spec: SweepSpec, search: Search) -> list[Config]:
    """The best setting of each cell with all seeds, all cells with their first seed first."""
    runs = {cell: own.runs() for cell, own in search.cells.items()}
    return [runs[cell][seed] for cell, seed in spec.pairs()]


def result_of(
    spec: SweepSpec,
    runs: Sequence[Config],
    digests: Mapping[str, str],
    journal: Journal,
    dashboard_url: str | None,
    changes: tuple[str, ...],
) -> SweepResult:
    """What there is of the runs that were asked for; a cell without a finite test AUC is empty."""
    found = [journal.get(run, digests[run.data.dataset]) for run in runs]
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
