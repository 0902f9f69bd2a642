"""What a sweep has done so far, in one folder: every finished run is there, whatever happened since."""

import json
import os
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Literal, Self, TypeVar

from filelock import FileLock, Timeout

from supra_core.files import write_whole
from supra_experiments.config import Config
from supra_experiments.errors import told_as
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.space import Value
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.json_lines import JournalError, JsonLines
from supra_experiments.training.record import RunRecord
from supra_experiments.training.record_file import RecordFile

RECORDS, FAILURES, SEARCH, SPEC = "records.jsonl", "failures.jsonl", "search.jsonl", "spec.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A run that left no record.

    Attributes:
        digest: of its settings.
        cell, seed: what it was.
        reason: one line for people.
        kind: ``error``, ``diverged``, ``memory``, ``node``, … : what sort of thing went wrong.
        attempts: how often it was tried.
    """

    digest: str
    cell: Cell
    seed: int
    reason: str
    kind: str = "error"
    attempts: int = 1

    @classmethod
    def diverged(cls, record: RunRecord) -> Self:
        """A run whose loss was no number any more; not tried again, since it would do the same."""
        return cls(
            digest=record.config.digest,
            cell=Cell.of(record.config),
            seed=record.config.training.seed,
            reason=f"diverged at epoch {len(record.history)}",
            kind="diverged",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTrial:
    """A finished trial of a search.

    Attributes:
        digest: of its settings, those that are not searched included.
        cell: where it was.
        settings: the searched ones.
        criterion: ``train_loss`` or ``validation_auc``.
        value: of the criterion; None where there is none, as in a trial that failed.
        epochs: how many it trained.
        stopped_early: whether the scheduler stopped it.
        status: ``done``, ``diverged`` or ``failed``.
        seconds: of its training; 0 in journals of earlier versions.
        best_epochs: after how many epochs it had the value, where that was not at its end but when links that
            were held out were asked before. A run that is to have it has so many epochs at most.
    """

    digest: str
    cell: Cell
    settings: dict[str, Value]
    criterion: str
    value: float | None
    epochs: int
    stopped_early: bool = False
    status: Literal["done", "diverged", "failed"] = "done"
    seconds: float = 0.0
    best_epochs: int | None = None

    @property
    def found(self) -> dict[str, Value]:
        """The settings of a run that is to come to the same."""
        return self.settings | ({} if self.best_epochs is None else {"max_epochs": self.best_epochs})


Entry = TypeVar("Entry", Failure, SearchTrial)


class Journal:
    """The folder of a sweep; nobody else can write it while it is open.

    Args:
        folder: made where it is missing.

    Raises:
        JournalError: a folder that cannot be written, that another sweep is using, or with a bad line.

    Attributes:
        notes: lines for people: what was repaired.

    Example:
        >>> import tempfile
        >>> from supra_experiments import Config, fit
        >>> with Journal(tempfile.mkdtemp()) as journal:
        ...     record = fit(Config(model="degree"))
        ...     journal.add(record), journal.add(record), len(journal.records)
        (True, False, 1)
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.notes: list[str] = []
        self._lock = FileLock(self.folder / "lock")
        with told_as(JournalError, f"{folder}: cannot be written"):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._take_lock()
        try:
            self._runs = RecordFile(self.folder / RECORDS)
            self._failures = JsonLines(self.folder / FAILURES, partial(_read, Failure), _write)
            self._search = JsonLines(self.folder / SEARCH, partial(_read, SearchTrial), _write)
            repaired = (self._failures.repaired, self._search.repaired)
            self.notes += [*self._runs.notes, *filter(None, repaired)]
        except BaseException:
            self.close()
            raise

    # ── runs ───────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def records(self) -> tuple[RunRecord, ...]:
        """All records, in the order in which they came."""
        return self._runs.records

    def get(self, config: Config, graph_digest: str) -> RunRecord | None:
        """The record of these settings on this graph, None where there is none."""
        return self._runs.get(config, graph_digest)

    def add(self, record: RunRecord) -> bool:
        """Keep a record for good; False and nothing done where there is one of the same run.

        Raises:
            JournalError: a full disk, say; the file is then as it was.
        """
        return self._runs.add(record)

    # ── failures and searches ──────────────────────────────────────────────────────────────────────────────

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The last failure of each run that has no record."""
        done = self._runs.digests
        last = {failure.digest: failure for failure in self._failures.values if failure.digest not in done}
        return tuple(last.values())

    def add_failure(self, failure: Failure) -> None:
        """Keep a failure."""
        self._failures.append(failure)

    @property
    def search_trials(self) -> tuple[SearchTrial, ...]:
        """All finished trials of searches, in the order in which they came."""
        return tuple(self._search.values)

    def add_search(self, trial: SearchTrial) -> None:
        """Keep a finished trial of a search."""
        self._search.append(trial)

    # ── the file of the sweep ──────────────────────────────────────────────────────────────────────────────

    @property
    def spec(self) -> SweepSpec | None:
        """The sweep that was last run in this folder, None in a new one."""
        path = self.folder / SPEC
        return SweepSpec.read(path) if path.exists() else None

    def write_spec(self, spec: SweepSpec) -> None:
        """Keep the sweep that is run now."""
        with told_as(JournalError, f"{self.folder / SPEC}: cannot be written"):
            write_whole(self.folder / SPEC, spec.to_toml())

    # ── opening and closing ────────────────────────────────────────────────────────────────────────────────

    def close(self) -> None:
        """Let others in; also happens when the process ends, however it does."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _take_lock(self) -> None:
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise JournalError(
                f"{self.folder}: another sweep is writing here; wait for it or take another --storage-path"
            ) from None
        except NotImplementedError:
            self.notes.append(f"{self.folder}: its disk has no file locks: take care to run one sweep there")


def _read(kind: type[Entry], line: str) -> Entry:
    values = json.loads(line)
    return kind(**{**values, "cell": Cell(**values["cell"])})


def _write(entry: Failure | SearchTrial) -> str:
    return json.dumps(asdict(entry), ensure_ascii=False, allow_nan=False)
