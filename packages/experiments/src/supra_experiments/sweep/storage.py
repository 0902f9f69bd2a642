"""Where a sweep keeps its records and checkpoints: a folder, or storage that Arrow reaches by a URI."""

import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from supra_core.files import write_whole
from supra_experiments.datasets.fetch import user_cache
from supra_experiments.errors import ExperimentError, SweepError, told_as
from supra_experiments.sweep.journal import FAILURES, RECORDS, SEARCH, SPEC

_FILES = (RECORDS, FAILURES, SEARCH, SPEC)
_SHARE = 20
"""Copying may take one in so many seconds."""


def is_uri(place: str) -> bool:
    """Whether a place is a URI such as ``s3://bucket/runs``, and not a folder.

    Example:
        >>> is_uri("s3://bucket/runs"), is_uri("runs"), is_uri("C:/runs")
        (True, False, False)
    """
    return "://" in place


def open_uri(uri: str) -> tuple[Any, str]:
    """The Arrow filesystem of a URI, and the path in it.

    Raises:
        ExperimentError: a URI that no filesystem of this machine answers to.

    Example:
        >>> open_uri("file:///tmp/runs")[1]
        '/tmp/runs'
    """
    from pyarrow import ArrowInvalid, fs

    try:
        filesystem, path = fs.FileSystem.from_uri(uri)
    except (ArrowInvalid, OSError, NotImplementedError, ImportError) as error:
        raise ExperimentError(f"{uri}: cannot be reached ({' '.join(str(error).split())})") from None
    return filesystem, path.rstrip("/")


# ── checkpoints ────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class CheckpointStore:
    """Checkpoints by the name of their run, each one file.

    In a folder the run writes its file directly. Elsewhere it writes a file of its own machine, which is
    fetched from the storage at the start and copied to it after each write.

    Args:
        place: a folder or a URI; created with the first checkpoint.

    Example:
        >>> store = CheckpointStore(tempfile.mkdtemp())
        >>> with store.open("0123") as checkpoint:
        ...     checkpoint.path.name
        '0123.pt'
    """

    place: str

    @contextmanager
    def open(self, run: str) -> "Iterator[OpenCheckpoint]":
        """The file that a run goes on from if it exists, and writes to."""
        name = f"{run}.pt"
        if not is_uri(self.place):
            yield OpenCheckpoint(Path(self.place) / name, None, "")
            return
        filesystem, root = open_uri(self.place)
        with tempfile.TemporaryDirectory(prefix="supra-checkpoint-") as folder:
            local, remote = Path(folder) / name, f"{root}/{name}"
            with suppress(FileNotFoundError), filesystem.open_input_stream(remote) as file:
                local.write_bytes(file.read())
            yield OpenCheckpoint(local, filesystem, remote)

    def remove(self, run: str) -> None:
        """Remove a run's checkpoint, if there is one, and what a kill left of one that was being written."""
        name = f"{run}.pt"
        if not is_uri(self.place):
            for file in (Path(self.place) / name, *Path(self.place).glob(f".{run}.*.pt")):
                file.unlink(missing_ok=True)
            return
        filesystem, root = open_uri(self.place)
        with suppress(FileNotFoundError):
            filesystem.delete_file(f"{root}/{name}")


class OpenCheckpoint:
    """A run's checkpoint while the run goes on.

    Attributes:
        path: of the file on this machine.
    """

    def __init__(self, path: Path, filesystem: Any, remote: str) -> None:
        self.path, self._filesystem, self._remote = path, filesystem, remote
        self._copied = self._written()

    def copy(self) -> None:
        """Copy the file to the storage if it was written since the last time."""
        written = self._written()
        if self._filesystem is None or written is None or written == self._copied:
            return
        self._filesystem.create_dir(self._remote.rpartition("/")[0], recursive=True)
        _write(self._filesystem, self._remote, self.path.read_bytes())
        self._copied = written

    def _written(self) -> int | None:
        return self.path.stat().st_mtime_ns if self.path.exists() else None


# ── the sweep's place ──────────────────────────────────────────────────────────────────────────────────────


@dataclass
class SweepStorage:
    """The place of one sweep.

    A checkpoint is removed only when the record that replaces it is in its final place, so that a finished
    run is never trained again.

    Attributes:
        place: the folder or URI of the sweep.
        folder: of the journal, on this machine: the place itself, or its mirror.
    """

    place: str
    folder: Path
    _done_with: list[str] = field(default_factory=list)
    _copied: dict[str, int] = field(default_factory=dict)
    _next_copy: float = 0.0

    @classmethod
    @contextmanager
    def open(cls, storage_path: str | os.PathLike[str], name: str) -> "Iterator[SweepStorage]":
        """The place of the sweep ``name``, which can be written.

        Raises:
            SweepError: a storage path that is missing or cannot be written.
        """
        given = os.fspath(storage_path)
        if not is_uri(given):
            folder = _checked_folder(given, name)
            yield cls(str(folder), folder)
            return
        place = f"{given.rstrip('/')}/{name}"
        folder = user_cache() / "sweeps" / hashlib.sha256(place.encode()).hexdigest()[:16] / name
        storage = cls(place, folder)
        storage._fetch(given)
        try:
            yield storage
        finally:
            storage.settle(force=True)

    @property
    def checkpoints(self) -> CheckpointStore:
        """Of runs that are under way."""
        return CheckpointStore(f"{self.place}/checkpoints")

    @property
    def tune(self) -> str:
        """Where Ray keeps its own state."""
        return f"{self.place}/ray"

    def done_with(self, run: str) -> None:
        """The checkpoint of a run may go as soon as what replaces it is safe."""
        self._done_with.append(run)
        self.settle()

    def settle(self, *, force: bool = False) -> None:
        """Bring the journal to its place if that is due, then remove the checkpoints that it replaces."""
        if is_uri(self.place) and (force or (self._done_with and time.monotonic() >= self._next_copy)):
            start = time.monotonic()
            self._copy()
            self._next_copy = time.monotonic() + _SHARE * (time.monotonic() - start)
        elif is_uri(self.place):
            return
        for run in self._done_with:
            self.checkpoints.remove(run)
        self._done_with.clear()

    # ── the mirror ─────────────────────────────────────────────────────────────────────────────────────────

    def _fetch(self, given: str) -> None:
        try:
            filesystem, root = open_uri(self.place)
            filesystem.create_dir(root, recursive=True)
            self.folder.mkdir(parents=True, exist_ok=True)
            for name in _FILES:
                with suppress(FileNotFoundError), filesystem.open_input_stream(f"{root}/{name}") as file:
                    _merge(self.folder / name, file.read())
            _write(filesystem, f"{root}/.probe", b"")
            filesystem.delete_file(f"{root}/.probe")
        except (OSError, ExperimentError) as error:
            reason = getattr(error, "strerror", None) or " ".join(str(error).split())
            raise SweepError(f"storage_path={given!r}: cannot be written ({reason})") from None

    def _copy(self) -> None:
        filesystem, root = open_uri(self.place)
        for name in _FILES:
            file = self.folder / name
            size = file.stat().st_size if file.exists() else 0
            if size and self._copied.get(name) != size:
                _write(filesystem, f"{root}/{name}", file.read_bytes())
                self._copied[name] = size


def _merge(mirror: Path, content: bytes) -> None:
    """Add to what the storage holds the lines that only the mirror does: a kill came before their copy."""
    if mirror.suffix == ".jsonl" and mirror.exists():
        known = set(content.splitlines())
        content += b"".join(
            line for line in mirror.read_bytes().splitlines(keepends=True) if line.rstrip(b"\n") not in known
        )
    write_whole(mirror, content)


def _write(filesystem: Any, path: str, content: bytes) -> None:
    """Under a temporary name first: who reads the file finds the last one whole."""
    temporary = f"{path}.{os.getpid()}.tmp"
    with filesystem.open_output_stream(temporary) as file:
        file.write(content)
    filesystem.move(temporary, path)


def _checked_folder(given: str, name: str) -> Path:
    root = Path(given).expanduser().absolute()
    if not root.parent.is_dir():
        # A folder two levels deep in nothing is more often a share that is not mounted than a wish.
        raise SweepError(f"storage_path={given!r}: there is no folder {root.parent}")
    folder = root / name
    with told_as(SweepError, f"storage_path={given!r}: cannot be written"):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    return folder
