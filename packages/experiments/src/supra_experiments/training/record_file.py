"""A file of run records: what ``supra train`` writes and a sweep keeps, each run once."""

import contextlib
import os
from pathlib import Path

from filelock import FileLock

from supra_experiments.config import Config
from supra_experiments.errors import told_as
from supra_experiments.training.json_lines import JournalError, JsonLines
from supra_experiments.training.record import RunRecord


class RecordFile:
    """The records of a file of JSON lines, found by their settings and their graph; it only grows.

    Args:
        path: of the file; it comes into being with the first record.
        shared: whether other processes may add to it meanwhile; else somebody else keeps them away.

    Raises:
        JournalError: a file that cannot be read, or a line that is no record.

    Attributes:
        notes: lines for people: what was repaired.

    Example:
        >>> import tempfile
        >>> from supra_experiments import fit
        >>> records = RecordFile(Path(tempfile.mkdtemp()) / "runs.jsonl")
        >>> record = fit(Config(model="degree"))
        >>> records.add(record), records.add(record), len(records.records)
        (True, False, 1)
        >>> records.get(Config(model="degree"), record.graph_digest) is record
        True
    """

    def __init__(self, path: str | os.PathLike[str], *, shared: bool = False) -> None:
        self.path = Path(path)
        self.notes: list[str] = []
        self._lock: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
        with told_as(JournalError, f"{path}: cannot be written"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if shared:
                self._lock = FileLock(self.path.with_name(f".{self.path.name}.lock"))
            with self._lock:
                self._read()

    @property
    def records(self) -> tuple[RunRecord, ...]:
        """All records, in the order in which they came."""
        return tuple(self._records.values())

    @property
    def digests(self) -> set[str]:
        """Of the settings of all records."""
        return {digest for digest, _ in self._records}

    def get(self, config: Config, graph_digest: str) -> RunRecord | None:
        """The record of these settings on this graph, None where there is none."""
        return self._records.get((config.digest, graph_digest))

    def add(self, record: RunRecord) -> bool:
        """Keep a record for good; False and nothing done where there is one of the same run.

        Raises:
            JournalError: a full disk, say; the file is then as it was.
        """
        with self._lock:
            if self._lines.is_behind:  # another process has added to it
                self._read()
            key = (record.config.digest, record.graph_digest)
            if key in self._records:
                return False
            self._lines.append(record)
            self._records[key] = record
            return True

    def _read(self) -> None:
        self._lines = JsonLines(self.path, RunRecord.from_json, RunRecord.to_json)
        if self._lines.repaired is not None:
            self.notes.append(self._lines.repaired)
        self._records: dict[tuple[str, str], RunRecord] = {}
        for record in self._lines.values:
            self._records.setdefault((record.config.digest, record.graph_digest), record)
