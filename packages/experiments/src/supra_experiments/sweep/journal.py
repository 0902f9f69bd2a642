"""What a sweep has done so far, in one folder: every finished run is there, whatever happened since."""

import json
import os
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from filelock import FileLock, Timeout

from supra_core.files import write_whole
from supra_experiments.config import Config
from supra_experiments.errors import ExperimentError, told_as
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
        self._guard = threading.RLock()
        self._lock = FileLock(self.folder / "lock")
        with told_as(JournalError, f"{folder}: cannot be written"):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._take_lock()
        try:
            self._runs = RecordFile(self.folder / RECORDS)
            self._files = {name: JsonLines(self.folder / name) for name in (FAILURES, SEARCH)}
            self.notes += self._runs.notes
            self.notes += [file.repaired for file in self._files.values() if file.repaired]
            self._failures = list(self._parsed(FAILURES, _failure))
            self._search = list(self._parsed(SEARCH, _search_trial))
        except BaseException:
            self.close()
            raise

    # ── runs ───────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def records_path(self) -> Path:
        """The file of the records."""
        return self.folder / RECORDS

    @property
    def records(self) -> tuple[RunRecord, ...]:
        """All records, in the order in which they came."""
        with self._guard:
            return self._runs.records

    def has(self, config: Config, graph_digest: str) -> bool:
        """Whether there is a record of these settings on this graph."""
        with self._guard:
            return self._runs.get(config, graph_digest) is not None

    def get(self, config: Config, graph_digest: str) -> RunRecord | None:
        """The record of these settings on this graph, None where there is none."""
        with self._guard:
            return self._runs.get(config, graph_digest)

    def add(self, record: RunRecord) -> bool:
        """Keep a record for good; False and nothing done where there is one of the same run.

        Raises:
            JournalError: a full disk, say; the file is then as it was.
        """
        with self._guard:
            return self._runs.add(record)

    # ── failures and searches ──────────────────────────────────────────────────────────────────────────────

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The last failure of each run that has no record."""
        with self._guard:
            done = self._runs.digests
            return tuple(
                {failure.digest: failure for failure in self._failures if failure.digest not in done}.values()
            )

    def add_failure(self, failure: Failure) -> None:
        """Keep a failure."""
        with self._guard:
            self._files[FAILURES].append(json.dumps(asdict(failure), ensure_ascii=False))
            self._failures.append(failure)

    @property
    def search_trials(self) -> tuple[SearchTrial, ...]:
        """All finished trials of searches, in the order in which they came."""
        with self._guard:
            return tuple(self._search)

    def add_search(self, trial: SearchTrial) -> None:
        """Keep a finished trial of a search."""
        with self._guard:
            self._files[SEARCH].append(json.dumps(asdict(trial), ensure_ascii=False, allow_nan=False))
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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

    def _parsed(self, name: str, read: Any) -> Iterable[Any]:
        for number, line in enumerate(self._files[name].lines, start=1):
            try:
                yield read(line)
            except (ExperimentError, KeyError, TypeError) as error:
                raise JournalError(f"{self.folder / name}: line {number}: {error}") from None
        # The parsed values are kept, the text need not be.
        self._files[name].lines.clear()


def _failure(line: str) -> Failure:
    values = json.loads(line)
    return Failure(**{**values, "cell": Cell(**values["cell"])})


def _search_trial(line: str) -> SearchTrial:
    values = json.loads(line)
    return SearchTrial(**{**values, "cell": Cell(**values["cell"])})
