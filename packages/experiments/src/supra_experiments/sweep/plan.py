"""What a sweep has to do before its first trial and what it leaves behind; none of it needs a cluster."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from supra_experiments.config import Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.errors import SweepError
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.held_out import HeldOut
from supra_experiments.sweep.journal import Failure, Journal
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.record import RunRecord

# ── before ─────────────────────────────────────────────────────────────────────────────────────────────────


def load_datasets(spec: SweepSpec, data_root: str | os.PathLike[str] | None) -> dict[str, Dataset]:
    """All datasets, loaded and checked here: nodes get them from Ray, and need no files.

    Raises:
        DatasetError: one that cannot be had.
    """
    cells = {cell.dataset: cell for cell in spec.cells}
    return {
        name: load(name, root=data_root, **spec.config(cell, 0).data.binning) for name, cell in cells.items()
    }


def hold_out(spec: SweepSpec, datasets: Mapping[str, Dataset]) -> dict[str, HeldOut]:
    """The training snapshots that judge the trials of a search, by dataset; nothing where others do.

    Raises:
        ConfigError: more of them than there are.
    """
    searched = [cell for cell in spec.cells if not spec.sources(cell)] if spec.is_held_out else []
    cells = {cell.dataset: cell for cell in searched}
    return {
        name: HeldOut.of(datasets[name], spec.config(cell, 0), spec.criterion, spec.held_out)
        for name, cell in cells.items()
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


@dataclass(frozen=True, slots=True)
class SpecChange:
    """What it means to go on with a file that was changed.

    Attributes:
        new: cells and seeds to run that the old file did not ask for, or with other settings.
        dropped: those that only the old file asked for; their records are kept but not counted.
    """

    new: tuple[tuple[Cell, int], ...] = ()
    dropped: tuple[tuple[Cell, int], ...] = ()

    def lines(self, max_cells: int = 20) -> tuple[str, ...]:
        """One line a cell, for people; of those beyond ``max_cells`` the number alone.

        Example:
            >>> SpecChange(dropped=((Cell("demo", "htgn", "none", "zeros"), 3),)).lines()
            ('dropped: demo htgn none zeros, seed 3',)
        """
        return (*_told("new", self.new, max_cells), *_told("dropped", self.dropped, max_cells))


def compare(old: SweepSpec, new: SweepSpec) -> SpecChange:
    """What is new in a changed sweep, and what it dropped.

    Runs are the same if all their settings are; those of a search if the search is the same as well.
    """
    before, after = _identities(old), _identities(new)
    return SpecChange(
        tuple(after[key] for key in after if key not in before),
        tuple(before[key] for key in before if key not in after),
    )


def _identities(spec: SweepSpec) -> dict[tuple[str, str], tuple[Cell, int]]:
    """What each run is made of, and its cell and seed."""
    found = {}
    for config in spec.baseline_runs():
        found[config.digest, ""] = (Cell.of(config), config.training.seed)
    for cell, seed in spec.pairs():
        searched = ""
        if spec.mode == "search":
            # A file that was written has its tables in another order.
            space = sorted(spec.search_space(cell).items())
            searched = f"{space!r} {spec.num_trials} {spec.selection(cell)}"
            searched += "" if spec.held_out is None else f" of {spec.held_out}"
            searched += "".join(f" from {source.dataset}" for source in spec.sources(cell))
        found[spec.config(cell, seed).digest, searched] = (cell, seed)
    return found


def _told(what: str, runs: Iterable[tuple[Cell, int]], max_cells: int) -> list[str]:
    seeds: dict[Cell, list[int]] = {}
    for cell, seed in runs:
        seeds.setdefault(cell, []).append(seed)
    lines = [
        f"{what}: {cell.name}, seed{'s' * (len(own) > 1)} {', '.join(map(str, own))}"
        for cell, own in seeds.items()
    ]
    if len(lines) > max_cells:
        lines[max_cells:] = [f"{what}: {len(lines) - max_cells} more cells"]
    return lines


# ── after ──────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """What a sweep leaves behind.

    Attributes:
        folder: of the journal: ``records.jsonl``, ``failures.jsonl``, ``search.jsonl``, ``spec.toml``.
        records: of the runs that the sweep's file asks for, in the order of the file.
        failures: of the runs that have no record, with their reasons.
        empty_cells: cells without any record.
        dashboard_url: where Ray's dashboard was, None where there was none.
        dropped: lines for people about records in the folder that the file no longer asks for.
    """

    folder: Path
    records: tuple[RunRecord, ...]
    failures: tuple[Failure, ...] = ()
    empty_cells: tuple[Cell, ...] = ()
    dashboard_url: str | None = None
    dropped: tuple[str, ...] = ()


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
    failures += [Failure.diverged(record) for record in records if record.diverged]
    filled = {Cell.of(record.config) for record in records if not math.isnan(record.test.auc)}
    return SweepResult(
        folder=journal.folder,
        records=records,
        failures=tuple(failures),
        empty_cells=tuple(cell for cell in spec.cells if cell not in filled),
        dashboard_url=dashboard_url,
        dropped=tuple(line for line in changes if line.startswith("dropped")),
    )
